/** `/stream`: who may follow the archive, from where, and what they want of it. */

import { TrawlError } from "../../errors.ts";
import { sleep, systemClock } from "../../kernel/clock.ts";
import type { WebSocketConnection } from "../../net/websocket/websocket-connection.ts";
import { type CollectionFilter, collectionFilter } from "../collection-filter.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import { ArchiveStream } from "./archive-stream.ts";
import type { CommitIndex } from "./commit-index.ts";
import { hasRoom, isConsumerName, keepPlace, placeOf } from "./consumer-places.ts";
import { CursorSeal } from "./cursor-seal.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import { StreamSession } from "./stream-session.ts";

export interface StreamRequest {
  from: StreamCursor | "snapshot" | "now";
  /** Whose place is kept; null when the client keeps it. */
  consumer: string | null;
  filter: CollectionFilter;
  inactive: boolean;
  json: JsonForm;
}

export interface StreamDoorOptions {
  folder: string;
  commits: CommitIndex;
  onDamage: (damage: Damage) => void;
}

/** Why a stream is not opened. */
export interface Refusal {
  problem: string;
  status: number;
}

const refuse = (problem: string, status = 400): Refusal => ({ problem, status });

/** Each reads the archive by itself. */
export const MOST_STREAMS = 32;
/** How often files are looked at for more. */
const LOOK_MS = 250;
const PING_MS = 30_000;
const PARAMETERS = new Set(["cursor", "consumer", "collections", "inactive", "json", "snapshot"]);

export class StreamDoor {
  readonly #options: StreamDoorOptions;
  readonly #stopping = new AbortController();
  readonly #sessions = new Set<Promise<void>>();
  /** Ends the connection of each consumer that is connected. */
  readonly #consumers = new Map<string, () => Promise<void>>();
  /** Named consumers that had no place when they came. */
  readonly #newcomers = new Set<string>();
  /** Streams that are open or being opened. */
  #open = 0;
  #sealing: Promise<CursorSeal> | null = null;

  constructor(options: StreamDoorOptions) {
    this.#options = options;
  }

  /**
   * Streams what `params` ask for to the connection that `accept` makes; null is a client that is not one. Resolves when the
   * connection is over, or with why this cannot be streamed.
   */
  async stream(params: URLSearchParams, accept: () => WebSocketConnection | null): Promise<Refusal | null> {
    if (this.#open >= MOST_STREAMS) return refuse("Too many streams", 503);
    // Counted from here: many may ask at once.
    this.#open++;
    const consumer = params.get("consumer");
    try {
      const request = await this.#read(params);
      if ("problem" in request) return request;
      const connection = accept();
      if (connection !== null) await this.#follow(connection, request);
      return null;
    } finally {
      this.#open--;
      if (consumer !== null) this.#newcomers.delete(consumer);
    }
  }

  /** The place of a named consumer is read. */
  async #read(params: URLSearchParams): Promise<StreamRequest | Refusal> {
    for (const name of params.keys())
      if (!PARAMETERS.has(name)) return refuse(`Unknown parameter ${name.slice(0, 40)}`);
    const [consumer, written] = [params.get("consumer"), params.get("cursor")];
    if (consumer !== null && !isConsumerName(consumer))
      return refuse("The name of a consumer has letters, digits, _ and -");
    if (consumer !== null && written !== null) return refuse("Either cursor or consumer");
    const cursor = written === null ? null : (await this.#seal()).open(written);
    if (written !== null && cursor === null) return refuse("The cursor is not one of this stream");
    const filter = filterOf(params.get("collections"));
    if (filter === null) return refuse("collections: names such as app.bsky.feed.post or app.bsky.*, with commas");
    const json = params.get("json") ?? "seed";
    if (json !== "seed" && json !== "lossless") return refuse("json is seed or lossless");
    const fresh = params.get("snapshot") === "false" ? "now" : "snapshot";
    const kept = consumer === null ? null : await this.#placeOf(consumer);
    if (kept === "no room") return refuse("Too many named consumers", 403);
    return { from: cursor ?? kept ?? fresh, consumer, filter, inactive: params.get("inactive") === "true", json };
  }

  /** Null for a new consumer, if there is room for another. */
  async #placeOf(consumer: string): Promise<StreamCursor | "no room" | null> {
    const { folder } = this.#options;
    // The connection before may have broken without a sign: the newest counts.
    await this.#consumers.get(consumer)?.();
    const kept = await placeOf(folder, consumer);
    if (kept !== null) return kept;
    // Others that have no file yet count too, from before the files are looked at.
    this.#newcomers.add(consumer);
    return (await hasRoom(folder, this.#newcomers)) ? null : "no room";
  }

  #follow(connection: WebSocketConnection, request: StreamRequest): Promise<void> {
    const { consumer } = request;
    const session = this.#run(connection, request).finally(() => {
      this.#sessions.delete(session);
      if (consumer !== null && this.#consumers.get(consumer) === end) this.#consumers.delete(consumer);
    });
    const end = async (): Promise<void> => {
      connection.destroy();
      await session.catch(() => {});
    };
    this.#sessions.add(session);
    if (consumer !== null) this.#consumers.set(consumer, end);
    return session;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#sessions);
  }

  /** One for all: two that look for the key at once could each make one. */
  #seal(): Promise<CursorSeal> {
    this.#sealing ??= CursorSeal.of(this.#options.folder).catch((error: unknown) => {
      this.#sealing = null;
      throw error;
    });
    return this.#sealing;
  }

  async #run(connection: WebSocketConnection, { from, consumer, ...wanted }: StreamRequest): Promise<void> {
    const { folder } = this.#options;
    const over = new AbortController();
    const stop = (): void => {
      over.abort();
      connection.close(1001, "The server stops.");
    };
    this.#stopping.signal.addEventListener("abort", stop, { once: true });
    const ping = setInterval(() => connection.ping(), PING_MS);
    try {
      const options = { ...this.#options, ...wanted, now: Date.now, signal: over.signal };
      const stream = await ArchiveStream.open({ ...options, pause: () => pause(connection, over) }, from);
      const keep = async (cursor: StreamCursor): Promise<void> => {
        if (consumer !== null) await keepPlace(folder, consumer, cursor);
      };
      await new StreamSession({ connection, messages: stream.messages(), seal: await this.#seal(), keep }).run();
    } finally {
      clearInterval(ping);
      over.abort();
      this.#stopping.signal.removeEventListener("abort", stop);
      connection.destroy();
    }
  }
}

/** A moment, in which the connection may end. */
async function pause(connection: WebSocketConnection, over: AbortController): Promise<void> {
  await sleep(systemClock, LOOK_MS, over.signal).catch(() => {});
  if (!connection.isOpen) over.abort();
}

function filterOf(written: string | null): CollectionFilter | null {
  try {
    return collectionFilter(written === null ? [] : written.split(","));
  } catch (error) {
    if (error instanceof TrawlError) return null;
    throw error;
  }
}
