/** Starting, resuming, finding and deleting crawls: what every transport calls. */
import { createReadStream, existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { TrawlError } from "../../errors.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { OnExchange } from "../../net/client.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { decideEnd, type Ending, type EngineEnd, endState, endText } from "../../site/crawl-end.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { parseConfig } from "../../site/site-config.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import type { SiteEvents } from "../../site/site-product.ts";
import { NO_FACTS, type ReadEnd, readEnd } from "../../site/store/end-facts.ts";
import { SiteReader } from "../../site/store/reader.ts";
import { siteCanonicalizer } from "../../site/url-rules.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { prepareBase } from "../../web/url.ts";
import { type Home, openHome } from "../home.ts";
import { canonicalUrl, projectName } from "../url-input.ts";
import { ActiveCrawl } from "./active-crawl.ts";
import { isLocked, lockCrawl } from "./crawl-lock.ts";
import { LiveCounts } from "./live-counts.ts";
import { type CrawlRecord, type CrawlUpdate, FINISHED, Registry } from "./registry.ts";
import { type CopiedList, copyList, readList } from "./url-list.ts";

export interface StartOptions {
  config: SiteConfig;
  /** The id of an earlier crawl, or `last`: pages that have not changed are not downloaded again. */
  since?: number | "last" | null;
  onUrl?: (url: string) => UrlAction | undefined;
  events?: SiteEvents;
  isFull?: () => boolean;
}

export interface StartListOptions extends Omit<StartOptions, "config"> {
  /** The settings of the crawl, by the first URL of the list. */
  configFor: (firstUrl: string) => SiteConfig;
}

/** Placeholder for the start of a list until the list has been read. */
const NO_START = "https://list.invalid/";

/** For a project that is locked although no crawl of it is known to run: that passes within milliseconds. */
const LOCK_TRIES = 50;
const LOCK_WAIT_MS = 20;

export interface CrawlsOptions {
  clock?: Clock;
  /** A cap on requests in flight, shared by all crawls of this process. */
  permits?: FetchPermits;
  /** Called for every request of a crawl of this process. */
  onExchange?: OnExchange;
}

export class Crawls {
  readonly home: Home;
  readonly registry: Registry;
  readonly #options: CrawlsOptions;

  constructor(home: Home = openHome(), options: CrawlsOptions = {}) {
    this.home = home;
    this.#options = options;
    this.registry = new Registry(home.registry, options.clock?.now);
  }

  /** Throws PROJECT_BUSY, with the crawl's id, when one of the same project is being worked on. */
  async start(url: string, options: StartOptions): Promise<ActiveCrawl> {
    const start = canonicalUrl(url, options.config);
    const domain = projectName(start, options.config);
    const baselineId = this.#baseline(domain, options.since ?? null);
    const project = await this.#lockProject(this.registry.project(start, domain));
    return this.#runLocked(project, () => {
      const id = this.#add({ mode: "site", startUrls: [start], settings: options.config, domain, baselineId });
      return this.#run(id, options, [project, lockCrawl(this.#folderOf(id))]);
    });
  }

  /** List mode: fetches the URLs of a list, and follows no links. */
  async startList(input: Readable, options: StartListOptions): Promise<{ active: ActiveCrawl; list: CopiedList }> {
    const settings = options.configFor(NO_START);
    const domain = projectName(NO_START, settings);
    const id = this.#add({ mode: "list", startUrls: [NO_START], settings, domain, baselineId: null });
    // Held while the list is read, which may take long: no other process may resume or delete the crawl.
    const lock = lockCrawl(this.home.crawlFolder(id));
    let list: CopiedList;
    let project: FileLock;
    try {
      list = await copyList(input, this.home.crawlList(id));
      if (list.urls === 0)
        throw new TrawlError("BAD_USAGE", "The list contains no URLs.", { hint: "Write one URL per line." });
      project = await this.#setList(id, list.hosts, options);
    } catch (error) {
      lock.release();
      this.remove(id);
      throw error;
    }
    return { active: await this.#run(id, options, [project, lock]), list };
  }

  resume(id: number, options: Omit<StartOptions, "config" | "since"> = {}): Promise<ActiveCrawl> {
    this.registry.crawl(id);
    if (this.isHeld(id)) throw new TrawlError("CRAWL_BUSY");
    return this.#resume(id, options);
  }

  async #resume(id: number, options: Omit<StartOptions, "config" | "since">): Promise<ActiveCrawl> {
    const project = await this.#lockProject(this.get(id).projectId);
    return this.#runLocked(project, () => {
      const lock = lockCrawl(this.#folderOf(id));
      this.registry.forgetStop(id);
      return this.#run(id, options, [project, lock]);
    });
  }

  /** A crawl with its true state: if it is "running" but no process has it, it was interrupted and can be resumed. */
  get(id: number): CrawlRecord {
    return this.#trueState(this.registry.crawl(id));
  }

  /** Ends a crawl that no process works on and that waits to be resumed. One that has ended stays as it is. */
  stop(id: number): void {
    const record = this.get(id);
    if (record.state !== "paused") return;
    const { ending, pages } = this.#decide(record, { how: "stopped", parked: [], error: null });
    this.#end(record, ending, pages);
  }

  /** The URLs of a crawl in list mode, as they were given. */
  listFile(id: number): Readable {
    this.#checkList(id);
    return createReadStream(this.home.crawlList(id));
  }

  /** Asks the process that works on a crawl to stop it; it looks once per second. */
  askToStop(id: number): void {
    this.registry.askToStop(id);
  }

  /** The crawl of a project that some process works on, though it may have paused it. There is one at most. */
  activeOf(projectId: number): CrawlRecord | null {
    const isActive = ({ id, state }: CrawlRecord) => (state === "running" || state === "paused") && this.isHeld(id);
    return this.registry.crawlsOf(projectId).find(isActive) ?? null;
  }

  /** The id of the newest crawl; null if there isn't one. */
  newestId(): number | null {
    return this.registry.newestId();
  }

  list(): CrawlRecord[] {
    return this.registry.crawls().map((record) => this.#trueState(record));
  }

  /** Those of a project, newest first. */
  listOf(projectId: number): CrawlRecord[] {
    return this.registry.crawlsOf(projectId).map((record) => this.#trueState(record));
  }

  /** Crawls that a process is working on. */
  listRunning(): CrawlRecord[] {
    return this.registry.running().filter((record) => this.isHeld(record.id));
  }

  /** Whether a process is working on the crawl, even if it is paused. */
  isHeld(id: number): boolean {
    const folder = this.home.crawlFolder(id);
    return existsSync(folder) && isLocked(folder);
  }

  read(id: number): SiteReader {
    this.get(id);
    const reader = new SiteReader(this.home.crawlDatabase(id));
    if (!reader.isEmpty) return reader;
    reader.close();
    throw new TrawlError("STORE_FAILED", `Crawl ${id} has stored nothing yet.`, {
      hint: `If no process is working on it, \`trawl resume ${id}\` starts it over.`,
    });
  }

  /** The canonical form of a URL in this crawl. A path alone belongs to the start URL's host. */
  canonical(id: number, typed: string): string {
    const { settings, startUrls } = this.registry.crawl(id);
    return canonicalUrl(typed, parseConfig(settings), startUrls[0]);
  }

  remove(id: number): void {
    this.registry.crawl(id);
    if (this.isHeld(id)) throw new TrawlError("CRAWL_BUSY");
    rmSync(this.home.crawlFolder(id), { recursive: true, force: true });
    this.registry.removeCrawl(id);
  }

  close(): void {
    this.registry.close();
  }

  #trueState(record: CrawlRecord): CrawlRecord {
    if (record.state === "running") return this.isHeld(record.id) ? record : { ...record, state: "paused" };
    return record.pages === null ? this.#upgraded(record) : record;
  }

  /** A crawl that an older version wrote down: what it got is counted, and how it ended is decided, once. */
  #upgraded(record: CrawlRecord): CrawlRecord {
    const { id, state, message } = record;
    if (!existsSync(this.home.crawlDatabase(id)) || this.isHeld(id)) return record;
    try {
      const { ending, pages } = this.#decide(record, { how: "drained", parked: [], error: null });
      // What broke an older crawl is in its message only, and what waits goes on waiting.
      const isKept = state === "paused" || (state === "failed" && endState(ending) !== "failed");
      if (isKept) this.registry.updateCrawl(id, { ...record, pages, message, progress: null });
      else this.#end(record, ending, pages);
      return this.registry.crawl(id);
    } catch {
      // A database that is damaged or too new: the registry's word is all there is.
      return record;
    }
  }

  #decide({ id, mode, settings, startUrls }: CrawlRecord, end: EngineEnd): ReadEnd {
    return readEnd(this.home.crawlDatabase(id), end, { mode, config: parseConfig(settings), startUrls });
  }

  #end(record: CrawlRecord, ending: Ending, pages: number | null): void {
    const update = { ...record, state: endState(ending), message: endText(ending), ending, pages, progress: null };
    this.registry.updateCrawl(record.id, update);
  }

  /** One crawl of a project at a time: two would compare with each other, and ask the same hosts twice as fast. */
  async #lockProject(projectId: number): Promise<FileLock> {
    const path = this.home.projectLock(projectId);
    ensureFolder(dirname(path));
    const { clock = systemClock } = this.#options;
    for (let tries = 0; ; tries++) {
      const lock = lockFile(path, 0);
      if (lock !== null) return lock;
      const active = this.activeOf(projectId);
      if (active !== null) throw projectBusy(active);
      if (tries === LOCK_TRIES) throw new TrawlError("PROJECT_BUSY");
      // Its crawl was begun or ended this very moment, and the registry does not know yet.
      await new Promise<void>((resolve) => void clock.after(LOCK_WAIT_MS, resolve));
    }
  }

  /** The project is free again if the crawl cannot be run. */
  async #runLocked(project: FileLock, run: () => Promise<ActiveCrawl>): Promise<ActiveCrawl> {
    try {
      return await run();
    } catch (error) {
      project.release();
      throw error;
    }
  }

  #add({ domain, ...crawl }: Pick<CrawlRecord, "mode" | "startUrls" | "settings" | "domain" | "baselineId">): number {
    for (;;) {
      const projectId = this.registry.project(crawl.startUrls[0]!, domain);
      const id = this.registry.addCrawl({ ...crawl, projectId });
      const folder = this.home.crawlFolder(id);
      const isTaken = existsSync(folder);
      ensureFolder(folder);
      if (!isTaken) return id;
      // Left by a lost registry: continuing in it would mix two crawls.
      this.registry.removeCrawl(id);
    }
  }

  /** Once a list has been read, its hosts, its project and the settings saved for it are known. */
  async #setList(id: number, hosts: string[], { configFor, since }: StartListOptions): Promise<FileLock> {
    const first = hosts[0]!;
    const config = configFor(first);
    const domain = projectName(first, config);
    const baselineId = this.#baseline(domain, since ?? null);
    const projectId = this.registry.project(first, domain);
    const project = await this.#lockProject(projectId);
    const discovery = config.discovery.filter((way) => way === "network");
    const settings = { ...config, discovery, checkResources: false };
    this.registry.setStart(id, { startUrls: hosts, projectId, baselineId, settings });
    return project;
  }

  #baseline(domain: string, since: number | "last" | null): number | null {
    if (since === null) return null;
    const record = since === "last" ? this.registry.lastCompleted(domain) : this.get(since);
    if (record === null) throw new TrawlError("CRAWL_NOT_FOUND", `There is no completed crawl of ${domain} yet.`);
    return record.id;
  }

  async #run(id: number, options: Omit<StartOptions, "config">, locks: readonly FileLock[]): Promise<ActiveCrawl> {
    const unlock = () => {
      for (const lock of locks) lock.release();
    };
    const record = this.registry.crawl(id);
    const { clock = systemClock, permits, onExchange } = this.#options;
    try {
      // Loaded here: most commands only read crawls, and the engine is most of the program.
      const [{ SiteCrawl }, { seedSources }, { sqliteSiteStore }] = await Promise.all([
        import("../../site/site-crawl.ts"),
        import("../../site/site-seeds.ts"),
        import("../../site/store/site-store.ts"),
      ]);
      if (record.mode === "list") this.#checkList(id);
      const config = parseConfig(record.settings);
      const database = this.home.crawlDatabase(id);
      const counts = new LiveCounts(database);
      const site = await SiteCrawl.start({
        store: () => sqliteSiteStore(database),
        config,
        startUrls: record.startUrls,
        sources: seedSources(
          record.mode === "list"
            ? { via: "list", batches: canonicalBatches(readList(this.home.crawlList(id)), config) }
            : { via: "initial", batches: oneBatch(record.startUrls) },
        ),
        baseline: this.#baselineDatabase(record),
        onUrl: options.onUrl,
        events: counts.watch(options.events),
        isFull: options.isFull,
        clock,
        permits,
        onExchange,
      });
      const release = () => {
        unlock();
        return this.registry.crawl(id);
      };
      const save = (update: CrawlUpdate) => this.registry.updateCrawl(id, update);
      const decide = (end: EngineEnd) => this.#decide(record, end);
      const monotonic = () => performance.now();
      const isAskedToStop = () => this.registry.isAskedToStop(id);
      return new ActiveCrawl({ record, site, counts, clock, monotonic, save, isAskedToStop, decide, release });
    } catch (error) {
      unlock();
      // A complete crawl stays complete, even if it cannot be opened now.
      if (!FINISHED.includes(record.state)) {
        this.#end(record, decideEnd({ how: "failed", parked: [], error }, NO_FACTS), record.pages);
      }
      throw error;
    }
  }

  /** The crawl's folder; created again if it was deleted. */
  #folderOf(id: number): string {
    const folder = this.home.crawlFolder(id);
    ensureFolder(folder);
    return folder;
  }

  /** Half a list would be crawled as if it were complete. */
  #checkList(id: number): void {
    if (existsSync(this.home.crawlList(id))) return;
    throw new TrawlError("FILE_NOT_READABLE", `The list of crawl ${id} was never read to its end, or is missing.`, {
      hint: `Start it again with \`trawl list\`; \`trawl crawls rm ${id}\` deletes this one.`,
    });
  }

  #baselineDatabase({ baselineId }: CrawlRecord): string | null {
    if (baselineId === null) return null;
    const path = this.home.crawlDatabase(baselineId);
    return existsSync(path) ? path : null;
  }
}

function projectBusy({ id, domain, state }: CrawlRecord): TrawlError {
  const detail = `Crawl ${id} of ${domain} is ${state === "paused" ? "paused, and not over" : "running already"}.`;
  return new TrawlError("PROJECT_BUSY", detail, { crawlId: id });
}

async function* oneBatch(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}

/** A list with its URLs in canonical form, in which two spellings of one page are the same. */
async function* canonicalBatches(batches: AsyncIterable<string[]>, config: SiteConfig): AsyncGenerator<string[]> {
  const canonicalize = siteCanonicalizer(config);
  for await (const urls of batches) {
    yield urls.map((url) => canonicalize(url, prepareBase(url))).filter((url) => typeof url === "string");
  }
}
