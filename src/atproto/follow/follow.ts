/**
 * Records a stream of events: frames are verified in the order in which they come, stored in batches, and only then passed
 * over. A connection that ends is opened again after the last event that is on the disk.
 */

import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { backOff } from "../../kernel/back-off.ts";
import { type Clock, sleep, systemClock } from "../../kernel/clock.ts";
import type { HttpClient, Lookup } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { WebSocketClient } from "../../net/websocket/websocket-client.ts";
import type { WebSocketConnection } from "../../net/websocket/websocket-connection.ts";
import { WebSocketProblem } from "../../net/websocket/websocket-frames.ts";
import { makeFolder, notWritable } from "../../storage/durable.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { FOLLOW_LOCK } from "../folder-files.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { clientOptions, createRepoClient } from "../repo-client.ts";
import { BatchBuilder } from "./batch-builder.ts";
import { EventWriter, readEvents } from "./event-segments.ts";
import type { FollowSettings } from "./follow-config.ts";
import { FollowIdentities } from "./follow-identities.ts";
import { FollowState } from "./follow-state.ts";
import { type EventCheck, FrameCheck, LONGEST_TEXT, type Prepared } from "./frame-check.ts";
import { JetstreamCheck } from "./jetstream.ts";
import { StoredRevs } from "./stored-revs.ts";
import { Upkeep, type UpkeepProgress } from "./upkeep.ts";

export interface FollowOptions {
  config: AtprotoConfig;
  settings: FollowSettings;
  events?: { onNotice?: (text: string) => void };
  clock?: Clock;
  random?: () => number;
  lookup?: Lookup;
}

export interface FollowProgress {
  state: "connecting" | "following" | "stopped";
  source: string;
  /** Of this run: events that were stored, by kind. */
  stored: Record<string, number>;
  /** Records created, updated and deleted. */
  ops: { create: number; update: number; delete: number };
  /** Events that came twice, or are older than what is stored. */
  repeated: number;
  /** Commits that did not hold. */
  refused: number;
  /** Commits of servers that do not say what was before: that no operation was left out cannot be shown. */
  unproven: number;
  /** Frames that could not be read, or are of an unknown kind. */
  unreadable: number;
  connections: number;
  /** The last event that is on the disk. */
  cursor: number | null;
  /** How far behind the stream, in ms, by the time that its last event names; null before the first. */
  lagMs: number | null;
  lookups: number;
  upkeep: UpkeepProgress;
}

/** The largest frame of the protocol is 5 MB. */
const LARGEST_FRAME = 8 * 2 ** 20;
/** Frames whose documents are looked up together: so many, or so many bytes. */
const WIDTH = 256;
const WIDTH_BYTES = 16 * 2 ** 20;
const RECONNECT = { firstMs: 500, maxMs: 60_000, jitter: 0.5 };
/** A relay says something every second; one that is silent for so long is gone. */
const SILENCE_MS = 60_000;

export class Follow {
  readonly #options: FollowOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stopping = new AbortController();
  readonly #lock: FileLock;
  readonly #client: HttpClient;
  readonly #sockets: WebSocketClient;
  readonly #writer: EventWriter;
  readonly #batches: BatchBuilder;
  readonly #check: EventCheck;
  readonly #stored: StoredRevs;
  readonly state: FollowState;
  readonly identities: FollowIdentities;
  readonly upkeep: Upkeep;
  readonly ended: Promise<void>;
  #connection: WebSocketConnection | null = null;
  #status: FollowProgress["state"] = "connecting";
  #connections = 0;
  #unreadable = 0;
  #lagMs: number | null = null;

  /** Resolves when what an earlier run left has been read, and the first connection is being opened. */
  static async start(options: FollowOptions): Promise<Follow> {
    const { config, settings, events, clock = systemClock } = options;
    await makeFolder(config.outputDir).catch((error) => {
      throw notWritable(config.outputDir, error);
    });
    const lock = lockFile(join(config.outputDir, FOLLOW_LOCK), 0);
    if (lock === null) throw new TrawlError("FOLLOW_BUSY", `Another process is following into ${config.outputDir}.`);
    const onDamage = ({ path, offset, reason }: Damage): void =>
      events?.onNotice?.(`${path} at byte ${offset}: ${reason}.`);
    try {
      const writer = await EventWriter.open({
        folder: config.outputDir,
        source: settings.source.name,
        verified: settings.source.kind === "firehose",
        targetBytes: settings.eventSegmentSize,
        zstdLevel: config.zstdLevel,
        now: () => clock.now(),
        onDamage,
      });
      const state = new FollowState(config.outputDir);
      for await (const batch of readEvents(config.outputDir, onDamage, state.applied)) {
        for (const event of batch.events) state.apply(event);
        state.commit({ segment: batch.segment, offset: batch.end });
      }
      return new Follow(options, lock, writer, state);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(options: FollowOptions, lock: FileLock, writer: EventWriter, state: FollowState) {
    const { config, settings, clock = systemClock, random = Math.random, lookup } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#lock = lock;
    this.#writer = writer;
    this.state = state;
    this.#client = createRepoClient(config, clock, lookup);
    this.#sockets = new WebSocketClient(clientOptions(config, clock, lookup));
    const { signal } = this.#stopping;
    this.identities = new FollowIdentities({ config, client: this.#client, clock, signal });
    this.#stored = new StoredRevs(config.outputDir, clock);
    const storedRev = (did: string): string | null => this.#stored.of(did);
    const isWanted = (did: string): boolean => !settings.onlyArchived || storedRev(did) !== null;
    const speaksFor = settings.source.isRelay ? null : settings.source.origin;
    const tools = { identities: this.identities, state, storedRev, isWanted, speaksFor, clock, random };
    this.#check = settings.source.kind === "firehose" ? new FrameCheck(tools) : new JetstreamCheck(tools);
    this.#batches = new BatchBuilder({ writer, state, clock });
    const onNotice = (text: string): void => this.#notice(text);
    this.upkeep = new Upkeep({
      config,
      settings,
      client: this.#client,
      identities: this.identities,
      state,
      clock,
      random,
      signal,
      onNotice,
    });
    this.ended = this.#run();
    this.ended.catch(() => {});
  }

  progress(): FollowProgress {
    const { stored, ops, repeated } = this.#batches;
    return {
      state: this.#status,
      source: this.#options.settings.source.name,
      stored: Object.fromEntries(stored),
      ops: { ...ops },
      repeated,
      refused: this.#check.refused,
      unproven: this.#check.unproven,
      unreadable: this.#unreadable,
      connections: this.#connections,
      cursor: this.#writer.cursor,
      lagMs: this.#lagMs,
      lookups: this.identities.lookups,
      upkeep: this.upkeep.progress(),
    };
  }

  /** Resolves when everything that was taken is on the disk and every socket is closed; rejects with what ended it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#connection?.close();
    await this.ended;
  }

  async #run(): Promise<void> {
    const upkeep = this.upkeep.run();
    // What ends the one ends the other.
    upkeep.catch(() => this.#stopping.abort()).finally(() => this.#connection?.close());
    try {
      await this.#follow();
      await upkeep;
    } finally {
      this.#status = "stopped";
      this.#stopping.abort();
      await upkeep.catch(() => {});
      await this.#sockets.destroy();
      await this.#client.destroy();
      await this.#writer.close();
      this.state.close();
      this.#stored.close();
      this.identities.close();
      this.#lock.release();
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      this.#status = "connecting";
      const before = this.#batches.taken;
      const problem = await this.#connectOnce().catch((error: unknown) => {
        if (signal.aborted) return null;
        if (error instanceof FetchError || error instanceof WebSocketProblem) return error.message;
        throw error;
      });
      await this.#batches.flush();
      if (signal.aborted) return;
      failures = this.#batches.taken > before ? 1 : failures + 1;
      const waitMs = backOff(RECONNECT, failures, this.#random);
      this.#notice(`The stream ended${problem ? `: ${problem}` : ""}. Connecting again.`);
      await sleep(this.#clock, waitMs, signal).catch(() => {});
    }
  }

  /** Resolves to what the server said when it ended; null when it said nothing. */
  async #connectOnce(): Promise<string | null> {
    const { settings } = this.#options;
    const { signal } = this.#stopping;
    const cursor = this.#writer.cursor ?? settings.cursor;
    const url = cursor === null ? settings.source.url : `${settings.source.url}?cursor=${cursor}`;
    const connection = await this.#sockets.open({ url, largestMessage: LARGEST_FRAME, signal });
    this.#connection = connection;
    this.#connections++;
    this.#status = "following";
    const stopWatching = this.#watch(connection);
    try {
      const problem = await this.#read(connection);
      return problem ?? connection.closed?.reason ?? null;
    } finally {
      stopWatching();
      this.#connection = null;
      connection.destroy();
    }
  }

  async #read(connection: WebSocketConnection): Promise<string | null> {
    const window: (Prepared | Promise<Prepared>)[] = [];
    let bytes = 0;
    for await (const { data } of connection.messages()) {
      window.push(this.#check.prepare(data));
      bytes += data.length;
      if (window.length < WIDTH && bytes < WIDTH_BYTES && connection.hasWaiting) continue;
      bytes = 0;
      for (const prepared of window.splice(0)) {
        const problem = await this.#take(await prepared);
        if (problem !== null) return problem;
      }
      if (this.#stopping.signal.aborted) return null;
    }
    return null;
  }

  /** In the order of the stream. Returns why the stream has to be opened again. */
  async #take(prepared: Prepared): Promise<string | null> {
    if (prepared.kind === "unreadable") {
      this.#unreadable++;
      if (prepared.seq !== null) await this.#batches.pass(prepared.seq);
      return null;
    }
    if (prepared.kind === "unwanted") {
      await this.#batches.pass(prepared.seq);
      return null;
    }
    if (prepared.kind !== "event") return this.#heard(prepared.name, prepared.message);
    if (prepared.time !== null) this.#lagMs = this.#clock.now() - prepared.time;
    await this.#batches.take(prepared);
    if (prepared.changesIdentity) this.identities.changed(prepared.did);
    return null;
  }

  async #heard(name: string, said: string): Promise<string | null> {
    const message = said.slice(0, LONGEST_TEXT);
    const cursor = this.#writer.cursor ?? 0;
    if (name === "OutdatedCursor" || name === "FutureCursor") {
      // What is missing is closed by the sweep, which compares the revs of all repos.
      await this.#batches.gap(cursor, name, name === "FutureCursor");
      this.#notice(
        name === "OutdatedCursor"
          ? "The source no longer has the events since the last run. A sweep finds the repos that changed meanwhile."
          : "The source has restarted its event numbering. A sweep finds the repos that changed meanwhile.",
      );
      return name === "FutureCursor" ? `${name}: ${message}` : null;
    }
    this.#notice(`The source says ${name.slice(0, LONGEST_TEXT)}: ${message}`);
    return name === "ConsumerTooSlow" ? `${name}: ${message}` : null;
  }

  /** A connection that broke without a sign would be waited for until the system gives it up, after hours. */
  #watch(connection: WebSocketConnection): () => void {
    let cancel = (): void => {};
    let before = connection.lastByteAt;
    const look = (): void => {
      if (connection.lastByteAt === before && !connection.isPaused) {
        connection.destroy();
        return;
      }
      before = connection.lastByteAt;
      connection.ping();
      cancel = this.#clock.after(SILENCE_MS, look);
    };
    cancel = this.#clock.after(SILENCE_MS, look);
    return () => cancel();
  }

  #notice(text: string): void {
    this.#options.events?.onNotice?.(text);
  }
}
