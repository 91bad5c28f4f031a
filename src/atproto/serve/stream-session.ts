/**
 * One program that follows the archive over a WebSocket. It acknowledges what it has dealt with; so much is sent ahead of that, and no more. What
 * it has not acknowledged is sent again the next time.
 */

import type { WebSocketConnection } from "../../net/websocket/websocket-connection.ts";
import { TEXT_FRAME } from "../../net/websocket/websocket-frames.ts";
import type { StreamMessage } from "./archive-stream.ts";
import type { CursorSeal } from "./cursor-seal.ts";
import type { StreamCursor } from "./stream-cursor.ts";

export interface StreamSessionOptions {
  connection: WebSocketConnection;
  messages: AsyncIterable<StreamMessage>;
  seal: Pick<CursorSeal, "seal">;
  /** Stores how far it has acknowledged, for a program that has a name. */
  keep: (cursor: StreamCursor) => Promise<void>;
}

/** Messages that are sent ahead of the last acknowledgement. */
export const MOST_UNACKNOWLEDGED = 1_000;
/** The close code for what a client should not have sent (RFC 6455 section 7.4.1). */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

export class StreamSession {
  readonly #options: StreamSessionOptions;
  /** Sent and not acknowledged, in order. */
  #waiting: { id: number; cursor: StreamCursor }[] = [];
  #sent = 0;
  /** The client has gone, or is not listened to any more. */
  #isOver = false;
  #kept: StreamCursor | null = null;
  #keeping: Promise<void> | null = null;
  #moved = Promise.withResolvers<void>();

  constructor(options: StreamSessionOptions) {
    this.#options = options;
  }

  /** Ends with the connection. Rejects when the archive cannot be read, or the place not be kept. */
  async run(): Promise<void> {
    const { connection } = this.#options;
    const reading = this.#read().finally(() => {
      this.#isOver = true;
      this.#tell();
    });
    try {
      await this.#send();
    } catch (error) {
      connection.close(INTERNAL_ERROR, "The archive could not be read.");
      throw error;
    } finally {
      connection.close();
      await reading;
      await this.#keeping;
    }
  }

  async #send(): Promise<void> {
    const { connection, messages, seal } = this.#options;
    for await (const { text, cursor } of messages) {
      while (!this.#isOver && this.#waiting.length >= MOST_UNACKNOWLEDGED) await this.#moved.promise;
      if (this.#isOver) return;
      const id = ++this.#sent;
      this.#waiting.push({ id, cursor });
      await connection.send(`{"id":${id},"cursor":"${seal.seal(cursor)}",${text.slice(1)}`);
    }
  }

  /** `{"ack": 17}`: that message and all before it have been dealt with. */
  async #read(): Promise<void> {
    const { connection } = this.#options;
    try {
      for await (const { kind, data } of connection.messages()) {
        const id = kind === TEXT_FRAME ? acknowledged(data) : null;
        if (id === null || id > this.#sent) {
          connection.close(POLICY_VIOLATION, 'Only {"ack": id} of a message that was sent.');
          return;
        }
        this.#acknowledge(id);
      }
    } catch {
      // The connection broke: what was not acknowledged is sent again.
    }
  }

  #acknowledge(id: number): void {
    let done: StreamCursor | null = null;
    while (this.#waiting.length > 0 && this.#waiting[0]!.id <= id) done = this.#waiting.shift()!.cursor;
    if (done === null) return;
    this.#kept = done;
    this.#keeping ??= this.#keepAll().finally(() => {
      this.#keeping = null;
    });
    this.#tell();
  }

  /** One at a time; what was acknowledged meanwhile is kept with the next. */
  async #keepAll(): Promise<void> {
    while (this.#kept !== null) {
      const cursor = this.#kept;
      this.#kept = null;
      await this.#options.keep(cursor);
    }
  }

  #tell(): void {
    const { resolve } = this.#moved;
    this.#moved = Promise.withResolvers<void>();
    resolve();
  }
}

function acknowledged(data: Buffer): number | null {
  try {
    const { ack } = JSON.parse(data.toString("utf8")) as { ack?: unknown };
    return Number.isSafeInteger(ack) && (ack as number) > 0 ? (ack as number) : null;
  } catch {
    return null;
  }
}
