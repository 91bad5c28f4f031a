/**
 * A worker: one process of a fleet. It beats once per second, takes its share of the partitions, runs those that have
 * work, and ends with the crawl, or hands its share back when told to leave.
 */
import type { FetchPermits } from "../net/fetch-permits.ts";
import { Alarm } from "./alarm.ts";
import { type BeatAnswer, beat, enlist, quit, strike } from "./beat.ts";
import { CommitGroup, type CommitGroupOptions } from "./commit-group.ts";
import { FleetClock } from "./fleet-clock.ts";
import { HeldPart, type RunPart } from "./held-part.ts";
import { Inboxes } from "./inbox.ts";
import { END_AT_LIMIT, END_IF_DONE, isMissing, type JobState } from "./job.ts";
import { releaseLeases, takeLeases } from "./lease.ts";
import { type Clocks, LEASE_TIMES, type LeaseTimes, Membership } from "./membership.ts";
import { Connection } from "./postgres/connection.ts";
import { databaseError, isBroken } from "./postgres/database-errors.ts";
import { Reporter } from "./worker-report.ts";

export interface WorkerOptions {
  id: string;
  urls: readonly string[];
  schema: string;
  maxSettled: number | null;
  /** How a partition is run. */
  run: RunPart;
  permits: FetchPermits;
  /** Stores records that PostgreSQL does not keep. */
  insert?: CommitGroupOptions["insert"];
  clocks?: Clocks;
  times?: LeaseTimes;
  onProblem?: (message: string) => void;
}

export interface WorkerProgress {
  state: JobState;
  partitions: number;
  running: number;
  inFlight: number;
  /** URLs that it has fetched; errors: those that got no answer. */
  pages: number;
  errors: number;
  /** Transactions, and the tasks they settled. */
  commits: number;
  settled: number;
  /** Statements sent to the database. */
  statements: number;
}

export interface WorkerEnd {
  /** `left`: the crawl continues without this worker. */
  state: JobState | "left";
  error: unknown;
}

/** The time between the starts of two transactions, unless a caller waits for one. */
const COLLECT_MS = 200;
/** Trouble that has not recurred for this long is over. */
const TROUBLE_MS = 5_000;
const POLL_MS = { least: 50, most: 1_000 };
/** A beat without an answer by then is given up, so that the next one is sent in time. */
const BEAT_LIMITS = { connectMs: 3_000, answerMs: 4_000 };

export class FleetWorker {
  readonly #options: WorkerOptions;
  readonly #clocks: Clocks;
  readonly #times: LeaseTimes;
  readonly #membership: Membership;
  readonly #clock: FleetClock;
  readonly #beats: Connection;
  readonly #reading: Connection;
  readonly #writing: Connection;
  readonly #group: CommitGroup;
  readonly #inboxes: Inboxes;
  readonly #held = new Map<number, HeldPart>();
  readonly #ended = Promise.withResolvers<WorkerEnd>();
  #state: JobState = "running";
  #acked: JobState = "running";
  #ending: WorkerEnd | null = null;
  readonly #beatRest: Alarm;
  readonly #pollRest: Alarm;
  /** What was done by partitions that it no longer holds. */
  readonly #before = { pages: 0, errors: 0 };
  readonly #reporter: Reporter;
  /** What is wrong with the database; null when nothing is. */
  #trouble: string | null = null;
  #troubledAt = 0;
  /** Connections for beats that were made before. */
  #connects = 0;
  #cancelLease: () => void = () => {};

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { urls, schema } = options;
    this.#clocks = options.clocks ?? { monotonic: () => performance.now(), wall: () => Date.now() };
    this.#times = options.times ?? LEASE_TIMES;
    this.#membership = new Membership(options.id, this.#clocks, this.#times);
    this.#clock = new FleetClock(this.#clocks.monotonic);
    this.#beatRest = new Alarm(this.#clock);
    this.#pollRest = new Alarm(this.#clock);
    this.#reporter = new Reporter(this.#clocks.monotonic);
    this.#beats = new Connection(urls, BEAT_LIMITS);
    this.#reading = new Connection(urls);
    this.#writing = new Connection(urls);
    this.#inboxes = new Inboxes(this.#clocks.monotonic);
    this.#group = new CommitGroup({
      ...{ connection: this.#writing, schema, clock: this.#clock, collectMs: COLLECT_MS },
      mayRetry: () => this.#membership.maySend(),
      onTrouble: (error) => this.#suffer(error),
      // The finds may be for partitions of this worker.
      onSent: () => this.#pollRest.ring(),
      insert: options.insert,
    });
  }

  get ended(): Promise<WorkerEnd> {
    return this.#ended.promise;
  }

  /** What this worker is doing now, and has done so far. */
  get progress(): WorkerProgress {
    const held = [...this.#held.values()];
    const pages = this.#before.pages + held.reduce((sum, part) => sum + part.pages, 0);
    const errors = this.#before.errors + held.reduce((sum, part) => sum + part.errors, 0);
    const running = held.filter((part) => part.isRunning).length;
    const { commits, settled } = this.#group;
    const statements = [this.#beats, this.#reading, this.#writing].reduce((sum, { statements }) => sum + statements, 0);
    const inFlight = this.#options.permits.taken;
    return {
      state: this.#state,
      partitions: held.length,
      running,
      inFlight,
      pages,
      errors,
      commits,
      settled,
      statements,
    };
  }

  /** Joins the crawl. Rejects when the database or the crawl is not available. */
  async start(): Promise<void> {
    await enlist(this.#beats, this.#options.schema, this.#options.id);
    void this.#beatLoop();
    void this.#pollLoop();
  }

  /** Stops its partitions and hands them back. */
  leave(): Promise<WorkerEnd> {
    this.#end({ state: "left", error: null });
    return this.ended;
  }

  #end(ending: WorkerEnd): void {
    this.#ending ??= ending;
    this.#beatRest.ring();
  }

  /** Reported once, however often it is tried again. */
  #suffer(error: unknown): void {
    const { message } = databaseError(error);
    if (message !== this.#trouble) this.#options.onProblem?.(message);
    this.#trouble = message;
    this.#troubledAt = this.#clocks.monotonic();
  }

  #counts() {
    const held = [...this.#held.values()];
    const { pages, errors } = this.progress;
    return { fetched: pages, errors, trouble: this.#trouble, hosts: held.flatMap((part) => part.hosts()) };
  }

  /** Called before every request. Once requests are not allowed, everything is aborted before the caller is refused. */
  readonly #maySend = (): boolean => {
    if (this.#membership.maySend()) return true;
    this.#loseAll();
    return false;
  };

  /** When the lease ends, everything under way is aborted, even while a beat waits for its answer. */
  #watchLease(sentAt: number): void {
    this.#cancelLease();
    const left = sentAt + this.#times.sendMs - this.#clocks.monotonic();
    this.#cancelLease = this.#clock.after(left, this.#maySend);
  }

  #loseAll(): void {
    for (const part of this.#held.values()) void this.#drop(part);
  }

  async #beatLoop(): Promise<void> {
    while (this.#ending === null) {
      const startedAt = this.#clocks.monotonic();
      try {
        await this.#beat();
      } catch (error) {
        if (isMissing(error)) this.#end({ state: "stopped", error: null });
        else if (!isBroken(error)) this.#end({ state: "left", error });
        else this.#suffer(error);
      }
      if (!this.#membership.maySend()) this.#loseAll();
      if (this.#ending === null) await this.#beatRest.rest(this.#times.beatMs - (this.#clocks.monotonic() - startedAt));
    }
    await this.#finish(this.#ending);
  }

  async #beat(): Promise<void> {
    const { schema, id } = this.#options;
    const sent = this.#membership.beatSent();
    const { running, inFlight } = this.progress;
    const own = { id, acked: this.#acked, running, inFlight, report: this.#reporter.next(() => this.#counts()) };
    const answer = await beat(this.#beats, schema, own);
    const { connects, isForgetful } = this.#beats;
    if (connects !== this.#connects) this.#membership.reconnected(isForgetful);
    this.#connects = connects;
    // The next holder of a partition waits for one interval, by the new time.
    if (this.#clock.hear(answer.now, sent.monotonic, this.#clocks.monotonic())) this.#loseAll();
    if (!answer.isKnown) {
      await enlist(this.#beats, schema, id);
      return;
    }
    this.#membership.beatAnswered(sent, answer.workers);
    if (sent.monotonic - this.#troubledAt > TROUBLE_MS) this.#trouble = null;
    this.#watchLease(sent.monotonic);
    this.#obey(answer.state);
    if (this.#ending !== null) return;
    this.#dropFenced(answer);
    if (this.#state !== "running") return;
    await this.#share(answer);
    const dead = this.#membership.dead();
    if (dead.length > 0) await strike(this.#beats, schema, dead);
    await this.#park(answer);
    for (const { part, open, parked } of answer.parts) if (open > parked) this.#run(part);
    await this.#endIfDone(answer);
  }

  #obey(state: JobState): void {
    if (state === this.#state) return;
    this.#state = state;
    const parts = [...this.#held.values()];
    if (state === "stopped" || state === "done") this.#end({ state, error: null });
    else if (state === "running") {
      for (const part of parts) part.resume();
      this.#acked = state;
    } else {
      // Beats continue meanwhile, so that a slow request does not cost the lease.
      void Promise.all(parts.map((part) => part.pause())).then(() => {
        if (this.#state === state) this.#acked = state;
      });
    }
  }

  /** If the database says that another worker holds it, that is so: this worker's commits would be refused too. */
  #dropFenced({ parts }: BeatAnswer): void {
    for (const { part, token } of parts) {
      const held = this.#held.get(part);
      if (held !== undefined && held.lease.token !== token) void this.#drop(held);
    }
  }

  async #share({ parts }: BeatAnswer): Promise<void> {
    const { schema, id } = this.#options;
    const { take, surplus, strays } = this.#membership.plan(parts, new Set(this.#held.keys()));
    await releaseLeases(this.#beats, schema, strays);
    for (const lease of await takeLeases(this.#beats, schema, take, id)) {
      this.#group.join(lease);
      this.#held.set(lease.part, new HeldPart(lease));
      this.#pollRest.ring();
    }
    if (surplus === 0) return;
    // Idle partitions first, because they can be handed over without stopping anything.
    const byWork = [...this.#held.values()].sort((a, b) => Number(a.isRunning) - Number(b.isRunning));
    for (const part of byWork.slice(0, surplus)) void this.#handBack(part);
  }

  /** A partition whose hosts were all given up does not keep the crawl from ending. */
  async #park({ parts }: BeatAnswer): Promise<void> {
    const { schema } = this.#options;
    const changed = parts.flatMap(({ part, open, parked }) => {
      const held = this.#held.get(part);
      const waiting = held?.parkedOf(open) ?? null;
      return waiting === null || waiting === parked ? [] : [{ part, open, waiting, token: held!.lease.token }];
    });
    if (changed.length === 0) return;
    await this.#beats.query(
      `UPDATE ${schema}.parts p SET parked = x.waiting FROM unnest($1::int[], $2::uuid[], $3::int[], $4::int[]) AS x(part, token, open, waiting)
       WHERE p.part = x.part AND p.token = x.token AND p.open = x.open`,
      [
        changed.map(({ part }) => part),
        changed.map(({ token }) => token),
        changed.map(({ open }) => open),
        changed.map(({ waiting }) => waiting),
      ],
    );
  }

  async #endIfDone({ parts }: BeatAnswer): Promise<void> {
    const { schema, maxSettled } = this.#options;
    const settled = parts.reduce((sum, part) => sum + part.settled, 0);
    const isAtLimit = maxSettled !== null && settled >= maxSettled;
    if (!isAtLimit && parts.some(({ open, parked }) => open > parked)) return;
    const ended = await this.#beats.query((isAtLimit ? END_AT_LIMIT : END_IF_DONE)(schema));
    if (ended.length > 0) this.#obey("done");
  }

  #run(part: number): void {
    const held = this.#held.get(part);
    if (held === undefined || held.isRunning || this.#ending !== null) return;
    if (this.#state !== "running" || !this.#membership.maySend()) return;
    const { permits, run } = this.#options;
    held.start(
      () =>
        run({
          part,
          group: this.#group,
          reading: this.#reading,
          inbox: this.#inboxes.open(part),
          permits,
          clock: this.#clock,
          maySend: this.#maySend,
        }),
      (error) => this.#partEnded(held, error),
    );
  }

  #partEnded(held: HeldPart, error: unknown): void {
    const code = (error as { code?: string } | null)?.code;
    void this.#drop(held);
    // Another worker has it, or the database was away for long. It is taken again if it is still ours to take.
    if (error === null || code === "FLEET_FENCED" || code === "FLEET_DATABASE") return;
    this.#end({ state: "left", error });
  }

  /** Forgets a partition without handing it back, because another worker has it or the database cannot be told. */
  async #drop(held: HeldPart): Promise<void> {
    const { part } = held.lease;
    if (this.#held.get(part) !== held || held.isStopping) return;
    await this.#stop(held);
  }

  async #stop(held: HeldPart): Promise<void> {
    const { part } = held.lease;
    const stopped = held.stop();
    this.#inboxes.close(part);
    await stopped;
    this.#before.pages += held.pages;
    this.#before.errors += held.errors;
    this.#group.leave(part);
    if (this.#held.get(part) === held) this.#held.delete(part);
  }

  async #handBack(held: HeldPart): Promise<void> {
    if (held.isStopping) return;
    await this.#stop(held);
    await releaseLeases(this.#beats, this.#options.schema, [held.lease]).catch(() => {});
  }

  async #pollLoop(): Promise<void> {
    let wasIdle = true;
    for (let waitMs = POLL_MS.least; this.#ending === null; ) {
      await this.#pollRest.rest(waitMs);
      if (this.#state !== "running") continue;
      const idle = [...this.#held.values()].filter((part) => !part.isRunning && !part.isStopping);
      try {
        const found = await this.#inboxes.poll(
          this.#reading,
          this.#options.schema,
          idle.map(({ lease }) => lease.part),
        );
        for (const part of found.woken) this.#run(part);
        const isQuiet = found.rows + found.woken.length === 0;
        waitMs = isQuiet ? Math.min(waitMs * 2, POLL_MS.most) : POLL_MS.least;
        const isIdle = isQuiet && this.#group.isIdle && [...this.#held.values()].every((part) => part.isDone);
        // It may have been the last work of all, which a beat finds out.
        if (isIdle && !wasIdle) this.#beatRest.ring();
        wasIdle = isIdle;
      } catch {
        // The beat finds out what is wrong and reports it.
        waitMs = POLL_MS.most;
      }
    }
  }

  /** No socket is open before the partitions are handed back, so that no host gets requests from two workers. */
  async #finish(ending: WorkerEnd): Promise<void> {
    const parts = [...this.#held.values()];
    this.#cancelLease();
    // If commits wait for a database that is gone, the lease must run out. It does, because no beat is sent any more.
    await Promise.all(parts.map((part) => this.#stop(part)));
    const { schema, id } = this.#options;
    await releaseLeases(
      this.#beats,
      schema,
      parts.map(({ lease }) => lease),
    ).catch(() => {});
    await quit(this.#beats, schema, id).catch(() => {});
    await Promise.all([this.#beats, this.#reading, this.#writing].map((connection) => connection.close()));
    this.#ended.resolve(ending);
  }
}
