/** What schedules need from the rest of the app: find a project, crawl it, and get the result. */
import { TrawlError } from "../../errors.ts";
import type { EndState } from "../../site/crawl-end.ts";
import { type Caller, OWNER, REMOTE } from "../caller.ts";
import type { ActiveCrawls } from "../crawls/active-crawls.ts";
import type { Crawls } from "../crawls/crawls.ts";
import { type CrawlRecord, FINISHED } from "../crawls/registry.ts";
import type { CrawlData } from "../data/crawl-data.ts";

export interface ScheduledProject {
  id: number;
  domain: string;
  url: string;
}

export interface CrawlEnding {
  state: EndState;
  message: string | null;
  pagesCrawled: number;
  durationMs: number;
}

export interface Changes {
  previousId: number;
  added: number;
  gone: number;
  notCrawled: number;
  /** Deprecated: the same as notCrawled. */
  removed: number;
  changed: number;
}

export interface CrawlHost {
  /** Throws if there is no such project. */
  project(projectId: number): ScheduledProject;
  /** Whether any process is working on a crawl of this project. */
  isRunning(projectId: number): boolean;
  /** Throws PRIVATE_START when the caller may not start a crawl of this project. */
  checkStart(projectId: number, caller: Caller): Promise<void>;
  start(projectId: number, mayStartPrivate: boolean): Promise<number>;
  /** Continues a crawl that was interrupted by a crash or a restart. */
  resume(crawlId: number): Promise<void>;
  /** The end of a crawl of this process. */
  ended(crawlId: number): Promise<CrawlEnding>;
  /** Compared with the last finished crawl before it; null if there isn't one. */
  changes(crawlId: number): Promise<Changes | null>;
}

export interface ScheduleHostParts {
  crawls: Crawls;
  activeCrawls: ActiveCrawls;
  crawlData: CrawlData;
}

export class ScheduleHost implements CrawlHost {
  readonly #parts: ScheduleHostParts;

  constructor(parts: ScheduleHostParts) {
    this.#parts = parts;
  }

  project(projectId: number): ScheduledProject {
    return this.#parts.crawls.registry.projectWithId(projectId);
  }

  isRunning(projectId: number): boolean {
    return this.#parts.activeCrawls.list().some((crawl) => crawl.projectId === projectId);
  }

  async checkStart(projectId: number, caller: Caller): Promise<void> {
    await this.#parts.activeCrawls.checkStart(this.project(projectId).url, caller);
  }

  async start(projectId: number, mayStartPrivate: boolean): Promise<number> {
    const { url } = this.project(projectId);
    const [last] = this.#parts.crawls.listOf(projectId);
    const caller = mayStartPrivate ? OWNER : REMOTE;
    const { crawlId } = await this.#parts.activeCrawls.start({ url, since: null }, caller, last?.id ?? null);
    return crawlId;
  }

  async resume(crawlId: number): Promise<void> {
    await this.#parts.activeCrawls.resume(crawlId);
  }

  async ended(crawlId: number): Promise<CrawlEnding> {
    const ended = this.#parts.activeCrawls.ended(crawlId);
    // It may have already ended.
    return ending(ended === null ? this.#parts.crawls.get(crawlId) : (await ended).record);
  }

  async changes(crawlId: number): Promise<Changes | null> {
    const previousId = this.#parts.crawlData.previousId(crawlId, FINISHED);
    if (previousId === null) return null;
    const { added, gone, notCrawled, changed } = await this.#parts.crawlData.changeCounts(crawlId, previousId);
    return { previousId, added, gone, notCrawled, changed, removed: notCrawled };
  }
}

function ending({ id, state, message, pages, durationMs }: CrawlRecord): CrawlEnding {
  if (state === "running") throw new TrawlError("CRAWL_BUSY", `Crawl ${id} is running in another process.`);
  return { state, message, pagesCrawled: pages ?? 0, durationMs };
}
