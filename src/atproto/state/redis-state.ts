/** The state in Redis, under the names of the Go crawler: for crawls that several machines share. */
import { Redis } from "ioredis";
import { TrawlError } from "../../errors.ts";
import { backOff } from "../../kernel/back-off.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { LaneState } from "../../kernel/lane.ts";
import { cursorNote, cursorSource, type Note } from "../../kernel/ledger.ts";
import type {
  CrawlState,
  DidAtHost,
  Progress,
  RememberedState,
  StateChange,
  StateSummary,
  UnfinishedShare,
} from "./crawl-state.ts";
import {
  COMMIT,
  EVERY_KEY,
  FAILED_PREFIX,
  GIVE_UP_OWNERSHIP,
  isDeadOwner,
  isProcessAlive,
  OWNER_EXPIRES_MS,
  OWNER_RENEWED_MS,
  ownerText,
  type ProcessName,
  RENEW_OWNERSHIP,
  type RedisKeys,
  redisKeys,
  TAKE_OWNERSHIP,
  thisProcess,
} from "./redis-scripts.ts";

export interface RedisStateOptions {
  /** `host:port` or `redis://…`. */
  address: string;
  /** All error classes: each has a set. */
  classes: readonly string[];
  /** Which share of the hosts this process crawls, such as `2/3`; empty for all. */
  share?: string;
  clock?: Clock;
  me?: ProcessName;
  isAlive?: (pid: number) => boolean;
}

/** The maximum number of members per command, because Redis serves no other client in the meantime. */
const CHUNK = 5_000;
/** How often to reconnect during a restart of Redis, waiting a little longer each time: half a minute in total. */
const RECONNECTS = 20;
const RECONNECT = { firstMs: 200, maxMs: 2_000 };

export class RedisState implements CrawlState {
  readonly #options: RedisStateOptions;
  readonly #keys: RedisKeys;
  readonly #me: ProcessName;
  readonly #clock: Clock;
  #redis: Redis | null = null;
  /** Why there is no connection: a command that waited for one is only told that it is closed. */
  #lastTrouble: Error | null = null;
  #isOwner = false;
  #cancelRenewal: (() => void) | null = null;

  constructor(options: RedisStateOptions) {
    this.#options = options;
    this.#keys = redisKeys(options.share ?? "");
    this.#me = options.me ?? thisProcess();
    this.#clock = options.clock ?? systemClock;
  }

  take(): Promise<void> {
    return this.#takeOwnership();
  }

  async read(): Promise<RememberedState> {
    const { lanes, notes, cursors, cursor } = this.#keys;
    const [laneRows, noteRows, cursorRows, lone] = await this.#ask((redis) =>
      Promise.all([redis.hgetall(lanes), redis.hgetall(notes), redis.hgetall(cursors), redis.get(cursor)]),
    );
    const all = Object.entries(noteRows).map(([key, value]): Note => ({ key, value }));
    // The Go crawler's cursor does not name a source: it read ClickHouse.
    const places = Object.keys(cursorRows).length === 0 && lone !== null ? { clickhouse: lone } : cursorRows;
    for (const [source, value] of Object.entries(places)) all.push(cursorNote(source, value));
    return {
      progress: await this.#progress(this.#keys),
      lanes: new Map(Object.entries(laneRows).map(([key, state]) => [key, JSON.parse(state) as LaneState])),
      notes: new Map(all.map((note) => [note.key, note])),
    };
  }

  async commit({ settled, lanes, notes, progress }: StateChange): Promise<void> {
    const {
      owner,
      completed,
      details,
      lanes: laneKey,
      notes: noteKey,
      cursors,
      cursor,
      stats,
      segmentNumber,
      failures,
    } = this.#keys;
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
    const places = notes.filter((note) => cursorSource(note) !== null);
    const done = await this.#ask((redis) =>
      redis.eval(
        COMMIT,
        10,
        ...[owner, completed, details, laneKey, noteKey, cursors, cursor, stats, segmentNumber, failures],
        ...[ownerText(this.#me), OWNER_EXPIRES_MS, FAILED_PREFIX, JSON.stringify(rows)],
        JSON.stringify([...lanes].flatMap(([key, state]) => [key, JSON.stringify(state)])),
        JSON.stringify(plain.flatMap(({ key, value }) => [key, value])),
        JSON.stringify(places.flatMap((note) => [cursorSource(note), note.value])),
        JSON.stringify(this.#options.classes),
        // As text: Redis would write large numbers with an exponent.
        JSON.stringify(Object.entries(progress?.stats ?? {}).flatMap(([name, value]) => [name, `${value}`])),
        progress?.segmentNumber ?? "",
      ),
    );
    if (done === 0) throw new TrawlError("STATE_BUSY", "Another process took over the state of this crawl in Redis.");
  }

  async unsettled(claims: readonly DidAtHost[]): Promise<string[]> {
    const { completed, failures } = this.#keys;
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
    const { completed, failures } = this.#keys;
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
    await this.#ask((redis) =>
      Promise.all([redis.hset(this.#keys.stats, { ...stats }), redis.set(this.#keys.segmentNumber, segmentNumber)]),
    );
  }

  async clearCursors(): Promise<void> {
    await this.#ask((redis) => redis.del(this.#keys.cursor, this.#keys.cursors));
  }

  async finish(): Promise<void> {
    const { share = "" } = this.#options;
    await this.clearCursors();
    if (share !== "") await this.#ask((redis) => redis.sadd(this.#keys.finished, share));
  }

  async unfinishedShares(): Promise<UnfinishedShare[]> {
    const { share = "" } = this.#options;
    if (share === "") return [];
    const all = Number(share.split("/")[1]);
    const others = Array.from({ length: all }, (_, index) => `${index + 1}/${all}`).filter((other) => other !== share);
    return this.#ask(async (redis) => {
      const finished = new Set(await redis.smembers(this.#keys.finished));
      const unfinished: UnfinishedShare[] = [];
      for (const other of others.filter((name) => !finished.has(name))) {
        const owner = await redis.get(redisKeys(other).owner);
        unfinished.push({ share: other, isRunning: owner !== null && !this.#isDead(owner) });
      }
      return unfinished;
    });
  }

  /** Of all shares, unless this state is one of them. */
  async summary(): Promise<StateSummary> {
    const { completed, shares } = this.#keys;
    const { classes, share = "" } = this.#options;
    return this.#ask(async (redis) => {
      const failed = await Promise.all(classes.map((name) => redis.scard(FAILED_PREFIX + name)));
      const summary: StateSummary = {
        completed: await redis.scard(completed),
        failed: Object.fromEntries(
          classes.map((name, index) => [name, failed[index]!]).filter(([, many]) => many !== 0),
        ),
        cursors: {},
        stats: { total_crawled: 0, bytes_written: 0 },
        segmentNumber: 0,
        isRunning: false,
      };
      const parts = share === "" ? ["", ...(await redis.smembers(shares)).sort()] : [share];
      for (const part of parts) await this.#addPart(redis, part, summary);
      return summary;
    });
  }

  async forget(did: string): Promise<void> {
    const { completed, failures, details } = this.#keys;
    await this.#ask((redis) => redis.srem(completed, did));
    await this.#ask((redis) => redis.hdel(failures, did));
    await this.#ask((redis) => redis.hdel(details, did));
    for (const name of this.#options.classes) await this.#ask((redis) => redis.srem(FAILED_PREFIX + name, did));
  }

  async reset(): Promise<void> {
    await this.#ask(async (redis) => {
      for await (const keys of redis.scanStream({ match: EVERY_KEY, count: 1_000 })) {
        // Keeps the owner while it is this process: `close` releases it.
        const forgotten = (keys as string[]).filter((key) => !(this.#isOwner && key === this.#keys.owner));
        if (forgotten.length > 0) await redis.unlink(...forgotten);
      }
    });
  }

  async close(): Promise<void> {
    this.#cancelRenewal?.();
    this.#cancelRenewal = null;
    const redis = this.#redis;
    if (redis === null) return;
    try {
      if (this.#isOwner) await redis.eval(GIVE_UP_OWNERSHIP, 1, this.#keys.owner, ownerText(this.#me));
    } catch {
      // It expires by itself.
    }
    this.#isOwner = false;
    this.#redis = null;
    redis.disconnect();
  }

  async #addPart(redis: Redis, share: string, summary: StateSummary): Promise<void> {
    const keys = redisKeys(share);
    const { stats, segmentNumber } = await this.#progress(keys);
    summary.stats.total_crawled += stats.total_crawled;
    summary.stats.bytes_written += stats.bytes_written;
    summary.segmentNumber = Math.max(summary.segmentNumber, segmentNumber);
    const owner = await redis.get(keys.owner);
    summary.isRunning ||= owner !== null && !this.#isDead(owner);
    const places = await redis.hgetall(keys.cursors);
    const lone = await redis.get(keys.cursor);
    const read = Object.keys(places).length === 0 && lone !== null ? { clickhouse: lone } : places;
    for (const [source, cursor] of Object.entries(read)) {
      summary.cursors[share === "" ? source : `${source} (${share})`] = cursor;
    }
  }

  #progress({ stats, segmentNumber }: RedisKeys): Promise<Progress> {
    return this.#ask(async (redis) => {
      const [saved, number] = await Promise.all([redis.hgetall(stats), redis.get(segmentNumber)]);
      return {
        stats: {
          total_crawled: Number(saved["total_crawled"] ?? 0),
          bytes_written: Number(saved["bytes_written"] ?? 0),
        },
        segmentNumber: Number(number ?? 0),
      };
    });
  }

  async #takeOwnership(): Promise<void> {
    const { owner, shares } = this.#keys;
    const { share = "" } = this.#options;
    const dead: string[] = [];
    for (;;) {
      const holder = (await this.#ask((redis) =>
        redis.eval(
          TAKE_OWNERSHIP,
          3,
          ...[owner, redisKeys("").owner, shares],
          ...[ownerText(this.#me), OWNER_EXPIRES_MS, JSON.stringify(dead), share],
        ),
      )) as string | null;
      if (holder === null) break;
      if (!this.#isDead(holder)) {
        const [host, pid] = holder.split(" ");
        throw new TrawlError("STATE_BUSY", `Process ${pid} on ${host} is crawling with this state in Redis.`);
      }
      dead.push(holder);
    }
    this.#isOwner = true;
    if (share !== "") await this.#ask((redis) => redis.srem(this.#keys.finished, share));
    this.#renewLater();
  }

  #isDead(owner: string): boolean {
    return isDeadOwner(owner, this.#me, this.#options.isAlive ?? isProcessAlive);
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#clock.after(OWNER_RENEWED_MS, () => {
      this.#renewLater();
      // If it fails, the next commit reports it.
      this.#redis?.eval(RENEW_OWNERSHIP, 1, this.#keys.owner, ownerText(this.#me), OWNER_EXPIRES_MS).catch(() => {});
    });
  }

  async #ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      this.#redis ??= this.#connect();
      return await question(this.#redis);
    } catch (error) {
      if (error instanceof TrawlError) throw error;
      const reason = (this.#lastTrouble ?? (error as Error)).message.replace(/\.$/, "");
      const detail = `Redis at ${withoutPassword(this.#options.address)}: ${reason}.`;
      throw new TrawlError("REDIS_FAILED", detail, { cause: error });
    }
  }

  #connect(): Redis {
    const { address } = this.#options;
    const url = address.includes("://") ? address : `redis://${address}`;
    let isReady = false;
    const redis = new Redis(url, {
      // A wrong address fails at once; a server that answered before is waited for.
      retryStrategy: (times) => (isReady && times <= RECONNECTS ? backOff(RECONNECT, times) : null),
      maxRetriesPerRequest: null,
    });
    redis.on("ready", () => {
      isReady = true;
      this.#lastTrouble = null;
    });
    // Without a listener it would end the process; commands report the error themselves.
    redis.on("error", (error: Error) => {
      this.#lastTrouble = error;
    });
    return redis;
  }
}

const withoutPassword = (address: string): string => address.replace(/\/\/[^@/]*@/, "//");

/** Whether a host was not asked before, or may have something else by now. */
function mayAsk(failures: string, host: string, now: number): boolean {
  const before = (JSON.parse(failures) as Record<string, [failure: string, retryAt: string]>)[host];
  return before === undefined || Number(before[1]) <= now;
}

function* chunks<T>(all: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < all.length; at += CHUNK) yield all.slice(at, at + CHUNK);
}
