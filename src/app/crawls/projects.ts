/** Projects: the websites that were crawled, by host, with the crawls made of them. */
import { TrawlError } from "../../errors.ts";
import type { Configs } from "../config/configs.ts";
import type { CrawlData } from "../data/crawl-data.ts";
import type { Favicons } from "../favicons.ts";
import type { LastRequest } from "../operations/crawling.ts";
import type { CrawlInfo, ProjectInfo } from "../operations/shapes.ts";
import type { ActiveCrawls } from "./active-crawls.ts";
import { newest, requestOf } from "./crawl-again.ts";
import type { Crawls } from "./crawls.ts";
import type { ProjectRecord } from "./registry.ts";

/** Number of crawls in a sparkline. */
const HISTORY = 20;

export interface ProjectsParts {
  crawls: Crawls;
  activeCrawls: ActiveCrawls;
  crawlData: CrawlData;
  configs: Configs;
  favicons: Favicons;
}

export class Projects {
  readonly #parts: ProjectsParts;

  constructor(parts: ProjectsParts) {
    this.#parts = parts;
  }

  /** Most recently crawled first. */
  list(): ProjectInfo[] {
    const { crawls, activeCrawls } = this.#parts;
    const byProject = Map.groupBy(crawls.list(), ({ projectId }) => projectId);
    const projects = crawls.registry.projects().map((project) => {
      const records = byProject.get(project.id) ?? [];
      return this.#info(
        project,
        records.slice(0, HISTORY).map((record) => activeCrawls.info(record)),
        records.length,
      );
    });
    return projects.sort((a, b) => (b.latestCrawlId ?? 0) - (a.latestCrawlId ?? 0));
  }

  /** The request of the newest crawl, for starting another like it. */
  lastRequest(id: number): LastRequest {
    const { registry } = this.#parts.crawls;
    registry.projectWithId(id);
    return requestOf(newest(registry.crawlsOf(id), id));
  }

  /** Newest first. */
  crawls(id: number): CrawlInfo[] {
    const { crawls, activeCrawls } = this.#parts;
    crawls.registry.projectWithId(id);
    return crawls.listOf(id).map((record) => activeCrawls.info(record));
  }

  /**
   * Deletes a project with all its crawls, their data, its settings and its icon. Refused while one of the crawls is in
   * use.
   */
  remove(id: number): { done: true } {
    const { crawls, crawlData, configs, favicons } = this.#parts;
    const { domain } = crawls.registry.projectWithId(id);
    const ids = crawls.registry.crawlsOf(id).map((record) => record.id);
    if (ids.some((each) => crawls.isHeld(each))) {
      throw new TrawlError("CRAWL_BUSY", "A crawl of this project is running; stop it first.");
    }
    for (const each of ids) crawlData.remove(each);
    configs.remove(domain);
    favicons.remove(id);
    return { done: true };
  }

  #info({ id, url, domain }: ProjectRecord, newest: CrawlInfo[], crawls: number): ProjectInfo {
    const [latest] = newest;
    return {
      id,
      url,
      domain,
      startedAt: latest?.startedAt ?? null,
      durationMs: latest?.durationMs ?? null,
      pages: latest?.pages ?? null,
      crawlDateTime: latest?.crawlDateTime ?? null,
      crawlDuration: latest?.crawlDuration ?? null,
      pagesCrawled: latest?.pagesCrawled ?? null,
      latestCrawlId: latest?.id ?? null,
      latestState: latest?.state ?? null,
      crawls,
      history: newest.toReversed().map(({ id, startedAt, pages }) => ({ id, startedAt, pages })),
      faviconPath: this.#parts.favicons.has(id) ? `/api/v1/projects/${id}/favicon` : null,
    };
  }
}
