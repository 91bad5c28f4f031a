/** A connection to Redis that says which server does not answer, and waits while one restarts. */
import { Redis } from "ioredis";
import { TrawlError } from "../../errors.ts";
import { backOff } from "../../kernel/back-off.ts";

/** How often to reconnect during a restart of Redis, waiting a little longer each time: half a minute in total. */
const RECONNECTS = 20;
const RECONNECT = { firstMs: 200, maxMs: 2_000 };

export class RedisConnection {
  /** `host:port` or `redis://…`. */
  readonly #address: string;
  #redis: Redis | null = null;
  /** Why there is no connection: a command that waited for one is only told that it is closed. */
  #lastTrouble: Error | null = null;

  constructor(address: string) {
    this.#address = address;
  }

  get isOpen(): boolean {
    return this.#redis !== null;
  }

  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      this.#redis ??= this.#connect();
      return await question(this.#redis);
    } catch (error) {
      if (error instanceof TrawlError) throw error;
      const reason = (this.#lastTrouble ?? (error as Error)).message.replace(/\.$/, "");
      const detail = `Redis at ${withoutPassword(this.#address)}: ${reason}.`;
      throw new TrawlError("REDIS_FAILED", detail, { cause: error });
    }
  }

  close(): void {
    this.#redis?.disconnect();
    this.#redis = null;
  }

  #connect(): Redis {
    const url = this.#address.includes("://") ? this.#address : `redis://${this.#address}`;
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
