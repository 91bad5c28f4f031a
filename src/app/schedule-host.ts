/** What schedules ask of the app, answered by its parts. */
import { TrawlError } from "../errors.ts";
import type { ActiveCrawls } from "./active-crawls.ts";
import type { CrawlData } from "./crawl-data.ts";
import type { Crawls } from "./crawls.ts";
import type { CrawlRecord } from "./registry.ts";
import type { Changes, CrawlEnding, CrawlHost, ScheduledProject } from "./schedules/crawl-host.ts";

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

  async start(projectId: number): Promise<number> {
    const { url } = this.project(projectId);
    const { crawlId } = await this.#parts.activeCrawls.start({ url, since: null });
    return crawlId;
  }

  async resume(crawlId: number): Promise<void> {
    await this.#parts.activeCrawls.resume(crawlId);
  }

  async ended(crawlId: number): Promise<CrawlEnding> {
    const ended = this.#parts.activeCrawls.ended(crawlId);
    // It may have ended before anybody asked.
    return ending(ended === null ? this.#parts.crawls.get(crawlId) : (await ended).record);
  }

  changes(crawlId: number): Changes | null {
    const previousId = this.#parts.crawlData.previousId(crawlId, ["completed"]);
    if (previousId === null) return null;
    const { added, removed, changed } = this.#parts.crawlData.changeCounts(crawlId, previousId);
    return { previousId, added, removed, changed };
  }
}

function ending({ id, state, message, crawled, durationMs }: CrawlRecord): CrawlEnding {
  if (state === "running") throw new TrawlError("CRAWL_BUSY", `Crawl ${id} is run by another process.`);
  return { state, message, pagesCrawled: crawled, durationMs };
}
