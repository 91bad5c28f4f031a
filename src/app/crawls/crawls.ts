/** Starting, resuming, finding and deleting crawls: what every transport calls. */
import { createReadStream, existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { TrawlError } from "../../errors.ts";
import { systemClock } from "../../kernel/clock.ts";
import { PRIVATE_FOLDER } from "../../kernel/sqlite/private-files.ts";
import { type AuditSettings, auditSettings } from "../../site/audit/audit-settings.ts";
import { readHostNotes } from "../../site/client/start-hosts.ts";
import { decideEnd, type Ending, type EngineEnd, endState, endText } from "../../site/crawl-end.ts";
import { parseConfig, type SiteConfig } from "../../site/site-config.ts";
import { NO_FACTS, type ReadEnd, readEnd } from "../../site/store/end-facts.ts";
import { hasRecords, SiteReader } from "../../site/store/reader.ts";
import { usualDisk } from "../../storage/disk-space.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { type Home, openHome } from "../home.ts";
import { canonicalUrl, projectName } from "../url-input.ts";
import { ActiveCrawl } from "./active-crawl.ts";
import { comparedWith } from "./audit-files.ts";
import { isLocked, lockCrawl, projectBusy } from "./crawl-lock.ts";
import { LiveCounts } from "./live-counts.ts";
import { type Asked, type CrawlRecord, type CrawlUpdate, FINISHED, Registry } from "./registry.ts";
import type { AdoptedCrawl, CrawlsOptions, StartListOptions, StartOptions } from "./start-options.ts";
import { type CopiedList, canonicalBatches, copyList, listSettings, readList, requireList } from "./url-list.ts";

/** Placeholder for the start of a list until the list has been read. */
const NO_START = "https://list.invalid/";

/** For a project that is locked although no crawl of it is known to run, which passes within milliseconds. */
const LOCK_TRIES = 50;
const LOCK_WAIT_MS = 20;

export class Crawls {
  readonly home: Home;
  readonly registry: Registry;
  readonly #options: CrawlsOptions;
  /** Crawls that this process holds, from before they start until they have ended. */
  readonly #held = new Set<number>();

  constructor(home: Home = openHome(), options: CrawlsOptions = {}) {
    this.home = home;
    this.#options = options;
    this.registry = new Registry(home.registry, options.clock?.now);
  }

  /** Throws PROJECT_BUSY, with the crawl's id, when another crawl of the same project is in progress. */
  async start(url: string, options: StartOptions): Promise<ActiveCrawl> {
    const start = canonicalUrl(url, options.config);
    const domain = projectName(start, options.config);
    const baselineId = this.#baseline([domain], options.since ?? null);
    const project = await this.#lockProject(this.registry.project(start, domain));
    return this.#runLocked(project, () => {
      const id = this.#add({ mode: "site", startUrls: [start], settings: options.config, domain, baselineId });
      return this.#runNew(id, options, [project, this.#hold(id)]);
    });
  }

  /** List mode: fetches the URLs of a list, and follows no links. */
  async startList(input: Readable, options: StartListOptions): Promise<{ active: ActiveCrawl; list: CopiedList }> {
    const settings = options.configFor(NO_START);
    const domain = projectName(NO_START, settings);
    const id = this.#add({ mode: "list", startUrls: [NO_START], settings, domain, baselineId: null });
    // Held while the list is read, which may take long, so that no other process resumes or deletes the crawl.
    const lock = this.#hold(id);
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
    return { active: await this.#runNew(id, options, [project, lock]), list };
  }

  resume(id: number, options: Omit<StartOptions, "config" | "since"> = {}): Promise<ActiveCrawl> {
    this.registry.crawl(id);
    if (this.isHeld(id)) throw new TrawlError("CRAWL_BUSY");
    return this.#resume(id, options);
  }

  async #resume(id: number, options: Omit<StartOptions, "config" | "since">): Promise<ActiveCrawl> {
    const project = await this.#lockProject(this.get(id).projectId);
    return this.#runLocked(project, () => {
      const lock = this.#hold(id);
      this.registry.forgetAsked(id);
      return this.#run(id, options, [project, lock]);
    });
  }

  /**
   * A crawl with its true state: if it is marked "running" but no process works on it, it was interrupted and can be
   * resumed.
   */
  get(id: number): CrawlRecord {
    return this.#trueState(this.registry.crawl(id));
  }

  /** Ends a crawl that waits to be resumed and that no process works on. A crawl that has ended stays as it is. */
  stop(id: number): void {
    const record = this.get(id);
    if (record.state !== "paused") return;
    const { ending, pages } = this.#decide(record, { how: "stopped", parked: [], error: null });
    this.#end(record, ending, pages);
  }

  /** The URLs of a crawl in list mode, as they were given. */
  listFile(id: number): Readable {
    requireList(this.home.crawlList(id), id);
    return createReadStream(this.home.crawlList(id));
  }

  /** Asks the process that works on a crawl to do something; that process checks once per second. */
  ask(id: number, asked: Asked): void {
    this.registry.ask(id, asked);
  }

  /** The crawl of a project that a process works on, even if it is paused. There is at most one. */
  activeOf(projectId: number): CrawlRecord | null {
    const isActive = ({ id, state }: CrawlRecord) => (state === "running" || state === "paused") && this.isHeld(id);
    return this.registry.crawlsOf(projectId).find(isActive) ?? null;
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

  /** Whether this process works on the crawl or is about to: opening a browser or reading a list takes time. */
  isOwn(id: number): boolean {
    return this.#held.has(id);
  }

  /** Whether a process is working on the crawl, even if it is paused. */
  isHeld(id: number): boolean {
    if (this.isOwn(id)) return true;
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
    // Files first: on a full disk, removing them makes the room that the registry needs.
    try {
      rmSync(this.home.crawlFolder(id), { recursive: true, force: true });
    } catch (error) {
      throw new TrawlError("STORE_FAILED", `Crawl ${id} cannot be deleted: ${(error as Error).message}`);
    }
    this.registry.removeCrawl(id);
  }

  close(): void {
    this.registry.close();
  }

  #trueState(record: CrawlRecord): CrawlRecord {
    if (record.state === "running") return this.isHeld(record.id) ? record : { ...record, state: "paused" };
    return record.pages === null ? this.#upgraded(record) : record;
  }

  /** A crawl recorded by an older version: its results are counted and its final state is decided, once. */
  #upgraded(record: CrawlRecord): CrawlRecord {
    const { id, state, message } = record;
    if (!existsSync(this.home.crawlDatabase(id)) || this.isHeld(id)) return record;
    try {
      const { ending, pages } = this.#decide(record, { how: "drained", parked: [], error: null });
      // Only its message says what broke an older crawl, and a waiting crawl continues to wait.
      const isKept = state === "paused" || (state === "failed" && endState(ending) !== "failed");
      if (isKept) this.registry.updateCrawl(id, { ...record, pages, message, progress: null });
      else this.#end(record, ending, pages);
      return this.registry.crawl(id);
    } catch {
      // The database is damaged or too new, so only the registry can be asked.
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

  /**
   * One crawl of a project at a time: two would compare with each other, and send twice as many requests to the same
   * hosts.
   */
  async #lockProject(projectId: number): Promise<FileLock> {
    const path = this.home.projectLock(projectId);
    ensureFolder(dirname(path), PRIVATE_FOLDER);
    const { clock = systemClock } = this.#options;
    for (let tries = 0; ; tries++) {
      const lock = lockFile(path, 0);
      if (lock !== null) return lock;
      const active = this.activeOf(projectId);
      if (active !== null) throw projectBusy(active);
      if (tries === LOCK_TRIES) throw new TrawlError("PROJECT_BUSY");
      // The project's crawl has just begun or ended, and the registry does not know yet.
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

  #add(
    { domain, ...crawl }: Pick<CrawlRecord, "mode" | "startUrls" | "settings" | "domain" | "baselineId">,
    startedAt?: number,
  ): number {
    for (;;) {
      const projectId = this.registry.project(crawl.startUrls[0]!, domain);
      const id = this.registry.addCrawl({ ...crawl, projectId }, startedAt);
      const folder = this.home.crawlFolder(id);
      const isTaken = existsSync(folder);
      ensureFolder(folder, PRIVATE_FOLDER);
      if (!isTaken) return id;
      // Left behind by a lost registry: continuing in it would mix two crawls.
      this.registry.removeCrawl(id);
    }
  }

  /** The list has been read, so its hosts, its project and the settings saved for it are known. */
  async #setList(id: number, hosts: string[], { configFor, since }: StartListOptions): Promise<FileLock> {
    const first = hosts[0]!;
    const config = configFor(first);
    const domain = projectName(first, config);
    const domains = [domain, ...hosts.slice(1).map((host) => projectName(host, configFor(host)))];
    const baselineId = this.#baseline(domains, since ?? null);
    const projectId = this.registry.project(first, domain);
    const project = await this.#lockProject(projectId);
    this.registry.setStart(id, { startUrls: hosts, projectId, baselineId, settings: listSettings(config) });
    return project;
  }

  /** A list may have several sites; the newest crawl is that of the first. */
  #baseline(domains: readonly string[], since: number | "last" | null): number | null {
    if (since === null) return null;
    const [domain] = domains as [string];
    const record = since === "last" ? this.registry.lastCompleted(domain) : this.get(since);
    if (record === null) throw new TrawlError("CRAWL_NOT_FOUND", `There is no completed crawl of ${domain} yet.`);
    if (!domains.includes(record.domain)) {
      throw new TrawlError("BAD_USAGE", `Crawl ${record.id} is of ${record.domain}, not of ${domain}.`, {
        hint: "`--since last` means the newest completed crawl of the same site; `trawl crawls` lists all of them.",
      });
    }
    return record.id;
  }

  /** A refused start, for example because of a missing browser or an unreadable certificate, leaves nothing behind. */
  async #runNew(id: number, options: Omit<StartOptions, "config">, locks: readonly FileLock[]): Promise<ActiveCrawl> {
    try {
      return await this.#run(id, options, locks);
    } catch (error) {
      if (!hasRecords(this.home.crawlDatabase(id))) this.remove(id);
      throw error;
    }
  }

  async #run(id: number, options: Omit<StartOptions, "config">, locks: readonly FileLock[]): Promise<ActiveCrawl> {
    const unlock = () => {
      for (const lock of locks) lock.release();
    };
    const record = this.registry.crawl(id);
    const { clock = systemClock, permits, onExchange, lookup } = this.#options;
    try {
      // Loaded here, because most commands only read crawls, and the engine is most of the program.
      const [{ SiteCrawl }, { seedSources }, { sqliteSiteStore }] = await Promise.all([
        import("../../site/site-crawl.ts"),
        import("../../site/site-seeds.ts"),
        import("../../site/store/site-store.ts"),
      ]);
      if (record.mode === "list") requireList(this.home.crawlList(id), id);
      const config = parseConfig(record.settings);
      const database = this.home.crawlDatabase(id);
      const counts = new LiveCounts(database);
      const repeated = options.repeats ? readHostNotes(this.home.crawlDatabase(options.repeats)) : [];
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
        hostNotes: [...repeated, ...(options.hostNotes ?? [])],
        onUrl: options.onUrl,
        events: counts.watch(options.events),
        isFull: options.isFull,
        disk: this.#options.disk?.(this.home.root) ?? usualDisk(this.home.root),
        clock,
        permits,
        onExchange,
        lookup,
      });
      const release = () => {
        unlock();
        return this.registry.crawl(id);
      };
      const save = (update: CrawlUpdate) => this.registry.updateCrawl(id, update);
      const decide = (end: EngineEnd) => this.#decide(record, end);
      const monotonic = () => performance.now();
      const asked = () => this.registry.asked(id);
      const audit = async () => {
        if (config.audit) await this.#auditEnded(id, auditSettings(config));
      };
      return new ActiveCrawl({ record, site, counts, clock, monotonic, save, asked, decide, audit, release });
    } catch (error) {
      unlock();
      // A complete crawl stays complete, even if it cannot be opened now.
      if (!FINISHED.includes(record.state)) {
        this.#end(record, decideEnd({ how: "failed", parked: [], error }, NO_FACTS), record.pages);
      }
      throw error;
    }
  }

  /** A crawl is complete even if its audit fails, for example because the disk is full: the audit can be repeated. */
  async #auditEnded(id: number, settings: AuditSettings): Promise<void> {
    const { audit, onProblem, clock = systemClock } = this.#options;
    try {
      await audit?.(this.home.crawlDatabase(id), { settings, now: clock.now(), previous: comparedWith(this, id) });
    } catch (error) {
      onProblem?.(`crawl ${id} could not be audited: ${(error as Error).message}; \`trawl audit ${id}\` tries again`);
    }
  }

  /** Keeps other processes away from an idle crawl while `use` changes its database. */
  async whileHeld(id: number, use: (database: string, settings: SiteConfig) => Promise<void>): Promise<void> {
    const { settings } = this.get(id);
    this.read(id).close();
    if (this.isHeld(id)) throw new TrawlError("CRAWL_BUSY");
    const lock = this.#hold(id);
    try {
      await use(this.home.crawlDatabase(id), parseConfig(settings));
    } finally {
      lock.release();
    }
  }

  /** A crawl that was made elsewhere: `fill` writes its database. If that fails, nothing is left behind. */
  async adopt(
    { mode, startUrls, config, isComplete, startedAt, durationMs = 0 }: AdoptedCrawl,
    fill: (database: string) => Promise<Pick<CrawlUpdate, "crawled" | "discovered">>,
  ): Promise<number> {
    const domain = projectName(startUrls[0]!, config);
    const id = this.#add({ mode, startUrls, settings: config, domain, baselineId: null }, startedAt);
    const lock = this.#hold(id);
    try {
      const counts = await fill(this.home.crawlDatabase(id));
      if (isComplete && config.audit) await this.#auditEnded(id, auditSettings(config));
      const record = { ...this.registry.crawl(id), ...counts, durationMs };
      const end: EngineEnd = { how: isComplete ? "drained" : "stopped", parked: [], error: null };
      const { ending, pages } = this.#decide(record, end);
      this.#end(record, ending, pages);
    } catch (error) {
      lock.release();
      this.remove(id);
      throw error;
    }
    lock.release();
    return id;
  }

  /** Locks the crawl for this process. Its folder is created again if it was deleted. */
  #hold(id: number): FileLock {
    const folder = this.home.crawlFolder(id);
    ensureFolder(folder, PRIVATE_FOLDER);
    const lock = lockCrawl(folder);
    this.#held.add(id);
    const release = () => {
      this.#held.delete(id);
      lock.release();
    };
    return { release };
  }

  #baselineDatabase({ baselineId }: CrawlRecord): string | null {
    if (baselineId === null) return null;
    const path = this.home.crawlDatabase(baselineId);
    return existsSync(path) ? path : null;
  }
}

async function* oneBatch(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}
