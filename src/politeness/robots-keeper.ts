/** The robots.txt of every host in the crawl: fetched in the host's own turn, stored in the ledger with its expiry. */
import { crc32 } from "node:zlib";
import { backOff } from "../kernel/back-off.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import type { LaneSignal } from "../kernel/lane.ts";
import type { Note } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Verdict } from "../kernel/task.ts";
import { robotsOutcome, strictOutcome } from "../web/robots/outcome.ts";
import { type AgentRules, parseRobots, type Robots } from "../web/robots/robots.ts";
import { hostOf, originOf } from "../web/url.ts";
import { type RobotsClient, requestRobots } from "./robots-fetch.ts";

export const NOTE_PREFIX = "robots:";
/** Above this many origins the oldest is forgotten, and fetched again if needed, so that memory stays flat. */
const REMEMBERED_ORIGINS = 5_000;
/** The whole crawl may wait for one host's robots.txt: a host that asks for more than the longest wait counts as unreachable. */
const RETRY = { firstMs: 500, maxMs: 10_000 };

/** A longer `Retry-After` is not believed. */
const MAX_ASKED_MS = 24 * 60 * 60_000;

export interface RobotsNote {
  kind: "rules" | "allow-all" | "disallow-all" | "closed";
  /** Why, if it was not a rule in the file. */
  why: string;
  text: string;
  expiresAt: number;
}

interface Entry extends Omit<RobotsNote, "text"> {
  /** The same for the same rules. */
  print: string;
  robots: Robots;
  agent: AgentRules;
}

export interface RobotsSettings {
  /** `ignore-report` fetches disallowed URLs and marks them. */
  robots: "respect" | "ignore" | "ignore-report";
  /** The name that groups of rules are looked up by. */
  robotsAgent: string;
  /** How often a robots.txt that cannot be read is requested again. */
  retries: number;
  /** The longest crawl delay that is obeyed, in seconds. */
  maxCrawlDelay: number;
  /** The longest time for which an answer is used, if shorter than RFC 9309 allows. */
  robotsMaxAgeMs?: number;
  /** Also denies a host that does not answer, instead of letting the page's own request fail. */
  denyUnanswered?: boolean;
  /** Also denies a host whose robots.txt answers 401 or 403, or cannot be parsed. */
  isStrict?: boolean;
}

export interface RobotsKeeperOptions {
  config: RobotsSettings;
  client: RobotsClient;
  clock: Clock;
  /** The rules of an origin are no longer those that were known. */
  onChange?: () => void;
}

/** Characters of a line that are stored with every URL it is about: a line may have half a megabyte. */
const MOST_RULE = 500;
const shortened = (line: string): string => (line.length > MOST_RULE ? `${line.slice(0, MOST_RULE)}…` : line);

type Reason = "robots_disallow" | "robots_unreachable";

export class RobotsKeeper {
  readonly #config: RobotsSettings;
  readonly #client: RobotsClient;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<void>>();

  constructor({ config, client, clock, onChange = () => {} }: RobotsKeeperOptions) {
    this.#onChange = onChange;
    this.#config = config;
    this.#client = client;
    this.#clock = clock;
  }

  recoverNote(note: Note): void {
    if (!note.key.startsWith(NOTE_PREFIX)) return;
    this.#remember(note.key.slice(NOTE_PREFIX.length), JSON.parse(note.value) as RobotsNote);
  }

  isKnown(url: string): boolean {
    const entry = this.#entries.get(originOf(url));
    return entry !== undefined && entry.expiresAt > this.#clock.now();
  }

  /** The origins whose robots.txt was read, or could not be, even if its time is over. */
  get origins(): string[] {
    return [...this.#entries.keys()];
  }

  /** The host answered, but does not let its robots.txt be read. */
  isClosed(url: string): boolean {
    return this.#entries.get(originOf(url))?.kind === "closed";
  }

  /** When robots.txt is requested again, in wall time; 0 when it is not known. */
  expiresAt(url: string): number {
    return this.#entries.get(originOf(url))?.expiresAt ?? 0;
  }

  /** Different for different rules; empty when they are not known. */
  print(url: string): string {
    return this.#entries.get(originOf(url))?.print ?? "";
  }

  sitemaps(url: string): readonly string[] {
    return this.#entries.get(originOf(url))?.robots.sitemaps ?? [];
  }

  /** The crawl-delay in ms that the host asks for; 0 when it asks for none. */
  crawlDelayMs(host: string): number {
    const delays = [`https://${host}`, `http://${host}`].map(
      (origin) => this.#entries.get(origin)?.agent.crawlDelay ?? 0,
    );
    return this.#config.robots === "respect" ? Math.min(Math.max(...delays), this.#config.maxCrawlDelay) * 1000 : 0;
  }

  /** The rule in robots.txt against a URL; null if there isn't one, or the file is not known. */
  judge(url: string): Verdict | null {
    const against = this.#against(url, null);
    if (against === null) return null;
    return this.#config.robots === "respect"
      ? { action: "skip", ...against }
      : { action: "crawl", reason: "robots_ignored", rule: against.rule };
  }

  /** What keeps the crawler with this name from a URL, under the same conditions as for our own. */
  ruleAgainst(url: string, agentToken: string): string | null {
    return this.#against(url, agentToken)?.rule ?? null;
  }

  /** `agentToken`: null for our own. */
  #against(url: string, agentToken: string | null): { reason: Reason; rule: string } | null {
    if (this.#config.robots === "ignore") return null;
    const entry = this.#entries.get(originOf(url));
    if (entry === undefined || entry.kind === "allow-all") return null;
    if (entry.kind !== "rules") return { reason: "robots_unreachable", rule: shortened(entry.why) };
    const agent = agentToken === null ? entry.agent : entry.robots.forAgent(agentToken);
    const { allowed, line, rule } = agent.test(url);
    if (allowed) return null;
    return { reason: "robots_disallow", rule: shortened(`${originOf(url)}/robots.txt line ${line}: ${rule}`) };
  }

  /** Fetches the robots.txt of the URL's origin. `inTask`: a task of that host is in progress and waits for it. */
  load(url: string, inTask: boolean, context: CrawlContext): Promise<void> {
    const origin = originOf(url);
    if (this.isKnown(url)) return Promise.resolve();
    let loading = this.#loading.get(origin);
    if (loading === undefined) {
      loading = this.#fetch(origin, inTask, context).finally(() => this.#loading.delete(origin));
      this.#loading.set(origin, loading);
    }
    return loading;
  }

  /** A page may name thousands of subdomains: no more of them are requested at once than anything else. */
  async loadAll(origins: readonly string[], parallelism: number, context: CrawlContext): Promise<void> {
    const rest = origins[Symbol.iterator]();
    const loadNext = async () => {
      for (const origin of rest) await this.load(`${origin}/`, false, context);
    };
    await Promise.all(Array.from({ length: parallelism }, loadNext));
  }

  async #fetch(origin: string, inTask: boolean, context: CrawlContext): Promise<void> {
    const host = hostOf(`${origin}/`);
    const now = () => this.#clock.now();
    // The first request uses the task's own slot in the lane, or a turn. That slot is kept to the end:
    // the tasks waiting for this file may hold all other slots, and then a turn for a redirect or a retry would never come.
    const turn = inTask ? null : await context.turn(host);
    let learned: LaneSignal = { kind: "neutral" };
    try {
      for (let attempt = 1; ; attempt++) {
        const { fetched, text, signal, mayPass, nobody } = await requestRobots(
          `${origin}/robots.txt`,
          this.#client,
          context,
          now,
        );
        learned = signal;
        const { kind, ttlMs, reason } =
          (this.#config.isStrict ? strictOutcome(fetched, text) : null) ??
          (nobody === null || this.#config.denyUnanswered ? robotsOutcome(fetched, attempt) : nobody);
        const askedMs = kind === "disallow-all" ? askedDelay(signal) : 0;
        const delay = Math.max(backOff(RETRY, attempt), askedMs);
        if (kind === "disallow-all" && mayPass && attempt <= this.#config.retries && delay <= RETRY.maxMs) {
          await sleep(this.#clock, delay, context.signal);
          await context.pace(host);
          continue;
        }
        // A host that says when to come back is not asked before.
        const usedMs = Math.max(Math.min(ttlMs, this.#config.robotsMaxAgeMs ?? ttlMs), Math.min(askedMs, MAX_ASKED_MS));
        const expiresAt = now() + usedMs;
        const note: RobotsNote = { kind, why: reason, text: kind === "rules" ? text : "", expiresAt };
        const before = this.#entries.get(origin)?.print;
        this.#remember(origin, note);
        if (before !== undefined && before !== this.print(`${origin}/`)) this.#onChange();
        context.note({ key: NOTE_PREFIX + origin, value: JSON.stringify(note) });
        context.refreshPolicy(host);
        return;
      }
    } finally {
      turn?.done(learned);
    }
  }

  #remember(origin: string, { text, ...note }: RobotsNote): void {
    const robots = parseRobots(text);
    const print = note.kind + crc32(text).toString(36);
    this.#entries.delete(origin);
    this.#entries.set(origin, { ...note, print, robots, agent: robots.forAgent(this.#config.robotsAgent) });
    if (this.#entries.size > REMEMBERED_ORIGINS) this.#entries.delete(this.#entries.keys().next().value!);
  }
}

/** How long the host asked us to wait; 0 when it did not. */
const askedDelay = (signal: LaneSignal): number => ("forMs" in signal ? (signal.forMs ?? 0) : 0);
