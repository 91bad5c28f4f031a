/** The state in Redis, under the names of the Go crawler: for crawls that several machines share. */
import type { Redis } from "ioredis";
import { TrawlError } from "../../errors.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { LaneState } from "../../kernel/lane.ts";
import { cursorNote, cursorSource, type Note } from "../../kernel/ledger.ts";
import { isProcessAlive } from "../../storage/process-alive.ts";
import type { CrawlState, DidAtHost, Progress, RememberedState, StateChange, StateSummary } from "./crawl-state.ts";
import { RedisConnection } from "./redis-connection.ts";
import {
  COMMIT,
  EVERY_KEY,
  FAILED_PREFIX,
  GIVE_UP_OWNERSHIP,
  isDeadOwner,
  KEYS,
  OWNER_EXPIRES_MS,
  OWNER_RENEWED_MS,
  ownerText,
  type ProcessName,
  RENEW_OWNERSHIP,
  TAKE_OWNERSHIP,
  thisProcess,
} from "./redis-scripts.ts";

export interface RedisStateOptions {
  /** `host:port` or `redis://…`. */
  address: string;
  /** All error classes: each has a set. */
  classes: readonly string[];
  /** A member of those that crawl together: the state is not taken for this process alone. */
  member?: ProcessName;
  /** Other processes crawl with this state: how far a list of all DIDs was read says nothing about their hosts. */
  isShared?: boolean;
  /** Whose segments the segment number counts. */
  segments?: string;
  clock?: Clock;
  me?: ProcessName;
  isAlive?: (pid: number) => boolean;
}

/** The maximum number of members per command, because Redis serves no other client in the meantime. */
const CHUNK = 5_000;
export class RedisState implements CrawlState {
  readonly #options: RedisStateOptions;
  readonly #me: ProcessName;
  readonly #clock: Clock;
  readonly #connection: RedisConnection;
  /** The totals as this process last knew them: what it adds is written, because others add to them as well. */
  #known: Progress["stats"] = { total_crawled: 0, bytes_written: 0 };
  #isOwner = false;
  #cancelRenewal: (() => void) | null = null;

  constructor(options: RedisStateOptions) {
    this.#options = options;
    this.#me = options.member ?? options.me ?? thisProcess();
    this.#clock = options.clock ?? systemClock;
    this.#connection = new RedisConnection(options.address);
  }

  async take(): Promise<void> {
    if (this.#options.member === undefined) await this.#takeOwnership();
  }

  async read(): Promise<RememberedState> {
    const { lanes, notes, cursors, cursor } = KEYS;
    const [laneRows, noteRows, cursorRows, lone] = await this.#ask((redis) =>
      Promise.all([redis.hgetall(lanes), redis.hgetall(notes), redis.hgetall(cursors), redis.get(cursor)]),
    );
    const all = Object.entries(noteRows).map(([key, value]): Note => ({ key, value }));
    // The Go crawler's cursor does not name a source: it read ClickHouse.
    const places = Object.keys(cursorRows).length === 0 && lone !== null ? { clickhouse: lone } : cursorRows;
    for (const [source, value] of Object.entries(places)) all.push(cursorNote(source, value));
    const progress = await this.#progress();
    this.#known = progress.stats;
    return {
      progress,
      lanes: new Map(Object.entries(laneRows).map(([key, state]) => [key, JSON.parse(state) as LaneState])),
      notes: new Map(all.map((note) => [note.key, note])),
    };
  }

  async commit({ settled, lanes, notes, progress }: StateChange): Promise<void> {
    const { owner, completed, details, cursors, cursor, stats, segmentNumber, failures, members, segments } = KEYS;
    const rows = settled.map(({ did, failure, isFinal, detail, host, retryAt }) => [
      did,
      failure ?? "",
      isFinal ? 1 : 0,
      detail ?? "",
      host ?? "",
      // As text: Redis would write large numbers with an exponent.
      `${Math.floor(retryAt)}`,
    ]);
    const plain = notes.filter((note) => cursorSource(note) === null);
    const places = notes.filter((note) => this.#isKept(cursorSource(note)));
    const done = await this.#connection.ask((redis) =>
      redis.eval(
        COMMIT,
        12,
        ...[owner, completed, details, KEYS.lanes, KEYS.notes, cursors],
        ...[cursor, stats, segmentNumber, failures, members, segments],
        ...[ownerText(this.#me), OWNER_EXPIRES_MS, FAILED_PREFIX, JSON.stringify(rows)],
        JSON.stringify([...lanes].flatMap(([key, state]) => [key, JSON.stringify(state)])),
        JSON.stringify(plain.flatMap(({ key, value }) => [key, value])),
        JSON.stringify(places.flatMap((note) => [cursorSource(note), note.value])),
        JSON.stringify(this.#options.classes),
        JSON.stringify(progress === undefined ? [] : this.#added(progress.stats)),
        progress?.segmentNumber ?? "",
        this.#options.segments ?? "",
      ),
    );
    if (done === 0) throw new TrawlError("STATE_BUSY", "Another process took over the state of this crawl in Redis.");
  }

  /** The list of one host is read by one process; a list of all hosts by each of them, for its own. */
  #isKept(source: string | null): boolean {
    return source !== null && (this.#options.isShared !== true || source.startsWith("pds:"));
  }

  /** As flat pairs, and as text: Redis would write large numbers with an exponent. */
  #added(stats: Progress["stats"]): string[] {
    const names = ["total_crawled", "bytes_written"] as const;
    const added = names.flatMap((name) => [name, `${stats[name] - this.#known[name]}`]);
    this.#known = { ...stats };
    return added;
  }

  async unsettled(claims: readonly DidAtHost[]): Promise<string[]> {
    const { completed, failures } = KEYS;
    const now = this.#clock.now();
    const left: string[] = [];
    for (const chunk of chunks(claims)) {
      const dids = chunk.map(({ did }) => did);
      const answers = await this.#ask((redis) => redis.smismember(completed, ...dids));
      const settled = dids.filter((_, index) => answers[index] !== 0);
      const failed = settled.length === 0 ? [] : await this.#ask((redis) => redis.hmget(failures, ...settled));
      const failedAt = new Map(settled.map((did, index) => [did, failed[index] ?? null]));
      for (const { did, host } of chunk) {
        const text = failedAt.get(did);
        if (text === undefined || (text !== null && mayAsk(text, host ?? "", now))) left.push(did);
      }
    }
    return left;
  }

  async markStored(dids: readonly string[]): Promise<string[]> {
    const { completed, failures } = KEYS;
    const news: string[] = [];
    for (const chunk of chunks(dids)) {
      const answers = await this.#ask((redis) => redis.smismember(completed, ...chunk));
      const failed = await this.#ask((redis) => redis.hmget(failures, ...chunk));
      news.push(...chunk.filter((_, index) => answers[index] === 0 || failed[index] !== null));
      await this.#ask((redis) => redis.sadd(completed, ...chunk));
      await this.#ask((redis) => redis.hdel(failures, ...chunk));
      for (const name of this.#options.classes) await this.#ask((redis) => redis.srem(FAILED_PREFIX + name, ...chunk));
    }
    return news;
  }

  async saveProgress({ stats, segmentNumber }: Progress): Promise<void> {
    const [, crawled, , bytes] = this.#added(stats);
    await this.#ask((redis) =>
      Promise.all([
        redis.hincrby(KEYS.stats, "total_crawled", crawled!),
        redis.hincrby(KEYS.stats, "bytes_written", bytes!),
        redis.set(KEYS.segmentNumber, segmentNumber),
        redis.hset(KEYS.segments, this.#options.segments ?? "", segmentNumber),
      ]),
    );
  }

  async clearCursors(): Promise<void> {
    await this.#ask((redis) => redis.del(KEYS.cursor, KEYS.cursors));
  }

  finish(): Promise<void> {
    return this.clearCursors();
  }

  async summary(): Promise<StateSummary> {
    const { classes } = this.#options;
    const progress = await this.#progress();
    return this.#ask(async (redis) => {
      const failed = await Promise.all(classes.map((name) => redis.scard(FAILED_PREFIX + name)));
      const lone = await redis.get(KEYS.cursor);
      const places = await redis.hgetall(KEYS.cursors);
      const running = [await redis.get(KEYS.owner), ...(await redis.hkeys(KEYS.members))];
      return {
        completed: await redis.scard(KEYS.completed),
        failed: Object.fromEntries(
          classes.map((name, index) => [name, failed[index]!]).filter(([, many]) => many !== 0),
        ),
        cursors: Object.keys(places).length === 0 && lone !== null ? { clickhouse: lone } : places,
        ...progress,
        isRunning: running.some((name) => name !== null && !this.#isDead(name)),
      };
    });
  }

  async forget(did: string): Promise<void> {
    const { completed, failures, details } = KEYS;
    await this.#ask((redis) => redis.srem(completed, did));
    await this.#ask((redis) => redis.hdel(failures, did));
    await this.#ask((redis) => redis.hdel(details, did));
    for (const name of this.#options.classes) await this.#ask((redis) => redis.srem(FAILED_PREFIX + name, did));
    // Why another repo failed may name this account, and a source that was read up to it is read from its beginning.
    for (const key of [details, KEYS.notes, KEYS.cursors]) await this.#dropFieldsWith(key, did);
    await this.#ask(async (redis) => {
      if ((await redis.get(KEYS.cursor))?.includes(did)) await redis.del(KEYS.cursor);
    });
  }

  /** Of a hash those fields whose value has this text. */
  async #dropFieldsWith(key: string, text: string): Promise<void> {
    await this.#ask(async (redis) => {
      for await (const pairs of redis.hscanStream(key, { count: 1_000 })) {
        const fields = (pairs as string[]).filter(
          (_, at) => at % 2 === 0 && (pairs as string[])[at + 1]!.includes(text),
        );
        if (fields.length > 0) await redis.hdel(key, ...fields);
      }
    });
  }

  async reset(): Promise<void> {
    await this.#ask(async (redis) => {
      for await (const keys of redis.scanStream({ match: EVERY_KEY, count: 1_000 })) {
        // Keeps the owner while it is this process: `close` releases it.
        const forgotten = (keys as string[]).filter((key) => !(this.#isOwner && key === KEYS.owner));
        if (forgotten.length > 0) await redis.unlink(...forgotten);
      }
    });
  }

  async close(): Promise<void> {
    this.#cancelRenewal?.();
    this.#cancelRenewal = null;
    if (!this.#connection.isOpen) return;
    try {
      if (this.#isOwner) await this.#ask((redis) => redis.eval(GIVE_UP_OWNERSHIP, 1, KEYS.owner, ownerText(this.#me)));
    } catch {
      // It expires by itself.
    }
    this.#isOwner = false;
    this.#connection.close();
  }

  #progress(): Promise<Progress> {
    return this.#ask(async (redis) => {
      const [saved, own, last] = await Promise.all([
        redis.hgetall(KEYS.stats),
        redis.hget(KEYS.segments, this.#options.segments ?? ""),
        redis.get(KEYS.segmentNumber),
      ]);
      return {
        stats: {
          total_crawled: Number(saved["total_crawled"] ?? 0),
          bytes_written: Number(saved["bytes_written"] ?? 0),
        },
        segmentNumber: Number((this.#options.segments === undefined ? last : own) ?? 0),
      };
    });
  }

  async #takeOwnership(): Promise<void> {
    const dead: string[] = [];
    for (;;) {
      const holder = (await this.#ask((redis) =>
        redis.eval(
          TAKE_OWNERSHIP,
          2,
          ...[KEYS.owner, KEYS.members],
          ...[ownerText(this.#me), OWNER_EXPIRES_MS, JSON.stringify(dead)],
        ),
      )) as string | null;
      if (holder === null) break;
      if (!this.#isDead(holder)) throw stateBusy(holder);
      dead.push(holder);
    }
    this.#isOwner = true;
    this.#renewLater();
  }

  #isDead(owner: string): boolean {
    return isDeadOwner(owner, this.#me, this.#options.isAlive ?? isProcessAlive);
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#clock.after(OWNER_RENEWED_MS, () => {
      this.#renewLater();
      // If it fails, the next commit reports it.
      this.#ask((redis) => redis.eval(RENEW_OWNERSHIP, 1, KEYS.owner, ownerText(this.#me), OWNER_EXPIRES_MS)).catch(
        () => {},
      );
    });
  }

  #ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    return this.#connection.ask(question);
  }
}

export function stateBusy(holder: string): TrawlError {
  const [host, pid] = holder.split(" ");
  return new TrawlError("STATE_BUSY", `Process ${pid} on ${host} is crawling with this state in Redis.`);
}

/** Whether a host was not asked before, or may have something else by now. */
function mayAsk(failures: string, host: string, now: number): boolean {
  const before = (JSON.parse(failures) as Record<string, [failure: string, retryAt: string]>)[host];
  return before === undefined || Number(before[1]) <= now;
}

function* chunks<T>(all: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < all.length; at += CHUNK) yield all.slice(at, at + CHUNK);
}
