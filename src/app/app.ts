/** The app put together from its parts: everything that a transport may ask of Trawl. */
import { type Clock, systemClock } from "../kernel/clock.ts";
import { FetchPermits } from "../net/fetch-permits.ts";
import { Configs } from "./config/configs.ts";
import { ActiveCrawls } from "./crawls/active-crawls.ts";
import { Crawls } from "./crawls/crawls.ts";
import { Projects } from "./crawls/projects.ts";
import { CrawlData } from "./data/crawl-data.ts";
import { PageText } from "./data/page-text.ts";
import { Readers } from "./data/readers.ts";
import { Views } from "./data/views.ts";
import { AppEvents } from "./events.ts";
import { Favicons } from "./favicon/favicons.ts";
import { type Home, openHome } from "./home.ts";
import { ScheduleHost } from "./schedules/crawl-host.ts";
import { ScheduleStore } from "./schedules/schedule-store.ts";
import { Scheduler } from "./schedules/scheduler.ts";
import { Schedules } from "./schedules/schedules.ts";
import { type Post, Webhooks } from "./schedules/webhooks.ts";
import { type RunNpm, Updates } from "./updates.ts";

export interface AppOptions {
  version: string;
  home?: Home;
  clock?: Clock;
  random?: () => number;
  /** Requests under way at once, of all crawls of this process together. */
  maxFetches?: number;
  /** Whether the package registry may be asked for a newer version. */
  updateCheck?: boolean;
  runNpm?: RunNpm;
  postWebhook?: Post;
  /** Told of what no caller can be told. */
  onProblem?: (message: string) => void;
}

/** A dozen crawls of the usual five requests each; more would compete for the same core and the same line. */
export const DEFAULT_MAX_FETCHES = 64;
const PACKAGE_NAME = "trawl";

export class App {
  readonly version: string;
  readonly home: Home;
  readonly events: AppEvents;
  readonly updates: Updates;
  readonly crawls: Crawls;
  readonly activeCrawls: ActiveCrawls;
  readonly projects: Projects;
  readonly crawlData: CrawlData;
  readonly pageText: PageText;
  readonly configs: Configs;
  readonly views: Views;
  readonly favicons: Favicons;
  readonly schedules: Schedules;
  /** Starts what is due, once somebody has called its `start`. */
  readonly scheduler: Scheduler;
  readonly #scheduleStore: ScheduleStore;
  #closing: Promise<void> | null = null;

  constructor(options: AppOptions) {
    const { version, home = openHome(), clock = systemClock, random = Math.random, onProblem = () => {} } = options;
    const permits = new FetchPermits(options.maxFetches ?? DEFAULT_MAX_FETCHES);
    const crawls = new Crawls(home, { clock, permits });
    const { db } = crawls.registry;
    const read = (id: number) => crawls.read(id);
    const readers = new Readers(read);
    this.version = version;
    this.home = home;
    this.crawls = crawls;
    this.events = new AppEvents((error) => onProblem(`a listener failed: ${(error as Error).message}`));
    this.updates = new Updates({
      packageName: PACKAGE_NAME,
      version,
      isOff: options.updateCheck === false,
      root: home.root,
      clock,
      runNpm: options.runNpm,
    });
    this.views = new Views(db, clock);
    this.configs = new Configs({ db, clock, permits });
    this.favicons = new Favicons({ home, clock, permits, read, onProblem });
    this.activeCrawls = new ActiveCrawls({
      crawls,
      configs: this.configs,
      events: this.events,
      favicons: this.favicons,
    });
    const { activeCrawls, configs, favicons } = this;
    this.crawlData = new CrawlData({ crawls, activeCrawls, readers });
    const { crawlData } = this;
    this.projects = new Projects({ crawls, activeCrawls, crawlData, configs, favicons });
    this.pageText = new PageText({ crawls, readers, clock, permits });
    const store = new ScheduleStore(home.registry, clock.now);
    const host = new ScheduleHost({ crawls, activeCrawls, crawlData });
    const webhooks = new Webhooks(store, clock, random, `trawl/${version}`, options.postWebhook);
    this.#scheduleStore = store;
    this.scheduler = new Scheduler({ store, host, webhooks, clock, random, onProblem });
    this.schedules = new Schedules({ store, host, scheduler: this.scheduler, clock, random });
  }

  /** Stops own crawls, which stay resumable, and lets go of every socket and file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // The scheduler first, so that it starts nothing more; its runs end with the crawls, so they are waited for after.
    const scheduler = this.scheduler.close();
    await this.activeCrawls.close();
    await Promise.all([scheduler, this.favicons.close()]);
    this.crawlData.close();
    this.#scheduleStore.close();
    this.crawls.close();
  }
}
