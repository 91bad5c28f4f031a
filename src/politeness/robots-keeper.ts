/** robots.txt of every host the crawl meets: fetched in the host's own turn, remembered in the ledger with its expiry. */

import { backOff } from "../kernel/back-off.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import type { LaneSignal } from "../kernel/lane.ts";
import type { Note } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Verdict } from "../kernel/verdict.ts";
import { FetchError } from "../net/fetch-errors.ts";
import type { HttpRequest, HttpResponse } from "../net/http-types.ts";
import { type RobotsFetch, type RobotsOutcome, robotsOutcome } from "../web/robots/outcome.ts";
import { type AgentRules, MAX_ROBOTS_BYTES, parseRobots, type Robots, withoutCutLine } from "../web/robots/robots.ts";
import { createCanonicalizer, hostOf, originOf, prepareBase } from "../web/url.ts";
import { laneSignal } from "./lane-signal.ts";
import { isRetryable } from "./retry.ts";

export const NOTE_PREFIX = "robots:";
/** No server was reached, and the page's own request will end the same way: its error says more than a disallow would. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  "dns_not_found",
  "connect_refused",
  "tls_failed",
  "private_address",
]);
/** Of more origins than this the longest known is forgotten, and asked again if it is needed: memory stays flat. */
const REMEMBERED_ORIGINS = 5_000;
/** RFC 9309 section 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** The whole crawl may wait for one host's robots.txt: a host that asks for more than the longest wait counts as unreachable. */
const RETRY = { firstMs: 500, maxMs: 10_000 };

export interface RobotsNote {
  kind: "rules" | "allow-all" | "disallow-all";
  /** Why, when it is not the file's own rules. */
  why: string;
  text: string;
  expiresAt: number;
}

interface Entry extends Omit<RobotsNote, "text"> {
  robots: Robots;
  agent: AgentRules;
}

/** Where the redirects of a robots.txt ended. */
interface Followed {
  fetched: RobotsFetch;
  text: string;
  /** What the host's lane should learn. */
  signal: LaneSignal;
  /** The same request may succeed a little later. */
  mayPass: boolean;
  nobody: RobotsOutcome | null;
}

/** What fetches a robots.txt. */
export interface RobotsClient {
  fetch(request: HttpRequest): Promise<HttpResponse>;
}

export interface RobotsSettings {
  /** `ignore-report` fetches what is disallowed, and says so. */
  robots: "respect" | "ignore" | "ignore-report";
  /** The name that groups of rules are looked up by. */
  robotsAgent: string;
  /** How often a robots.txt that cannot be read is asked for again. */
  retries: number;
  /** The longest crawl delay that is obeyed, in seconds. */
  maxCrawlDelay: number;
  /** An answer is not used for longer, where this is less than RFC 9309 allows. */
  robotsMaxAgeMs?: number;
  /** A host that nobody answers at is denied as well, instead of leaving it to the page's own request to fail. */
  denyUnanswered?: boolean;
}

export interface RobotsKeeperOptions {
  config: RobotsSettings;
  client: RobotsClient;
  clock: Clock;
  context: CrawlContext;
}

export class RobotsKeeper {
  readonly #config: RobotsSettings;
  readonly #client: RobotsClient;
  readonly #clock: Clock;
  readonly #context: CrawlContext;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #canonicalize = createCanonicalizer({
    stripParams: [],
    sortQuery: false,
    stripAllQuery: false,
    keepFragments: false,
    maxLength: 2_083,
  });

  constructor({ config, client, clock, context }: RobotsKeeperOptions) {
    this.#config = config;
    this.#client = client;
    this.#clock = clock;
    this.#context = context;
  }

  recoverNote(note: Note): void {
    if (!note.key.startsWith(NOTE_PREFIX)) return;
    this.#remember(note.key.slice(NOTE_PREFIX.length), JSON.parse(note.value) as RobotsNote);
  }

  isKnown(url: string): boolean {
    const entry = this.#entries.get(originOf(url));
    return entry !== undefined && entry.expiresAt > this.#clock.now();
  }

  sitemaps(url: string): readonly string[] {
    return this.#entries.get(originOf(url))?.robots.sitemaps ?? [];
  }

  /** Ms between two requests that the host asks for; 0 when it does not. */
  crawlDelayMs(host: string): number {
    const delays = [`https://${host}`, `http://${host}`].map(
      (origin) => this.#entries.get(origin)?.agent.crawlDelay ?? 0,
    );
    return this.#config.robots === "respect" ? Math.min(Math.max(...delays), this.#config.maxCrawlDelay) * 1000 : 0;
  }

  /** What robots.txt says against a URL; null when it says nothing, or is not known. */
  judge(url: string): Verdict | null {
    if (this.#config.robots === "ignore") return null;
    const entry = this.#entries.get(originOf(url));
    if (entry === undefined || entry.kind === "allow-all") return null;
    if (entry.kind === "disallow-all") return this.#against("robots_unreachable", entry.why);
    const { allowed, line, rule } = entry.agent.test(url);
    return allowed ? null : this.#against("robots_disallow", `${originOf(url)}/robots.txt line ${line}: ${rule}`);
  }

  #against(reason: "robots_disallow" | "robots_unreachable", rule: string): Verdict {
    return this.#config.robots === "respect"
      ? { action: "skip", reason, rule }
      : { action: "crawl", reason: "robots_ignored", rule };
  }

  /** Makes robots.txt of the URL's origin known. `inTask`: a task of that host is under way and waits for it. */
  load(url: string, inTask: boolean): Promise<void> {
    const origin = originOf(url);
    if (this.isKnown(url)) return Promise.resolve();
    let loading = this.#loading.get(origin);
    if (loading === undefined) {
      loading = this.#fetch(origin, inTask).finally(() => this.#loading.delete(origin));
      this.#loading.set(origin, loading);
    }
    return loading;
  }

  async #fetch(origin: string, inTask: boolean): Promise<void> {
    const host = hostOf(`${origin}/`);
    // The first request leaves in the task's own departure or in a turn. That place in the lane is kept to the end:
    // whoever waits for this file may hold all others, and then a turn for a redirect or a retry would never come.
    const turn = inTask ? null : await this.#context.turn(host);
    let learned: LaneSignal = { kind: "neutral" };
    try {
      for (let attempt = 1; ; attempt++) {
        const { fetched, text, signal, mayPass, nobody } = await this.#follow(`${origin}/robots.txt`);
        learned = signal;
        const { kind, ttlMs, reason } =
          nobody === null || this.#config.denyUnanswered ? robotsOutcome(fetched, attempt) : nobody;
        const delay = Math.max(backOff(RETRY, attempt), askedDelay(signal));
        if (kind === "disallow-all" && mayPass && attempt <= this.#config.retries && delay <= RETRY.maxMs) {
          await sleep(this.#clock, delay, this.#context.signal);
          await this.#context.pace(host);
          continue;
        }
        const expiresAt = this.#clock.now() + Math.min(ttlMs, this.#config.robotsMaxAgeMs ?? ttlMs);
        const note: RobotsNote = { kind, why: reason, text: kind === "rules" ? text : "", expiresAt };
        this.#remember(origin, note);
        this.#context.note({ key: NOTE_PREFIX + origin, value: JSON.stringify(note) });
        this.#context.refreshPolicy(host);
        return;
      }
    } finally {
      turn?.done(learned);
    }
  }

  /** Fetches over redirects, each hop by the clock of its own host. The last answer may still be a redirect. */
  async #follow(start: string): Promise<Followed> {
    let url = start;
    let signal: LaneSignal = { kind: "neutral" };
    for (let hop = 0; ; hop++) {
      if (hop > 0) await this.#context.pace(hostOf(url));
      const response = await this.#request(url);
      // What the first host answered is what its lane learns.
      if (hop === 0) signal = laneSignal(response, this.#clock.now());
      const mayPass = isRetryable(response instanceof FetchError ? response : response.status);
      if (response instanceof FetchError) {
        const nobody = NOBODY_THERE.has(response.code) ? nobodyThere(response) : null;
        return { fetched: { error: response.message }, text: "", signal, mayPass, nobody };
      }
      const { status, location } = response;
      if (location === null) {
        return { fetched: { status }, text: readableText(response), signal, mayPass, nobody: null };
      }
      const next = this.#canonicalize(location, prepareBase(url));
      if (typeof next !== "string" || hop === MAX_REDIRECTS) {
        return { fetched: { status }, text: "", signal, mayPass: false, nobody: null };
      }
      url = next;
    }
  }

  async #request(url: string): Promise<HttpResponse | FetchError> {
    try {
      // However little of pages is read: rules that were cut off would not be obeyed.
      return await this.#client.fetch({ url, signal: this.#context.signal, leastBytes: MAX_ROBOTS_BYTES });
    } catch (error) {
      if (error instanceof FetchError && error.code !== "aborted" && error.code !== "closed") return error;
      throw error;
    }
  }

  #remember(origin: string, { text, ...note }: RobotsNote): void {
    const robots = parseRobots(text);
    this.#entries.delete(origin);
    this.#entries.set(origin, { ...note, robots, agent: robots.forAgent(this.#config.robotsAgent) });
    if (this.#entries.size > REMEMBERED_ORIGINS) this.#entries.delete(this.#entries.keys().next().value!);
  }
}

/** No more than that is read (RFC 9309 section 2.5), so no more is kept: a note is not to hold megabytes. */
function readableText({ body, truncated }: HttpResponse): string {
  const text = body.subarray(0, MAX_ROBOTS_BYTES).toString("utf8");
  return truncated !== null || body.length > MAX_ROBOTS_BYTES ? withoutCutLine(text) : text;
}

/** Held for a minute only: somebody may come, and then their rules count. */
const nobodyThere = (error: FetchError): RobotsOutcome => ({
  kind: "allow-all",
  ttlMs: 60_000,
  reason: `robots.txt could not be read: ${error.message}`,
});

/** How long the host asked us to wait; 0 when it did not. */
const askedDelay = (signal: LaneSignal): number => ("forMs" in signal ? (signal.forMs ?? 0) : 0);
