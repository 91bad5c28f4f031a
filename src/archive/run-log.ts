/** `crawler.log` and `scraper.log`: what runs did and ran into, for people. The metadata lists what was fetched. */
import type { Clock } from "../kernel/clock.ts";
import type { CrawlEnd } from "../kernel/crawl.ts";
import { TextLog } from "../storage/text-log.ts";
import { hostOf } from "../web/url.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";
import type { PauseReason } from "./control/watch.ts";
import { failureOf, isFailure } from "./failed-urls.ts";
import type { RestingHost } from "./resting-hosts.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

type Level = "info" | "warn" | "error";

export interface LogCounts {
  fetched: number;
  failed: number;
  open: number;
}

/** How often hosts are checked, and how often counts are logged. */
const LOOK_MS = 1_000;
const COUNTS_MS = 60_000;
const MEGABYTE = 1_000_000;

export class RunLog {
  readonly #log: TextLog;
  readonly #clock: Clock;
  readonly #logsFetches: boolean;
  /** Hosts that rest, or have not answered since. */
  readonly #resting = new Map<string, string>();
  #cancel: (() => void) | null = null;
  #countsAt = 0;

  constructor(path: string, { rotate_every_mb, keep, fetches }: ArchiveConfig["log"], clock: Clock) {
    this.#log = new TextLog({ path, rotateBytes: rotate_every_mb * MEGABYTE, keep });
    this.#clock = clock;
    this.#logsFetches = fetches;
  }

  write(level: Level, text: string): void {
    this.#log.write(`${new Date(this.#clock.now()).toISOString()} ${level.padEnd(5)} ${text}`);
  }

  /** Notices to the user are in the log too. */
  telling(tell: (text: string) => void = () => {}): (text: string) => void {
    return (text) => {
      this.write("info", text);
      tell(text);
    };
  }

  pauses(reasons: readonly PauseReason[]): void {
    this.write("info", reasons.length === 0 ? "continuing" : `paused: ${reasons.join(", ")}`);
  }

  settled(record: MetadataRecord): void {
    const { url, http_status: status, content_bytes: bytes, fetch_latency_ms: ms } = record;
    const host = hostOf(url);
    if (status > 0 && this.#resting.delete(host)) this.write("info", `${host} answers again`);
    const { error, retries } = failureOf(record);
    const what = error ?? String(status);
    if (isFailure(record)) this.write("warn", `failed: ${what} ${url} (retries: ${retries})`);
    else if (this.#logsFetches) this.write("info", `fetched: ${what} ${url} (${bytes} bytes, ${Math.round(ms)} ms)`);
  }

  /** Logs which hosts rest and when they begin to, and now and then how far the run is. */
  watch(resting: () => readonly RestingHost[], counts: () => LogCounts): void {
    this.#countsAt = this.#clock.now() + COUNTS_MS;
    const look = (): void => {
      for (const host of resting()) this.#rests(host);
      const now = this.#clock.now();
      if (now >= this.#countsAt) {
        this.#countsAt = now + COUNTS_MS;
        this.write("info", countsText(counts()));
      }
      this.#cancel = this.#clock.after(LOOK_MS, look);
    };
    this.#cancel = this.#clock.after(LOOK_MS, look);
  }

  end({ state, parked, error }: CrawlEnd, counts: LogCounts): void {
    const how = error !== null ? "failed" : state === "completed" && parked.length === 0 ? "completed" : "paused";
    const waiting = parked.length === 0 ? "" : `; waiting for ${parked.join(", ")}`;
    const why = error === null ? "" : `; ${(error as Error).message}`;
    this.write(error === null ? "info" : "error", `run ${how}: ${countsText(counts)}${waiting}${why}`);
    this.#close();
  }

  /** It could not even start. */
  failed(error: unknown): void {
    this.write("error", `run failed: ${(error as Error).message}`);
    this.#close();
  }

  #close(): void {
    this.#cancel?.();
    this.#log.close();
  }

  /** A throttled host rests again and again, so it is logged only once until it answers. */
  #rests({ host, until, why }: RestingHost): void {
    if (this.#resting.get(host) === why) return;
    this.#resting.set(host, why);
    const when = until === null ? "is not requested any more" : `rests until ${new Date(until * 1_000).toISOString()}`;
    this.write("warn", `${host} ${when}: ${why}`);
  }
}

const countsText = ({ fetched, failed, open }: LogCounts): string =>
  `${fetched} fetched, ${failed} failed, ${open} open`;
