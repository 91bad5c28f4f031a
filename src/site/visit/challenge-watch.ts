/**
 * How the crawl treats a host that sends bot checks. First it lets the host rest, a few times, because checks often
 * begin when a crawl was too fast. If the checks go on, the host is not requested any more; if only some of its pages
 * are checked, the others are still crawled.
 */
import type { LaneSignal } from "../../kernel/lane.ts";
import type { Task } from "../../kernel/task.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { serverDelay } from "../../net/headers.ts";
import { laneSignal } from "../../politeness/host-lane.ts";
import type { Visit } from "./site-visit.ts";

/** After this many checks in a row, a host is not requested any more. */
const CLOSED_AFTER = 3;
const MAX_RESTS = 3;
/** Twice as long each time. */
const FIRST_REST_MS = 60_000;

interface Host {
  /**
   * Whether it ever answered with a page of its own. A host that checks everyone from the start would not stop after a
   * rest.
   */
  hasServed: boolean;
  inRow: number;
  rests: number;
  restsUntil: number;
  /** Whose checks closed it. */
  closedBy: string | null;
}

type Answer = Pick<Visit, "response" | "challenge" | "content" | "earlier">;

export interface Judgement {
  signal: LaneSignal;
  /**
   * How the page is fetched again after its host has rested, without counting as one of its attempts; null when it is
   * not.
   */
  rest: { attempts: number; retryAt: number } | null;
}

export class ChallengeWatch {
  readonly #hosts = new Map<string, Host>();
  /** Pages whose checks began a rest, after which they are fetched once more. A few for each host. */
  readonly #left = new Set<string>();

  /** What an answer means for its host, bot check or not. */
  judge(task: Task, visit: Answer, isInternal: boolean, now: number): Judgement {
    const { response, challenge, content, earlier } = visit;
    if (challenge !== null) return this.#checked(task, challenge, isInternal, now, serverDelay(response.headers, now));
    const signal = laneSignal(response, now);
    // Files and sitemaps are often exempt from the checks that all pages get.
    const isServed = content !== null || earlier !== null || !isInternal;
    if (signal.kind === "ok" && isServed) this.#served(task.lane, isInternal);
    return { signal, rest: null };
  }

  /** Why the host's pages are not requested any more; null when bot checks are not the reason. */
  errorOf(lane: string): FetchError | null {
    const vendor = this.#hosts.get(lane)?.closedBy ?? null;
    return vendor === null ? null : new FetchError("challenge", `${vendor}, on other pages of this host`);
  }

  #served(lane: string, isInternal: boolean): void {
    const host = isInternal ? this.#host(lane) : this.#hosts.get(lane);
    if (host === undefined) return;
    host.hasServed = true;
    host.inRow = 0;
  }

  #checked(
    { key, lane, attempt }: Task,
    vendor: string,
    isInternal: boolean,
    now: number,
    askedMs: number | null,
  ): Judgement {
    const host = this.#host(lane);
    const rest = { attempts: attempt, retryAt: 0 };
    const why = `it answers with bot checks (${vendor})`;
    // These requests were in flight when the rest began or the host was closed.
    if (host.closedBy !== null) return { signal: { kind: "closed", why }, rest };
    if (now < host.restsUntil) return { signal: { kind: "throttled", forMs: null, why }, rest };
    host.inRow++;
    if (host.inRow >= CLOSED_AFTER) {
      host.closedBy = vendor;
      return { signal: { kind: "closed", why }, rest: null };
    }
    if (!isInternal || !host.hasServed || host.rests >= MAX_RESTS) return { signal: { kind: "neutral" }, rest: null };
    const forMs = Math.max(FIRST_REST_MS * 2 ** host.rests, askedMs ?? 0);
    host.rests++;
    host.restsUntil = now + forMs;
    return { signal: { kind: "throttled", forMs, why }, rest: this.#leave(key) ? rest : null };
  }

  /** Whether a page is fetched again after the rest that it began: only once. */
  #leave(url: string): boolean {
    if (this.#left.has(url)) return false;
    this.#left.add(url);
    return true;
  }

  #host(lane: string): Host {
    let host = this.#hosts.get(lane);
    if (host === undefined) {
      host = { hasServed: false, inRow: 0, rests: 0, restsUntil: 0, closedBy: null };
      this.#hosts.set(lane, host);
    }
    return host;
  }
}
