/** What a follower does beside recording: it fetches repos that are marked, and sweeps the list of all repos for those that are behind. */
import { type Clock, sleep } from "../../kernel/clock.ts";
import type { HttpClient } from "../../net/client.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { SourceError } from "../sources/source-client.ts";
import type { FollowSettings } from "./follow-config.ts";
import type { FollowIdentities } from "./follow-identities.ts";
import type { FollowState } from "./follow-state.ts";
import { GapCloser } from "./gap-closer.ts";
import { type Lap, Sweep } from "./sweep.ts";

export interface UpkeepOptions {
  config: AtprotoConfig;
  settings: FollowSettings;
  client: HttpClient;
  identities: FollowIdentities;
  state: FollowState;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
  onNotice: (text: string) => void;
}

export interface UpkeepProgress {
  /** Repos that have to be fetched whole. */
  marked: number;
  /** Of this run: repos that were, and attempts that failed. */
  closed: number;
  failed: number;
  /** The sweep that is under way, and the last one that ended. */
  lap: Lap | null;
  lastLap: Lap | null;
}

const HOUR_MS = 60 * 60_000;
/** How often a sweep that could not be read is tried again. */
const SWEEP_RETRY_MS = 10 * 60_000;

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #closer: GapCloser;
  readonly #sweep: Sweep | null;
  /** As it was when the state was closed. */
  #last: UpkeepProgress | null = null;

  constructor(options: UpkeepOptions) {
    const { settings, config, client, state, clock, signal } = options;
    this.#options = options;
    this.#closer = new GapCloser(options);
    const { origin } = settings.source;
    this.#sweep =
      origin === null || settings.sweepEvery === 0
        ? null
        : new Sweep({ origin, archive: config.outputDir, client, state, clock, signal, rps: settings.sweepRps });
  }

  progress(): UpkeepProgress {
    return (
      this.#last ?? {
        marked: this.#options.state.marked,
        closed: this.#closer.closed,
        failed: this.#closer.failed,
        lap: this.#sweep?.lap ?? null,
        lastLap: this.#sweep?.lastLap ?? null,
      }
    );
  }

  /** Until the signal. */
  async run(): Promise<void> {
    try {
      await Promise.all([this.#closeGaps(), this.#sweepOn()]);
    } finally {
      this.#last = this.progress();
      await this.#closer.close();
    }
  }

  async #closeGaps(): Promise<void> {
    const { clock, signal, settings } = this.#options;
    while (!signal.aborted) {
      await this.#closer.round();
      await sleep(clock, settings.closeEvery * 1000, signal).catch(() => {});
    }
  }

  async #sweepOn(): Promise<void> {
    const { clock, signal } = this.#options;
    while (this.#sweep !== null && !signal.aborted) {
      const waitMs = this.#untilSweep(this.#sweep);
      if (waitMs > 0) await sleep(clock, Math.min(waitMs, SWEEP_RETRY_MS), signal).catch(() => {});
      else await this.#lap(this.#sweep);
    }
  }

  async #lap(sweep: Sweep): Promise<void> {
    const { clock, signal, state, onNotice } = this.#options;
    const gap = state.getNote("gap");
    try {
      const { startedAt, endedAt, listed, behind } = await sweep.run();
      if (state.getNote("gap") === gap) state.note("gap", "");
      const minutes = Math.max(1, Math.round((endedAt! - startedAt) / 60_000));
      onNotice(`A sweep over ${listed} repos took ${minutes} min; ${behind} were behind and are fetched.`);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SourceError)) throw error;
      onNotice(`The sweep was interrupted: ${error.message}. It continues later.`);
      await sleep(clock, SWEEP_RETRY_MS, signal).catch(() => {});
    }
  }

  /** At once after a gap in the stream, and when one was interrupted; else by the schedule. */
  #untilSweep({ lap, lastLap }: Sweep): number {
    const { state, clock, settings } = this.#options;
    if (lap !== null || state.getNote("gap")) return 0;
    return (lastLap?.startedAt ?? 0) + settings.sweepEvery * HOUR_MS - clock.now();
  }
}
