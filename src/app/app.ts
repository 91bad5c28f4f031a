/** `App`: all parts of Trawl, each created on first use. */
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { OnExchange } from "../net/client.ts";
import { FetchPermits } from "../net/fetch-permits.ts";
import { openTrace, type RequestTrace } from "../site/client/request-trace.ts";
import { Archives } from "./archive/archives.ts";
import { KnownWorkspaces } from "./archive/known-workspaces.ts";
import { KnownArchives } from "./atproto/known-archives.ts";
import { RepoArchives } from "./atproto/repo-archives.ts";
import { Configs } from "./config/configs.ts";
import { ActiveCrawls } from "./crawls/active-crawls.ts";
import { Crawls } from "./crawls/crawls.ts";
import { Projects } from "./crawls/projects.ts";
import { Audits } from "./data/audits.ts";
import { CrawlData } from "./data/crawl-data.ts";
import type { FieldServices } from "./data/field-data.ts";
import { LinkSearch } from "./data/link-search.ts";
import { PageText } from "./data/page-text.ts";
import { Readers } from "./data/readers.ts";
import { Views } from "./data/views.ts";
import { Demo } from "./demo.ts";
import { AppEvents } from "./events.ts";
import { Favicons } from "./favicons.ts";
import { Fleets } from "./fleet/fleets.ts";
import { type Home, openHome } from "./home.ts";
import type { Installation } from "./installation.ts";
import type { RunNpm } from "./npm.ts";
import { COMMAND_READING, Reading, SERVER_READING } from "./reading/reading.ts";
import { ScheduleHost } from "./schedules/crawl-host.ts";
import { ScheduleStore } from "./schedules/schedule-store.ts";
import { Scheduler } from "./schedules/scheduler.ts";
import { Schedules } from "./schedules/schedules.ts";
import { type Post, Webhooks } from "./schedules/webhooks.ts";
import { Updates } from "./updates.ts";

export interface AppOptions {
  version: string;
  /** Where data is stored; a function is called on first use. */
  home?: Home | (() => Home);
  clock?: Clock;
  random?: () => number;
  /** Requests in flight at once, for all crawls of this process together. */
  maxFetches?: number;
  /**
   * The file that logs every request of the crawls of this process, without secrets. FILE_NOT_WRITABLE if it cannot be
   * created.
   */
  trace?: string;
  /** Called for every request of the crawls of this process, without secrets. */
  onExchange?: OnExchange;
  /** The database of a fleet whose crawls are shown; null or absent for none. */
  postgres?: string | null;
  /** Whether to check the package registry for a newer version. */
  updateCheck?: boolean;
  runNpm?: RunNpm;
  /** How this Trawl was installed; called on first use. */
  installation?: () => Installation;
  postWebhook?: Post;
  /** True for a server: slow reads run in other processes. A command reads everything itself. */
  isServer?: boolean;
  /** False: crawls of this process do not request the site's icon. */
  favicons?: boolean;
  /** Called with problems that cannot be reported to a caller. */
  onProblem?: (message: string) => void;
  /** The addresses of the services that take a key; Google's by default. */
  fieldServices?: FieldServices;
}

/** A dozen crawls with the default of five requests each; more would compete for the same core and connection. */
export const DEFAULT_MAX_FETCHES = 64;
const UNKNOWN_INSTALLATION: Installation = { root: "", installedBy: "other", command: null, npmArguments: null };

interface Parts {
  home: Home;
  events: AppEvents;
  updates: Updates;
  crawls: Crawls;
  readers: Readers;
  reading: Reading;
  activeCrawls: ActiveCrawls;
  projects: Projects;
  crawlData: CrawlData;
  audits: Audits;
  linkSearch: LinkSearch;
  pageText: PageText;
  configs: Configs;
  views: Views;
  favicons: Favicons;
  demo: Demo;
  knownWorkspaces: KnownWorkspaces;
  archives: Archives;
  fleets: Fleets;
  knownArchives: KnownArchives;
  repoArchives: RepoArchives;
  scheduleStore: ScheduleStore;
  scheduleHost: ScheduleHost;
  schedules: Schedules;
  scheduler: Scheduler;
}

/** Everything that transports call. Each part is created on first use, so a command pays only for what it uses. */
export class App {
  readonly version: string;
  readonly #options: AppOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onProblem: (message: string) => void;
  readonly #permits: FetchPermits;
  readonly #trace: RequestTrace | null;
  readonly #built: Partial<Parts> = {};
  #closing: Promise<void> | null = null;

  constructor(options: AppOptions) {
    this.version = options.version;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#onProblem = options.onProblem ?? (() => {});
    this.#permits = new FetchPermits(options.maxFetches ?? DEFAULT_MAX_FETCHES);
    const { version, trace } = options;
    this.#trace = trace === undefined ? null : openTrace(trace, { version, onProblem: this.#onProblem });
  }

  get home(): Home {
    const { home = openHome } = this.#options;
    return this.#part("home", () => (typeof home === "function" ? home() : home));
  }

  get events(): AppEvents {
    return this.#part(
      "events",
      () => new AppEvents((error) => this.#onProblem(`a listener failed: ${(error as Error).message}`)),
    );
  }

  get updates(): Updates {
    const { version, updateCheck, runNpm, installation } = this.#options;
    const { root } = this.home;
    return this.#part(
      "updates",
      () =>
        new Updates({
          version,
          installation: installation?.() ?? UNKNOWN_INSTALLATION,
          isOff: updateCheck === false,
          root,
          clock: this.#clock,
          runNpm,
        }),
    );
  }

  get crawls(): Crawls {
    return this.#part(
      "crawls",
      () =>
        new Crawls(this.home, {
          clock: this.#clock,
          permits: this.#permits,
          onExchange: this.#onExchange(),
          audit: (path, run) => this.#reading.audit(path, run),
          onProblem: this.#onProblem,
        }),
    );
  }

  get views(): Views {
    return this.#part("views", () => new Views(this.crawls.registry.db, this.#clock));
  }

  get configs(): Configs {
    return this.#part(
      "configs",
      () =>
        new Configs({
          db: () => this.crawls.registry.db,
          clock: this.#clock,
          permits: this.#permits,
          reading: this.#reading,
        }),
    );
  }

  get favicons(): Favicons {
    return this.#part(
      "favicons",
      () =>
        new Favicons({
          home: this.home,
          clock: this.#clock,
          permits: this.#permits,
          read: (id) => this.crawls.read(id),
          onProblem: this.#onProblem,
        }),
    );
  }

  get activeCrawls(): ActiveCrawls {
    const { crawls, configs, events } = this;
    const favicons = this.#options.favicons === false ? null : this.favicons;
    return this.#part(
      "activeCrawls",
      () => new ActiveCrawls({ crawls, configs, events, clock: this.#clock, favicons }),
    );
  }

  get demo(): Demo {
    const { activeCrawls } = this;
    return this.#part("demo", () => new Demo(activeCrawls));
  }

  get crawlData(): CrawlData {
    const { crawls, activeCrawls } = this;
    return this.#part(
      "crawlData",
      () => new CrawlData({ crawls, activeCrawls, readers: this.#readers, reading: this.#reading }),
    );
  }

  get audits(): Audits {
    const { crawls, crawlData } = this;
    const [readers, reading, clock] = [this.#readers, this.#reading, this.#clock];
    const services = this.#options.fieldServices ?? null;
    return this.#part("audits", () => new Audits({ crawls, crawlData, readers, reading, clock, services }));
  }

  get linkSearch(): LinkSearch {
    const { crawls } = this;
    const [readers, reading] = [this.#readers, this.#reading];
    return this.#part("linkSearch", () => new LinkSearch({ crawls, readers, reading }));
  }

  get projects(): Projects {
    const { crawls, activeCrawls, crawlData, configs, favicons } = this;
    return this.#part("projects", () => new Projects({ crawls, activeCrawls, crawlData, configs, favicons }));
  }

  get pageText(): PageText {
    const { crawls } = this;
    return this.#part(
      "pageText",
      () => new PageText({ crawls, readers: this.#readers, clock: this.#clock, permits: this.#permits }),
    );
  }

  get schedules(): Schedules {
    return this.#part(
      "schedules",
      () =>
        new Schedules({
          store: this.#scheduleStore,
          host: this.#scheduleHost,
          scheduler: this.scheduler,
          clock: this.#clock,
          random: this.#random,
        }),
    );
  }

  /** Starts what is due, once its `start` has been called. */
  get scheduler(): Scheduler {
    return this.#part("scheduler", () => {
      const [store, clock, random] = [this.#scheduleStore, this.#clock, this.#random];
      const webhooks = new Webhooks(store, clock, random, `trawl/${this.version}`, this.#options.postWebhook);
      return new Scheduler({ store, host: this.#scheduleHost, webhooks, clock, random, onProblem: this.#onProblem });
    });
  }

  /** Archive workspaces that the owner has used. */
  get knownWorkspaces(): KnownWorkspaces {
    return this.#part("knownWorkspaces", () => new KnownWorkspaces(this.home.registry, this.#clock.now));
  }

  get archives(): Archives {
    const { knownWorkspaces: known, version } = this;
    return this.#part("archives", () => new Archives({ known, reading: this.#reading, clock: this.#clock, version }));
  }

  get fleets(): Fleets {
    return this.#part("fleets", () => new Fleets(this, this.#options.postgres ?? null));
  }

  /** Folders of AT Protocol archives that the owner has used. */
  get knownArchives(): KnownArchives {
    return this.#part("knownArchives", () => new KnownArchives(this.home.registry, this.#clock.now));
  }

  get repoArchives(): RepoArchives {
    return this.#part("repoArchives", () => new RepoArchives({ known: this.knownArchives, reading: this.#reading }));
  }

  get #reading(): Reading {
    return this.#part("reading", () => new Reading(this.#options.isServer ? SERVER_READING : COMMAND_READING));
  }

  get #readers(): Readers {
    return this.#part("readers", () => new Readers((id) => this.crawls.read(id)));
  }

  get #scheduleStore(): ScheduleStore {
    return this.#part("scheduleStore", () => new ScheduleStore(this.home.registry, this.#clock.now));
  }

  get #scheduleHost(): ScheduleHost {
    const { crawls, activeCrawls, crawlData } = this;
    return this.#part("scheduleHost", () => new ScheduleHost({ crawls, activeCrawls, crawlData }));
  }

  #part<Name extends keyof Parts>(name: Name, build: () => Parts[Name]): Parts[Name] {
    return (this.#built[name] ??= build());
  }

  /** Stops the crawls of this process, which stay resumable, and closes every socket and file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const {
      archives,
      knownWorkspaces,
      knownArchives,
      scheduler,
      activeCrawls,
      demo,
      favicons,
      crawlData,
      reading,
      readers,
      scheduleStore,
      crawls,
    } = this.#built;
    // The scheduler first, so that it starts nothing more. Its runs end with the crawls, so they are awaited
    // afterwards.
    const scheduled = scheduler?.close();
    await Promise.all([activeCrawls?.close(), archives?.close()]);
    await Promise.all([scheduled, favicons?.close(), demo?.close()]);
    crawlData?.close();
    reading?.close();
    readers?.close();
    knownWorkspaces?.close();
    knownArchives?.close();
    scheduleStore?.close();
    crawls?.close();
    this.#trace?.close();
  }

  #onExchange(): OnExchange | undefined {
    const { onExchange } = this.#options;
    const trace = this.#trace;
    if (trace === null || onExchange === undefined) return onExchange ?? trace?.onExchange;
    return (report) => {
      trace.onExchange(report);
      onExchange(report);
    };
  }
}
