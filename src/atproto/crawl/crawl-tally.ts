/** What a crawl has done so far and what is left, for people: counts, rates and reasons. */
import type { CrawlEnd, CrawlState as RunState } from "../../kernel/crawl.ts";
import type { LaneReport } from "../../kernel/lane.ts";
import type { Meters } from "../../kernel/meters.ts";
import { RateMeter } from "../../politeness/rate-meter.ts";
import type { RepoRecord } from "../atproto-product.ts";
import type { DidFeed, FeedReason } from "../did-feed.ts";
import { ERROR_CLASSES, type ErrorClass, isErrorClass } from "../error-classes.ts";
import type { WrittenRepo } from "../rca/write/segment-writer.ts";
import type { PreparedRepo } from "../repo/prepare-repo.ts";
import type { DidPage, DidSource } from "../sources/did-page.ts";
import type { Progress } from "../state/crawl-state.ts";

export interface AtprotoProgress {
  state: RunState;
  /** Repos stored by this run. */
  stored: number;
  /** Repos that failed in this run, by class, including those that their hosts list as inactive. */
  failed: Partial<Record<ErrorClass, number>>;
  /** DIDs that were not offered, by reason. */
  skipped: Partial<Record<FeedReason, number>>;
  records: number;
  /** Records that cannot be decoded; the rest of their repos is stored. */
  undecodable: number;
  carBytes: number;
  bytesWritten: number;
  /** CARs, over the last half minute. */
  bytesPerSecond: number;
  reposPerSecond: number;
  /** DIDs read from the sources and not settled. */
  open: number;
  inFlight: number;
  retries: number;
  hosts: { active: number; waiting: number; blocked: number };
  /** Sources that were not read to their end. */
  sourcesLeft: number;
  /** Null while sources are being read: the number of remaining DIDs is not known. */
  etaSeconds: number | null;
}

/** What a crawl did not fetch, and why. */
export interface AtprotoEnd {
  state: CrawlEnd["state"];
  error: unknown;
  /** What a later crawl tries again, by class. */
  failed: { class: ErrorClass; count: number; meaning: string }[];
  /** Sources and hosts that were not read to their end. */
  unread: { source: string; reason: string }[];
  /** DIDs that were read and not settled: the crawl was stopped. */
  open: number;
  /** As many repos as `--max-repos` allows were stored. */
  isEnough: boolean;
}

/** Long enough to even out repos of all sizes. */
const RATE_WINDOW_MS = 30_000;

export class CrawlTally {
  unread: AtprotoEnd["unread"] = [];
  feed: DidFeed | null = null;
  readonly #failed = new Map<ErrorClass, number>();
  readonly #bytes = new RateMeter(RATE_WINDOW_MS);
  readonly #repos = new RateMeter(RATE_WINDOW_MS);
  #heard = 0;
  #stored = 0;
  /** Repos that are stored, or about to be. */
  #claimed = 0;
  #records = 0;
  #undecodable = 0;
  #carBytes = 0;
  #bytesWritten = 0;
  #sourcesLeft = 0;
  #saved: Progress = { stats: { total_crawled: 0, bytes_written: 0 }, segmentNumber: 0 };

  constructor(now: number) {
    this.#bytes.add(now, 0);
    this.#repos.add(now, 0);
  }

  /** Whether one more repo may be stored, of so many at most. */
  claim(most: number | null): boolean {
    if (most !== null && this.#claimed >= most) return false;
    this.#claimed++;
    return true;
  }

  /** This many repos have been stored. */
  isEnough(most: number | null): boolean {
    return most !== null && this.#stored >= most;
  }

  /** A pass begins, with so many sources to read: what an earlier one did not read, this one does. */
  begin(sources: number): void {
    this.#sourcesLeft = sources;
    this.unread = [];
  }

  /** A pass has ended: its refusals are counted with those of the next. */
  fold({ reasons }: Readonly<Meters>): void {
    for (const [reason, many] of reasons) {
      if (isErrorClass(reason)) this.#failed.set(reason, (this.#failed.get(reason) ?? 0) + many);
    }
  }

  /** `found`: repos of the segments that were not counted before. */
  continueFrom({ stats, segmentNumber }: Progress, { found, foundBytes }: { found: number; foundBytes: number }): void {
    this.#saved = {
      stats: { total_crawled: stats.total_crawled + found, bytes_written: stats.bytes_written + foundBytes },
      segmentNumber,
    };
  }

  heard(record: RepoRecord, repo: PreparedRepo | null, now: number): void {
    this.#repos.add(now, ++this.#heard);
    if (record.failure !== null) this.#failed.set(record.failure, (this.#failed.get(record.failure) ?? 0) + 1);
    if (repo === null) return;
    this.#stored++;
    this.#records += repo.recordCount;
    this.#undecodable += repo.undecodableCount;
    this.#carBytes += repo.carBytes;
    this.#bytes.add(now, this.#carBytes);
  }

  written(bytes: number): void {
    this.#bytesWritten += bytes;
  }

  /** The repo is settled with the next commit. What a crash leaves after it is found in this segment, or a later one. */
  settled({ size, segment }: WrittenRepo): void {
    const { stats, segmentNumber } = this.#saved;
    stats.total_crawled++;
    stats.bytes_written += size;
    this.#saved = { stats, segmentNumber: Math.max(segmentNumber, segment) };
  }

  /** The source, with a mark if it was read to its end. */
  counted(source: DidSource): DidSource {
    const ended = () => this.#sourcesLeft--;
    return {
      name: source.name,
      async *pages(from): AsyncGenerator<DidPage> {
        yield* source.pages(from);
        ended();
      },
    };
  }

  /** The totals in the state, including earlier runs. */
  saved(): Progress {
    return this.#saved;
  }

  progress(now: {
    state: RunState;
    inFlight: number;
    meters: Readonly<Meters>;
    /** DIDs that were read and not passed to the kernel yet. */
    waiting: number;
    hosts: readonly LaneReport[];
    now: number;
  }): AtprotoProgress {
    const { state, inFlight, meters, hosts } = now;
    const open = meters.open + now.waiting;
    const count = (...states: LaneReport["state"][]) => hosts.filter((host) => states.includes(host.state)).length;
    const reposPerSecond = this.#repos.perSecond(now.now);
    return {
      state,
      stored: this.#stored,
      failed: this.#failures(meters),
      skipped: Object.fromEntries([...(this.feed?.reasons ?? [])].filter(([, many]) => many > 0)),
      records: this.#records,
      undecodable: this.#undecodable,
      carBytes: this.#carBytes,
      bytesWritten: this.#bytesWritten,
      bytesPerSecond: this.#bytes.perSecond(now.now),
      reposPerSecond,
      open,
      inFlight,
      retries: meters.retries,
      hosts: {
        active: count("fetching", "ready"),
        waiting: count("waiting", "throttled"),
        blocked: count("blocked", "given_up"),
      },
      sourcesLeft: this.#sourcesLeft,
      etaSeconds: this.#sourcesLeft > 0 || reposPerSecond === 0 ? null : Math.ceil(open / reposPerSecond),
    };
  }

  end({ state, error }: CrawlEnd, meters: Readonly<Meters>, waiting: number, most: number | null): AtprotoEnd {
    const failed = Object.entries(this.#failures(meters)) as [ErrorClass, number][];
    return {
      state,
      error,
      failed: failed
        .filter(([name]) => !ERROR_CLASSES[name].isFinal)
        .map(([name, count]) => ({ class: name, count, meaning: ERROR_CLASSES[name].meaning })),
      unread: this.unread,
      open: meters.open + waiting,
      isEnough: this.isEnough(most),
    };
  }

  /** Those whose fetch failed, and those whose host had listed them as inactive. */
  #failures({ reasons }: Readonly<Meters>): Partial<Record<ErrorClass, number>> {
    const all = new Map(this.#failed);
    for (const [reason, many] of reasons) {
      if (isErrorClass(reason) && many > 0) all.set(reason, (all.get(reason) ?? 0) + many);
    }
    return Object.fromEntries(all);
  }
}
