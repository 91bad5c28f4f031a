/** The crawls of this process, and what is known about those of other processes. */
import { Readable } from "node:stream";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Note } from "../../kernel/ledger.ts";
import { type Caller, OWNER } from "../caller.ts";
import type { Configs } from "../config/configs.ts";
import { checkOwnerReach } from "../config/owner-settings.ts";
import { parsedSettings } from "../config/setting-checks.ts";
import type { AppEvent, AppEvents } from "../events.ts";
import { type Favicons, IconCatcher } from "../favicons.ts";
import type { LiveCrawl, StartQuestion } from "../operations/crawling.ts";
import type { CrawlInfo, CrawlProgress } from "../operations/shapes.ts";
import { normalizeUrl, projectName } from "../url-input.ts";
import type { ActiveCrawl } from "./active-crawl.ts";
import { repeatedSettings } from "./crawl-again.ts";
import { crawlInfo, liveCrawl, ownCrawlInfo, ownProgress, storedLiveCrawl, storedProgress } from "./crawl-info.ts";
import type { Crawls } from "./crawls.ts";
import type { Sample } from "./live-counts.ts";
import { type Asked, type CrawlRecord, FINISHED } from "./registry.ts";
import { checkStartAddresses } from "./start-addresses.ts";
import type { CopiedList } from "./url-list.ts";

export interface ActiveCrawlsParts {
  crawls: Crawls;
  configs: Configs;
  events: AppEvents;
  clock: Clock;
  /** Null: icons are not requested. */
  favicons: Favicons | null;
}

/**
 * Called before a crawl starts here; throws if there are too many. The function it returns is called with the crawl's
 * id, or with null if the crawl could not be started.
 */
export type AdmitCrawl = () => (crawlId: number | null) => void;

interface Started {
  crawlId: number;
  projectId: number;
}

/**
 * How long another process may take to release a crawl: requests in flight are given up, but a browser takes its time.
 */
const PATIENCE_MS = 30_000;
/** How often to check whether it has done so. */
const LOOK_MS = 100;

/** At most 20 KB each. */
const KEPT_SERIES = 20;

export class ActiveCrawls {
  readonly #parts: ActiveCrawlsParts;
  readonly #active = new Map<number, ActiveCrawl>();
  /** The speed of crawls that have ended, so that their chart does not disappear. */
  readonly #pastSamples = new Map<number, readonly Sample[]>();
  #isClosed = false;
  /** Set by a server, which limits the crawls of its clients. */
  admit: AdmitCrawl = () => () => {};

  constructor(parts: ActiveCrawlsParts) {
    this.#parts = parts;
  }

  /** `repeats`: the crawl that a schedule repeats. */
  async start(
    { url, urls, again, settings, since }: StartQuestion,
    caller = OWNER,
    repeats: number | null = null,
  ): Promise<Started> {
    if (url !== undefined && urls !== undefined) {
      throw new TrawlError("BAD_USAGE", "Give either url (where to start) or urls (a list).");
    }
    if (again !== undefined) return this.#repeat(this.#parts.crawls.get(again), { url, urls, settings, since }, caller);
    if (url === undefined && urls === undefined) {
      throw new TrawlError("BAD_USAGE", "Give url, urls or again: where to start, a list, or a crawl to repeat.");
    }
    const { crawls, configs } = this.#parts;
    if (url === undefined) {
      const list = urls!.map(normalizeUrl);
      const config = configs.resolveForList(list[0]!, settings, caller, parsedSettings);
      checkOwnerReach(config, projectName(list[0]!, config), list, caller);
      const hostNotes = await checkStartAddresses(list, config, caller);
      return this.startList(linesOf(list), { settings, since }, hostNotes);
    }
    const catcher = new IconCatcher();
    const config = configs.resolve(url, settings, caller, parsedSettings);
    await configs.requireUsable(config);
    const hostNotes = await checkStartAddresses([normalizeUrl(url)], config, caller);
    const options = { config, since, events: catcher.events, repeats, hostNotes };
    return this.#begin(() => crawls.start(url, options), catcher);
  }

  /** Throws PRIVATE_START when the caller may not start a crawl there. */
  async checkStart(url: string, caller: Caller): Promise<void> {
    const config = this.#parts.configs.resolve(url, {}, caller, parsedSettings);
    await checkStartAddresses([normalizeUrl(url)], config, caller);
  }

  /** List mode with a list of any length, one URL per line. Its first URL decides whose saved settings apply. */
  async startList(
    input: Readable,
    { settings, since }: Pick<StartQuestion, "settings" | "since">,
    hostNotes: Note[] = [],
  ): Promise<Started & { list: CopiedList }> {
    const { crawls, configs } = this.#parts;
    const catcher = new IconCatcher();
    const configFor = (firstUrl: string) => configs.resolveForList(firstUrl, settings, OWNER, parsedSettings);
    // Invalid settings are refused before a long list is read.
    await configs.requireUsable(configFor("https://list.invalid/"));
    let list: CopiedList;
    const started = await this.#begin(async () => {
      const begun = await crawls.startList(input, { configFor, since, events: catcher.events, hostNotes });
      ({ list } = begun);
      return begun.active;
    }, catcher);
    return { ...started, list: list! };
  }

  async #repeat(
    record: CrawlRecord,
    { url, urls, settings, since }: Omit<StartQuestion, "again">,
    caller: Caller,
  ): Promise<Started> {
    const { crawls, configs } = this.#parts;
    const configFor = (start: string) => repeatedSettings(record, start, settings, caller);
    const given = (urls ?? (url === undefined ? [] : [url])).map(normalizeUrl);
    const starts = given.length > 0 ? given : record.startUrls;
    const config = configFor(starts[0]!);
    await configs.requireUsable(config);
    checkOwnerReach(config, record.domain, given, caller);
    const hostNotes = await checkStartAddresses(starts, config, caller);
    const catcher = new IconCatcher();
    const events = catcher.events;
    if (urls !== undefined || (url === undefined && record.mode === "list")) {
      const lines = urls === undefined ? crawls.listFile(record.id) : linesOf(given);
      const options = { configFor, since, events, repeats: record.id, hostNotes };
      return this.#begin(async () => (await crawls.startList(lines, options)).active, catcher);
    }
    const options = { config, since, events, repeats: record.id, hostNotes };
    return this.#begin(() => crawls.start(starts[0]!, options), catcher);
  }

  /** A crawl of this process: its progress, how to stop it, and its end. */
  running(id: number): ActiveCrawl {
    const active = this.#active.get(id);
    if (active === undefined) throw new TrawlError("CRAWL_NOT_FOUND", `Crawl ${id} is not running in this process.`);
    return active;
  }

  /**
   * Lets requests in flight finish and sends no new ones. If another process works on the crawl, it is asked to release
   * it.
   */
  async pause(id: number): Promise<{ done: true }> {
    const active = this.#active.get(id);
    if (active !== undefined) await active.pause();
    else await this.#askOther(id, "pause");
    return { done: true };
  }

  /** Continues a crawl that is paused here, or takes over one that was stopped, interrupted, or paused by another process. */
  async resume(id: number): Promise<{ done: true }> {
    const active = this.#active.get(id);
    if (active !== undefined) active.resume();
    else {
      this.#checkResumable(id);
      await this.#takeOver(id);
      const catcher = new IconCatcher();
      await this.#begin(() => this.#parts.crawls.resume(id, { events: catcher.events }), catcher);
    }
    return { done: true };
  }

  /** When it resolves, no request is in flight and none follows. */
  async stop(id: number): Promise<{ done: true; openSockets: number }> {
    const active = this.#active.get(id);
    if (active === undefined) {
      await this.#askOther(id, "stop");
      this.#parts.crawls.stop(id);
      return { done: true, openSockets: 0 };
    }
    await Promise.all([active.stop(), this.#parts.favicons?.stop(id)]);
    return { done: true, openSockets: active.site.openSockets() };
  }

  async stopProject(projectId: number): Promise<{ stopped: number[] }> {
    const { crawls } = this.#parts;
    crawls.registry.projectWithId(projectId);
    const active = crawls.activeOf(projectId);
    if (active === null) return { stopped: [] };
    await this.stop(active.id);
    return { stopped: [active.id] };
  }

  /** A process that has paused the crawl releases it; a process that is crawling continues. */
  async #takeOver(id: number): Promise<void> {
    const { crawls } = this.#parts;
    const isPaused = crawls.get(id).state === "paused";
    if (crawls.isHeld(id) && (crawls.isOwn(id) || !isPaused)) throw new TrawlError("CRAWL_BUSY");
    if (isPaused) await this.#askOther(id, "pause");
  }

  /** Resolves when no other process works on the crawl. A process that does is asked to stop or pause it. */
  async #askOther(id: number, asked: Asked): Promise<void> {
    const { crawls, clock } = this.#parts;
    crawls.get(id);
    if (crawls.isHeld(id)) crawls.ask(id, asked);
    for (let waitedMs = 0; crawls.isHeld(id); waitedMs += LOOK_MS) {
      if (waitedMs >= PATIENCE_MS) {
        throw new TrawlError(
          "CRAWL_BUSY",
          `The process that runs crawl ${id} was asked to ${asked} it, but has not yet.`,
        );
      }
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    }
  }

  /** Crawls of this process (paused or not, including those about to start), and those running in other processes. */
  list(): CrawlProgress[] {
    const more = this.#parts.crawls.listRunning().filter(({ id }) => !this.#active.has(id));
    return [...[...this.#active.values()].map(ownProgress), ...more.map(storedProgress)];
  }

  live(id: number): LiveCrawl {
    const active = this.#active.get(id);
    if (active !== undefined) return liveCrawl(active);
    return storedLiveCrawl(this.#parts.crawls.get(id), this.#pastSamples.get(id) ?? [], () =>
      this.#parts.crawls.read(id),
    );
  }

  /** Crawls running in other processes. */
  others(): CrawlRecord[] {
    const { crawls } = this.#parts;
    return crawls.listRunning().filter(({ id }) => !crawls.isOwn(id));
  }

  /** As in the registry. For a crawl of this process, it also has what only this process knows. */
  info(record: CrawlRecord): CrawlInfo {
    const active = this.#active.get(record.id);
    return active === undefined ? crawlInfo(record) : ownCrawlInfo(record, active);
  }

  /** The end of a crawl of this process; null when it is not running here. */
  ended(id: number): ActiveCrawl["ended"] | null {
    return this.#active.get(id)?.ended ?? null;
  }

  /** Leaves all of them for later: what has been written is durable, and each waits to be resumed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { favicons } = this.#parts;
    await Promise.all([...this.#active.values()].flatMap((active) => [active.leave(), favicons?.stop(active.id)]));
  }

  /** Whether a crawl of this process is under way, paused or not. */
  has(id: number): boolean {
    return this.#active.has(id);
  }

  async #begin(start: () => Promise<ActiveCrawl>, catcher: IconCatcher): Promise<Started> {
    const admitted = this.admit();
    let crawlId: number | null = null;
    try {
      const started = this.#follow(await start(), catcher);
      ({ crawlId } = started);
      return started;
    } finally {
      admitted(crawlId);
    }
  }

  #follow(active: ActiveCrawl, catcher: IconCatcher): Started {
    const { events, favicons } = this.#parts;
    const { id: crawlId, record } = active;
    const tell = (type: AppEvent["type"]) => events.emit({ type, crawlId, projectId: record.projectId });
    this.#active.set(crawlId, active);
    active.onMeasured = () => {
      favicons?.look(active, catcher, false);
      tell("crawl:progress");
    };
    tell("crawl:started");
    // The crawl was starting while the app closed.
    if (this.#isClosed) void active.leave();
    void active.ended.then(({ record: { state } }) => {
      this.#active.delete(crawlId);
      this.#keepSamples(active);
      // No request is sent to a site after its crawl was stopped.
      if (FINISHED.includes(state)) favicons?.look(active, catcher, true);
      tell(state === "paused" || state === "stopped" ? "crawl:stopped" : "crawl:completed");
    });
    return { crawlId, projectId: record.projectId };
  }

  #keepSamples({ id, samples }: ActiveCrawl): void {
    this.#pastSamples.delete(id);
    this.#pastSamples.set(id, samples);
    const [oldest] = this.#pastSamples.keys();
    if (this.#pastSamples.size > KEPT_SERIES) this.#pastSamples.delete(oldest!);
  }

  #checkResumable(id: number): void {
    const { state } = this.#parts.crawls.get(id);
    if (!FINISHED.includes(state)) return;
    const isLimited = state === "limit_reached";
    const why = isLimited ? "reached its limit" : "is complete";
    const hint = isLimited ? "Raise the limit and crawl again." : "Start a new crawl to look again.";
    throw new TrawlError("WRONG_STATE", `Crawl ${id} ${why}: there is nothing to resume.`, { hint });
  }
}

const linesOf = (urls: string[]): Readable => Readable.from(urls.map((url) => `${url}\n`));
