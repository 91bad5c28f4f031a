/** Gathers events until they are worth a sync, then stores them with their cursor, and after that what follows from them. */
import type { Clock } from "../../kernel/clock.ts";
import type { StoredEvent } from "./event-format.ts";
import type { EventWriter } from "./event-segments.ts";
import type { FollowState } from "./follow-state.ts";
import type { PreparedEvent } from "./frame-check.ts";

export interface BatchBuilderOptions {
  writer: EventWriter;
  state: FollowState;
  clock: Clock;
}

const MOST_EVENTS = 2_000;
const MOST_BYTES = 1_000_000;
/** Frames without a meaning for us after which the cursor alone is stored, so that they are not read again. */
const MOST_PASSED = 10_000;
/**
 * A place that is so far behind the cursor is not a repetition: otherwise one number far ahead would silence the stream until the others reach it.
 * For Jetstream, which counts microseconds, a quarter of an hour.
 */
const FURTHEST_BACK = 1e9;
/** How long an event waits for others before it is on the disk. */
const LONGEST_WAIT_MS = 250;

export class BatchBuilder {
  readonly #options: BatchBuilderOptions;
  #events: StoredEvent[] = [];
  #bytes = 0;
  #passed = 0;
  #cursor: number | null;
  #cancelTimer: (() => void) | null = null;
  #flushing: Promise<void> | null = null;
  #failure: unknown = null;
  readonly stored = new Map<string, number>();
  readonly ops = { create: 0, update: 0, delete: 0 };
  repeated = 0;
  /** Frames that were taken, stored or not. */
  taken = 0;

  constructor(options: BatchBuilderOptions) {
    this.#options = options;
    this.#cursor = options.writer.cursor;
  }

  /** Of what is stored or waiting to be. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /**
   * What a frame became; nothing, when it is not news. One whose place in the stream was passed is dropped, unless its rev shows whether it is
   * news.
   */
  async take({ seq, isToldByRev, events: eventsOf }: PreparedEvent): Promise<void> {
    await this.#flushing;
    if (this.#failure !== null) throw this.#failure;
    this.taken++;
    if (this.#cursor !== null && this.#cursor - seq > FURTHEST_BACK) {
      await this.gap(this.#cursor, "SequenceFellBack", true);
    }
    const isPassed = this.#cursor !== null && seq <= this.#cursor;
    if (isPassed && !isToldByRev) {
      this.repeated++;
      return;
    }
    if (!isPassed) this.#cursor = seq;
    const events = eventsOf();
    if (events.length === 0) this.repeated++;
    for (const event of events) this.#add(event);
    if (this.#events.length >= MOST_EVENTS || this.#bytes >= MOST_BYTES) await this.flush();
    else if (this.#events.length > 0)
      this.#cancelTimer ??= this.#options.clock.after(LONGEST_WAIT_MS, () => void this.flush().catch(() => {}));
  }

  /** A frame without a meaning for us. */
  async pass(seq: number): Promise<void> {
    if (this.#cursor === null || seq > this.#cursor) this.#cursor = seq;
    if (++this.#passed >= MOST_PASSED) await this.flush();
  }

  /** Events are missing after this one. `restarts`: the source counts from a new beginning. */
  async gap(seq: number, reason: string, restarts: boolean): Promise<void> {
    await this.#flushing;
    this.#add({ kind: "gap", seq, seenAt: this.#options.clock.now() * 1000, did: "", reason });
    if (restarts) this.#cursor = 0;
    this.#cursor ??= 0;
    await this.flush();
  }

  /** Resolves when everything taken so far is on the disk. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#failure !== null) throw this.#failure;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#events.length === 0 && this.#passed < MOST_PASSED) return;
    this.#flushing = this.#store().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async #store(): Promise<void> {
    const { writer, state } = this.#options;
    const events = this.#events;
    this.#events = [];
    this.#bytes = 0;
    this.#passed = 0;
    try {
      const place = await writer.append({ cursor: this.#cursor!, events });
      state.commit(place);
    } catch (error) {
      // Nothing may come after what is missing.
      this.#failure = error;
      state.rollBack();
      throw error;
    }
    for (const event of events) this.#count(event);
  }

  #add(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += 100;
    if (event.kind === "commit") {
      this.#bytes += event.commit.length;
      for (const { record } of event.ops) this.#bytes += 50 + (record?.length ?? 0);
    }
    this.#options.state.apply(event);
  }

  #count(event: StoredEvent): void {
    this.stored.set(event.kind, (this.stored.get(event.kind) ?? 0) + 1);
    if (event.kind === "commit") for (const { action } of event.ops) this.ops[action]++;
  }
}
