/** Starting, resuming, finding and deleting crawls: what every transport calls. */
import { createReadStream, existsSync, mkdirSync, rmSync } from "node:fs";
import type { Readable } from "node:stream";
import { getDomain } from "tldts";
import { TrawlError } from "../errors.ts";
import type { CrawlEnd } from "../kernel/crawl.ts";
import type { SiteConfig } from "../site/config.ts";
import type { UrlAction } from "../site/gate.ts";
import { parseConfig } from "../site/parse-config.ts";
import type { SiteEvents } from "../site/product.ts";
import { SiteCrawl, type SiteProgress } from "../site/site-crawl.ts";
import { SiteReader } from "../site/store/reader.ts";
import { siteCanonicalizer } from "../site/url-rules.ts";
import { hostOf, prepareBase } from "../web/url.ts";
import { type CrawlLock, isLocked, lockCrawl } from "./crawl-lock.ts";
import { type Home, openHome } from "./home.ts";
import { normalizeUrl } from "./normalize-url.ts";
import { type CrawlRecord, type CrawlRecordState, Registry } from "./registry.ts";
import { type CopiedList, copyList, readList } from "./url-list.ts";

export interface StartOptions {
  config: SiteConfig;
  /** The id of an earlier crawl, or `last`: pages that did not change since are not sent again. */
  since?: number | "last" | null;
  onUrl?: (url: string) => UrlAction | undefined;
  events?: SiteEvents;
  isFull?: () => boolean;
}

/** A crawl that is being worked on by this process. */
export interface ActiveCrawl {
  id: number;
  record: CrawlRecord;
  site: SiteCrawl;
  /** Resolves when the crawl has ended and the registry knows it. */
  ended: Promise<CrawlEnd & { record: CrawlRecord }>;
}

/** How often the registry learns of progress: others read it there. */
const REGISTRY_MS = 1_000;

export class Crawls {
  readonly home: Home;
  readonly #registry: Registry;

  constructor(home: Home = openHome()) {
    this.home = home;
    this.#registry = new Registry(home.registry);
  }

  async start(url: string, options: StartOptions): Promise<ActiveCrawl> {
    const start = canonicalStart(url, options.config);
    const id = this.#add("site", [start], options);
    return this.#run(id, options);
  }

  /** List mode: the URLs of a list, and nothing that they link to. */
  async startList(input: Readable, options: StartOptions): Promise<{ active: ActiveCrawl; list: CopiedList }> {
    const config = { ...options.config, discovery: options.config.discovery.filter((way) => way === "network") };
    const id = this.#add("list", ["https://list.invalid/"], { ...options, config, since: null });
    let list: CopiedList;
    try {
      list = await copyList(input, this.home.crawlList(id));
      if (list.urls === 0) throw new TrawlError("BAD_USAGE", "The list holds no URL.");
      const domain = domainOf(list.hosts[0]!);
      const baselineId = this.#baseline(domain, options.since ?? null);
      this.#registry.setStart(id, list.hosts, this.#registry.project(list.hosts[0]!, domain), baselineId);
    } catch (error) {
      this.remove(id);
      throw error;
    }
    return { active: await this.#run(id, options), list };
  }

  resume(id: number, options: Omit<StartOptions, "config" | "since"> = {}): Promise<ActiveCrawl> {
    const record = this.get(id);
    if (record.state === "running") throw new TrawlError("CRAWL_BUSY");
    return this.#run(id, options);
  }

  /** A crawl with its true state: one that is "running" in no process was interrupted, and can be resumed. */
  get(id: number): CrawlRecord {
    return this.#trueState(this.#registry.crawl(id));
  }

  list(): CrawlRecord[] {
    return this.#registry.crawls().map((record) => this.#trueState(record));
  }

  read(id: number): SiteReader {
    this.get(id);
    return new SiteReader(this.home.crawlDatabase(id));
  }

  /** The canonical form that a URL has in this crawl. */
  canonical(id: number, url: string): string {
    return canonicalStart(url, parseConfig(this.get(id).settings));
  }

  remove(id: number): void {
    if (this.get(id).state === "running") throw new TrawlError("CRAWL_BUSY");
    rmSync(this.home.crawlFolder(id), { recursive: true, force: true });
    this.#registry.removeCrawl(id);
  }

  close(): void {
    this.#registry.close();
  }

  #trueState(record: CrawlRecord): CrawlRecord {
    const interrupted = record.state === "running" && !isLockedFolder(this.home.crawlFolder(record.id));
    return interrupted ? { ...record, state: "paused" } : record;
  }

  #add(mode: "site" | "list", startUrls: string[], { config, since }: StartOptions): number {
    const domain = domainOf(startUrls[0]!);
    const baselineId = this.#baseline(domain, since ?? null);
    const projectId = this.#registry.project(startUrls[0]!, domain);
    const id = this.#registry.addCrawl({ projectId, mode, startUrls, settings: config, baselineId });
    mkdirSync(this.home.crawlFolder(id), { recursive: true });
    return id;
  }

  #baseline(domain: string, since: number | "last" | null): number | null {
    if (since === null) return null;
    const record = since === "last" ? this.#registry.lastCompleted(domain) : this.get(since);
    if (record === null) throw new TrawlError("CRAWL_NOT_FOUND", `There is no completed crawl of ${domain} yet.`);
    return record.id;
  }

  async #run(id: number, options: Omit<StartOptions, "config">): Promise<ActiveCrawl> {
    const record = this.#registry.crawl(id);
    const lock = lockCrawl(this.home.crawlFolder(id));
    try {
      const config = parseConfig(record.settings);
      const site = await SiteCrawl.start({
        database: this.home.crawlDatabase(id),
        config,
        startUrls: record.startUrls,
        seeds:
          record.mode === "list"
            ? { via: "list", batches: canonicalBatches(readList(this.home.crawlList(id)), config) }
            : { via: "initial", batches: oneBatch(record.startUrls) },
        baseline: this.#baselineDatabase(record),
        onUrl: options.onUrl,
        events: options.events,
        isFull: options.isFull,
      });
      return { id, record, site, ended: this.#follow(record, site, lock) };
    } catch (error) {
      lock.release();
      this.#save(record, "failed", record.durationMs, null, (error as Error).message);
      throw error;
    }
  }

  #baselineDatabase({ baselineId }: CrawlRecord): string | null {
    if (baselineId === null) return null;
    const path = this.home.crawlDatabase(baselineId);
    return existsSync(path) ? path : null;
  }

  /** Tells the registry how the crawl goes, and how it ended. */
  async #follow(record: CrawlRecord, site: SiteCrawl, lock: CrawlLock): Promise<CrawlEnd & { record: CrawlRecord }> {
    const began = performance.now();
    const duration = () => record.durationMs + performance.now() - began;
    const timer = setInterval(() => this.#save(record, "running", duration(), site.progress(), null), REGISTRY_MS);
    timer.unref();
    this.#save(record, "running", duration(), site.progress(), null);
    const end = await site.ended;
    clearInterval(timer);
    const { state, message } = endState(end, record.mode, site.progress());
    this.#save(record, state, duration(), site.progress(), message);
    lock.release();
    return { ...end, record: this.#registry.crawl(record.id) };
  }

  #save(
    record: CrawlRecord,
    state: CrawlRecordState,
    durationMs: number,
    progress: SiteProgress | null,
    message: string | null,
  ): void {
    const { crawled, discovered } = progress ?? record;
    this.#registry.updateCrawl(record.id, { state, durationMs, crawled, discovered, message });
  }
}

function endState(
  end: CrawlEnd,
  mode: CrawlRecord["mode"],
  { crawled, errors }: SiteProgress,
): { state: CrawlRecordState; message: string | null } {
  if (end.state === "failed") return { state: "failed", message: (end.error as Error).message };
  if (end.parked.length > 0) return { state: "paused", message: `${end.parked.join(", ")} stopped answering` };
  // A list of dead links is an answer; a site that is not there is none, and nothing to compare the next crawl with.
  const isDead = mode === "site" && errors > 0 && crawled === errors;
  if (end.state === "completed" && isDead) return { state: "failed", message: "nothing answered" };
  return { state: end.state === "completed" ? "completed" : "paused", message: null };
}

async function* oneBatch(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}

/** A list in the form that its URLs have in the crawl: there, two spellings of one page are one. */
async function* canonicalBatches(batches: AsyncIterable<string[]>, config: SiteConfig): AsyncGenerator<string[]> {
  const canonicalize = siteCanonicalizer(config);
  for await (const urls of batches) {
    yield urls.map((url) => canonicalize(url, prepareBase(url))).filter((url) => typeof url === "string");
  }
}

function canonicalStart(url: string, config: SiteConfig): string {
  const normal = normalizeUrl(url);
  const canonical = siteCanonicalizer(config)(normal, prepareBase(normal));
  if (typeof canonical !== "string") throw new TrawlError("BAD_URL", `"${url}" is not a URL that can be crawled.`);
  return canonical;
}

/** Projects are kept by registrable domain; a host without one (localhost, an address) stands for itself, port included. */
const domainOf = (url: string): string => getDomain(url) ?? hostOf(url);

const isLockedFolder = (folder: string): boolean => existsSync(folder) && isLocked(folder);

export const openListFile = (path: string): Readable => createReadStream(path);
