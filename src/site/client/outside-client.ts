/** Requests outside a crawl, by the crawl's rules: the same client, headers, egress guard and robots.txt. */
import { TrawlError } from "../../errors.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { Note } from "../../kernel/ledger.ts";
import { type CrawlContext, outsideCrawl } from "../../kernel/product.ts";
import type { Verdict } from "../../kernel/task.ts";
import type { HttpClient, HttpResponse, Lookup } from "../../net/client.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { NOTE_PREFIX, RobotsKeeper, type RobotsNote, type RobotsSettings } from "../../politeness/robots-keeper.ts";
import { originOf, prepareBase } from "../../web/url.ts";
import { type SiteClient, withPlainHeaders } from "../credentials/secret-headers.ts";
import { parseConfig, type SiteConfig } from "../site-config.ts";
import type { SiteReader } from "../store/reader.ts";
import { siteCanonicalizer, siteHosts } from "../url-rules.ts";
import { createClient, siteCookies } from "./site-client.ts";
import { HOST_NOTES, StartHosts } from "./start-hosts.ts";

export interface OutsideOptions {
  config: SiteConfig & Pick<RobotsSettings, "denyUnanswered">;
  /** Only these hosts may have private addresses, and only they get the secrets in the settings. */
  startUrls: string[];
  clock: Clock;
  permits?: FetchPermits;
  lookup?: Lookup;
  /** What a crawl already knows about robots.txt, and where its start hosts are. */
  notes?: Note[];
}

export class OutsideClient {
  /** The robots.txt of each origin requested here. */
  readonly answers = new Map<string, RobotsNote>();
  readonly #config: SiteConfig;
  readonly #http: HttpClient;
  readonly #client: SiteClient;
  readonly #robots: RobotsKeeper;
  readonly #context: CrawlContext;
  readonly #abort = new AbortController();

  constructor({ config, startUrls, clock, permits, lookup, notes = [] }: OutsideOptions) {
    const scope = siteHosts(config, startUrls);
    this.#config = config;
    const hosts = new StartHosts(startUrls, notes);
    this.#http = createClient(config, startUrls, clock, {
      cookies: siteCookies(config, scope),
      trusted: hosts.trusted,
      lookup,
      permits,
    });
    this.#client = withPlainHeaders(this.#http, config.headers, (url) => scope.classify(url).internal);
    this.#context = outsideCrawl({
      note: ({ key, value }) => this.answers.set(key.slice(NOTE_PREFIX.length), JSON.parse(value) as RobotsNote),
      signal: this.#abort.signal,
    });
    this.#robots = new RobotsKeeper({ config, client: this.#client, clock });
    for (const note of notes) this.#robots.recoverNote(note);
  }

  /** Loads the robots.txt of the URLs' origins. */
  async loadRobots(urls: string[]): Promise<void> {
    await Promise.all(urls.map((url) => this.#robots.load(url, false, this.#context)));
  }

  /** The robots.txt rule against a URL; null if there isn't one, or it was not loaded. */
  judge(url: string): Verdict | null {
    return this.#robots.judge(url);
  }

  /** The answer at the end of redirects. robots.txt is checked before each hop; a refusal or failure is a TrawlError. */
  async get(url: string): Promise<HttpResponse> {
    let target = url;
    for (let hop = 0; hop <= this.#config.maxRedirects; hop++) {
      await this.#checkRobots(target);
      const response = await this.#fetch(target);
      if (response.location === null) return response;
      const next = siteCanonicalizer(this.#config)(response.location, prepareBase(target));
      if (typeof next !== "string") throw new TrawlError("PAGE_NOT_FETCHED", `${target} redirects to an invalid URL.`);
      target = next;
    }
    throw new TrawlError("PAGE_NOT_FETCHED", `${url} has too many redirects.`);
  }

  /** Aborts running requests, and resolves when no socket is open. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#http.destroy();
  }

  async #checkRobots(url: string): Promise<void> {
    if (this.#config.robots !== "respect") return;
    await this.loadRobots([url]).catch((error) => {
      throw notFetched(url, error);
    });
    const verdict = this.judge(url);
    if (verdict !== null) throw new TrawlError("ROBOTS_DISALLOWED", `${url} may not be fetched: ${verdict.rule}`);
  }

  #fetch(url: string): Promise<HttpResponse> {
    return this.#client.fetch({ url, signal: this.#abort.signal }).catch((error) => {
      throw notFetched(url, error);
    });
  }
}

const notFetched = (url: string, cause: Error): TrawlError =>
  new TrawlError("PAGE_NOT_FETCHED", `${url} could not be fetched: ${cause.message}`, { cause });

/** What a crawl's database has stored about a host's robots.txt, and about where the start hosts are. */
export const outsideNotes = (reader: SiteReader, origin: string): Note[] =>
  reader.db
    .prepare(`SELECT key, value FROM notes WHERE key = ? OR ${HOST_NOTES}`)
    .all(NOTE_PREFIX + origin) as unknown as Note[];

/**
 * The robots.txt of every origin among the URLs, fetched by the same rules as in a crawl. Each is requested once,
 * because the user is waiting and can try again.
 */
export async function fetchRobots(
  urls: string[],
  reach: Pick<OutsideOptions, "lookup" | "notes"> = {},
): Promise<Map<string, RobotsNote>> {
  // No page is requested here, so no page's error would show that the host does not answer.
  const config = { ...parseConfig({ retries: 0 }), denyUnanswered: true };
  const client = new OutsideClient({ config, startUrls: urls, clock: systemClock, ...reach });
  try {
    await client.loadRobots([...new Set(urls.map((url) => `${originOf(url)}/`))]);
    return client.answers;
  } finally {
    await client.close();
  }
}
