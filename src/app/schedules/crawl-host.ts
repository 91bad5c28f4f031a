/** What schedules need of the rest of the app: to know a project, to crawl it, and to hear how it went. */

export interface ScheduledProject {
  id: number;
  domain: string;
  url: string;
}

export interface CrawlEnding {
  state: "completed" | "failed" | "paused";
  message: string | null;
  pagesCrawled: number;
  durationMs: number;
}

export interface Changes {
  previousId: number;
  added: number;
  removed: number;
  changed: number;
}

export interface CrawlHost {
  /** Throws when there is none. */
  project(projectId: number): ScheduledProject;
  /** Whether any process works on a crawl of this project. */
  isRunning(projectId: number): boolean;
  start(projectId: number): Promise<number>;
  /** Goes on with a crawl that a crash or a restart interrupted. */
  resume(crawlId: number): Promise<void>;
  /** The end of a crawl that this process works on. */
  ended(crawlId: number): Promise<CrawlEnding>;
  /** Against the completed crawl before; null when there is none. */
  changes(crawlId: number): Changes | null;
}
