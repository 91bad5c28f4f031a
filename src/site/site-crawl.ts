/** A site crawl put together: client, browser, product, ledger and kernel, from one config and one database file. */
import { accessSync, constants, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../errors.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { Crawl, type CrawlEnd, type CrawlState, DEFAULT_CRAWL_LIMITS } from "../kernel/crawl.ts";
import type { CrawlContext } from "../kernel/product.ts";
import { SqliteLedger } from "../kernel/sqlite/ledger.ts";
import { migrate, openForWriting } from "../kernel/sqlite/schema.ts";
import type { Found } from "../kernel/task.ts";
import { HttpClient, type HttpClientOptions } from "../net/client.ts";
import { parseConnectTo } from "../net/connect-to.ts";
import { findBrowser } from "../render/find-browser.ts";
import type { Renderer } from "../render/renderer.ts";
import { createScope } from "../web/scope.ts";
import { defaultUrlAction, TRACKING_PARAMETERS } from "../web/tracking.ts";
import { type Canonicalize, createCanonicalizer, originOf, prepareBase } from "../web/url.ts";
import { guardedConnect } from "./browser-egress.ts";
import type { SiteConfig } from "./config.ts";
import { kindNumber, type Via, viaNumber } from "./finds.ts";
import type { UrlAction } from "./gate.ts";
import { credentialHeaders } from "./own-headers.ts";
import { type SiteEvents, SiteProduct } from "./product.ts";
import type { SiteRecord } from "./record.ts";
import { Baseline } from "./store/baseline.ts";
import { SITE_MIGRATIONS, SITE_PART } from "./store/schema.ts";
import { TextDictionary } from "./text-dictionary.ts";
import type { Render } from "./visit.ts";

export interface SiteCrawlOptions {
  /** The database file; created when it is not there, and gone on with when it is. */
  database: string;
  config: SiteConfig;
  /** Canonical URLs whose hosts are the site. */
  startUrls: string[];
  /** What to crawl first: the start URLs, or a list in batches, the same each time it is read. */
  seeds: { via: "initial" | "list"; batches: AsyncIterable<string[]> };
  /** The database of an earlier crawl, for conditional requests. */
  baseline?: string | null;
  onUrl?: (url: string) => UrlAction | undefined;
  events?: SiteEvents;
  isFull?: () => boolean;
  clock?: Clock;
  random?: () => number;
}

export interface SiteProgress {
  state: CrawlState;
  discovered: number;
  crawled: number;
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  retries: number;
  inFlight: number;
}

export class SiteCrawl {
  readonly #crawl: Crawl<SiteRecord>;
  readonly #client: HttpClient;

  /** Resolves when the crawl runs. */
  static async start(options: SiteCrawlOptions): Promise<SiteCrawl> {
    const renderer = options.config.render ? await launchRenderer(options) : null;
    try {
      const crawl = new SiteCrawl(options, renderer);
      await crawl.#crawl.start();
      return crawl;
    } catch (error) {
      // A crawl that never began must not leave a browser behind.
      await renderer?.close();
      throw error;
    }
  }

  private constructor(options: SiteCrawlOptions, renderer: Renderer | null) {
    const { config, startUrls, database } = options;
    const clock = options.clock ?? systemClock;
    const canonicalize = siteCanonicalizer(config);
    // What may be refused comes before the ledger, whose thread would outlive a crawl that never was, and which must
    // not meet us in the middle of making the same tables.
    const scope = siteScope(config, startUrls);
    const texts = new TextDictionary(nextTextId(database));
    const client = createClient(config, startUrls, clock);
    this.#client = client;
    const baseline = options.baseline ? new Baseline(options.baseline) : null;
    let product: SiteProduct | null = null;
    const createProduct = (context: CrawlContext): SiteProduct => {
      product = new SiteProduct(
        {
          config,
          canonicalize,
          client,
          baseline,
          clock,
          scope,
          texts,
          render: renderer === null ? null : renderWith(renderer),
          onUrl: options.onUrl ?? null,
          events: options.events ?? {},
          random: options.random ?? Math.random,
          close: async () => {
            await Promise.all([client.destroy(), renderer?.close()]);
            baseline?.close();
          },
        },
        context,
      );
      return product;
    };
    const seeds = options.seeds;
    this.#crawl = new Crawl<SiteRecord>({
      ledger: new SqliteLedger<SiteRecord>(database, recordModule()),
      product: createProduct,
      sources: [firstUrls(seeds, () => product!), sitemapUrls(config, seeds, startUrls, canonicalize, () => product!)],
      limits: { ...DEFAULT_CRAWL_LIMITS, parallelism: config.parallelism },
      clock,
      isFull: options.isFull,
    });
  }

  get ended(): Promise<CrawlEnd> {
    return this.#crawl.ended;
  }

  progress(): SiteProgress {
    const { discovered, open, recorded, skipped, failed, retries, settled } = this.#crawl.meters;
    const { state, inFlight } = this.#crawl;
    return { state, discovered, crawled: settled, open, recorded, skipped, errors: failed, retries, inFlight };
  }

  /** How many URLs were not crawled for each reason. */
  reasons(): ReadonlyMap<string, number> {
    return this.#crawl.meters.reasons;
  }

  openSockets(): number {
    return this.#client.openSockets();
  }

  pause(): Promise<void> {
    return this.#crawl.pause();
  }

  resume(): void {
    this.#crawl.resume();
  }

  stop(): Promise<CrawlEnd> {
    return this.#crawl.stop();
  }

  /** The consumer has room again. */
  nudge(): void {
    this.#crawl.nudge();
  }
}

/** The one canonical form of URLs in a crawl with this config. */
export const siteCanonicalizer = (config: SiteConfig): Canonicalize =>
  createCanonicalizer({
    stripParams: config.stripParams ?? [...TRACKING_PARAMETERS],
    sortQuery: config.sortQuery,
    stripAllQuery: false,
    keepFragments: false,
    // Longer URLs than the config allows still get a row that says so; beyond this they are not URLs but data.
    maxLength: Math.max(config.maxUrlLength, 16_384),
  });

export const siteScope = (config: SiteConfig, startUrls: string[]) =>
  createScope({
    startUrls,
    subdomains: config.includeSubdomains,
    startFolder: config.startFolder,
    include: config.include,
    exclude: config.exclude,
  });

const seed = (key: string, via: Via, kind: "start" | "sitemap"): Found => ({
  key,
  depth: 0,
  parent: 0,
  via: viaNumber(via),
  kind: kindNumber(kind),
  hops: 0,
});

async function* firstUrls(seeds: SiteCrawlOptions["seeds"], product: () => SiteProduct): AsyncGenerator<Found[]> {
  for await (const urls of seeds.batches) {
    // The first verdicts need robots.txt. A list may name thousands of hosts: theirs are read when their turn comes.
    if (seeds.via === "initial") await Promise.all(urls.map((url) => product().robots.load(url, false)));
    yield urls.map((url) => seed(url, seeds.via, "start"));
  }
}

/** Sitemaps that the config and robots.txt name; /sitemap.xml where robots.txt names none. */
async function* sitemapUrls(
  config: SiteConfig,
  seeds: SiteCrawlOptions["seeds"],
  startUrls: string[],
  canonicalize: Canonicalize,
  product: () => SiteProduct,
): AsyncGenerator<Found[]> {
  if (!config.discovery.includes("sitemap") || seeds.via === "list" || config.singlePage) return;
  const urls = new Set(config.sitemapUrls);
  for (const origin of new Set(startUrls.map(originOf))) {
    const named = product().robots.sitemaps(`${origin}/`);
    for (const url of named.length > 0 ? named : [`${origin}/sitemap.xml`]) urls.add(url);
  }
  const canonical = [...urls].map((url) => canonicalize(url, prepareBase(startUrls[0]!)));
  yield canonical.filter((url) => typeof url === "string").map((url) => seed(url, "sitemap", "sitemap"));
}

/** Limits of one request that nobody needs to set: what a healthy server stays far below. */
const FETCH_LIMITS = {
  connectMs: 15_000,
  headersMs: 30_000,
  idleMs: 15_000,
  minRateGraceMs: 10_000,
  headerBytes: 128 * 1024,
};

export const createClient = (config: SiteConfig, startUrls: string[], clock: Clock): HttpClient =>
  new HttpClient(clientOptions(config, startUrls, clock));

function clientOptions(config: SiteConfig, startUrls: string[], clock: Clock): HttpClientOptions {
  const [username, ...password] = config.auth?.split(":") ?? [];
  const origin = originOf(startUrls[0] ?? "");
  return {
    userAgent: config.userAgent,
    // The others go to the site's own hosts, which the product knows.
    headers: credentialHeaders(config.headers),
    auth: username === undefined ? undefined : { username, password: password.join(":"), origin },
    cookies: config.cookies,
    proxy: config.proxy,
    connectTo: config.connectTo.map(parseConnectTo),
    ca: config.ca === null ? null : readCertificates(config.ca),
    insecure: config.insecure,
    http2: config.http2,
    connectionsPerOrigin: config.parallelism,
    keepAliveMs: 4_000,
    allowPrivate: config.allowPrivate,
    trustedOrigins: startUrls.map(hostAndPort),
    cacheDir: config.cacheDir,
    cacheMaxAgeMs: config.cacheMaxAge * 1000,
    limits: {
      ...FETCH_LIMITS,
      wireBytes: config.maxBytes,
      decodedBytes: config.maxBytes,
      totalMs: config.timeout * 1000,
      minBytesPerSecond: config.minBytesPerSecond,
    },
    clock,
  };
}

function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `ca: ${path} cannot be read (${(error as Error).message})`);
  }
}

async function launchRenderer({ config, startUrls, clock = systemClock }: SiteCrawlOptions): Promise<Renderer> {
  const browser = findBrowser(config.browser, process.env, isExecutable);
  if (browser === null) throw new TrawlError("BROWSER_NOT_FOUND");
  // Loaded only now: the browser library takes longer to load than a small crawl takes to run.
  const { Renderer } = await import("../render/renderer.ts");
  return Renderer.launch({
    executablePath: browser.executablePath,
    tabs: config.renderTabs,
    userAgent: config.userAgent,
    headers: config.headers,
    settleMs: config.renderSettle * 1000,
    maxWaitMs: config.renderMax * 1000,
    blockTypes: config.renderBlock,
    blockUrl: (url) => config.skipTrackers && defaultUrlAction(url).action === "skip",
    connectTo: config.connectTo.map(parseConnectTo),
    ca: config.ca === null ? null : readCertificates(config.ca),
    insecure: config.insecure,
    proxy: config.proxy,
    // Behind a proxy it is the proxy that resolves names, so there is nothing here to guard.
    connect:
      config.allowPrivate || config.proxy !== null ? null : guardedConnect(clientOptions(config, startUrls, clock)),
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const renderWith =
  (renderer: Renderer): Render =>
  ({ url, status, headers, body }, signal) =>
    renderer.render({ url, status, headers, body, signal });

/** The module that writes our records; .ts in a checkout, .js in a published package. */
const recordModule = (): string => new URL(`./store/record-store${import.meta.url.slice(-3)}`, import.meta.url).href;

/** Makes sure that the tables are there, and tells where the texts of links go on. */
function nextTextId(database: string): number {
  const db = new DatabaseSync(database);
  try {
    openForWriting(db);
    migrate(db, SITE_PART, SITE_MIGRATIONS);
    return Number(db.prepare("SELECT max(id) AS id FROM texts").get()?.["id"] ?? 0) + 1;
  } finally {
    db.close();
  }
}
