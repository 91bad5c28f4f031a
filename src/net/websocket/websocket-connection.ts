/** One end of an open WebSocket: messages are pulled, so a slow reader stops the socket instead of filling memory. */
import type { Socket } from "node:net";
import { FetchError } from "../fetch-errors.ts";
import {
  BINARY_FRAME,
  CLOSE_FRAME,
  encodeFrame,
  FrameReader,
  type Message,
  PING_FRAME,
  PONG_FRAME,
  TEXT_FRAME,
  WebSocketProblem,
} from "./websocket-frames.ts";

export interface ConnectionOptions {
  /** Which end this is: what a client sends is masked. */
  side: "client" | "server";
  largestMessage: number;
}

/** Messages that wait to be read; beyond this many bytes nothing is read from the socket. */
const MOST_WAITING_BYTES = 4 * 2 ** 20;
/** What a message takes besides its bytes: empty ones count too. */
const MESSAGE_BYTES = 256;
/** Pings, pongs and their like within a window: far more than anyone needs to see that the other end lives. */
const MOST_CONTROL_FRAMES = 10_000;
const CONTROL_WINDOW_MS = 10_000;
/** How long the other end has to answer a close frame. */
const CLOSE_PATIENCE_MS = 1_000;

export class WebSocketConnection {
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #masked: boolean;
  #waiting: Message[] = [];
  #waitingBytes = 0;
  #wanted: (() => void) | null = null;
  /** The last ping that was not answered, while an answer is on its way: a reader who takes no answers gets one. */
  #unanswered: Buffer | null = null;
  #isAnswering = false;
  #controlFrames = 0;
  #controlSince = 0;
  #error: Error | null = null;
  #isOver = false;
  #saidClose = false;
  /** When the last byte came, by `performance.now`. */
  lastByteAt = performance.now();
  /** The code and the reason of the other end's close frame. */
  closed: { code: number; reason: string } | null = null;

  constructor(socket: Socket, head: Buffer, { side, largestMessage }: ConnectionOptions) {
    this.#socket = socket;
    this.#masked = side === "client";
    this.#reader = new FrameReader({ largestMessage, masked: side === "server" });
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("error", (error) => this.#end(new FetchError("reset", error.message, { cause: error })));
    socket.on("close", () => this.#end(null));
    socket.on("end", () => socket.end());
    if (head.length > 0) this.#take(head);
  }

  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** Whether a message can be read at once. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** It waits for its reader. */
  get isPaused(): boolean {
    return this.#waitingBytes > 0;
  }

  /** Text and binary messages in order; ends with the connection, or throws when it broke or the other end misbehaved. */
  async *messages(): AsyncGenerator<Message> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        this.#waitingBytes -= message.data.length + MESSAGE_BYTES;
        if (this.#waitingBytes <= MOST_WAITING_BYTES / 2 && this.#socket.isPaused()) this.#socket.resume();
        yield message;
        continue;
      }
      if (this.#error !== null) throw this.#error;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wanted = resolve;
      });
    }
  }

  /** Resolves when the system has taken it: await it, or what a slow reader does not take fills memory. */
  send(data: Uint8Array | string): Promise<void> {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    return this.#write(encodeFrame(typeof data === "string" ? TEXT_FRAME : BINARY_FRAME, bytes, this.#masked));
  }

  ping(): void {
    void this.#write(encodeFrame(PING_FRAME, Buffer.alloc(0), this.#masked));
  }

  /** Says goodbye, and hangs up when the other end has answered or does not. */
  close(code = 1000, reason = ""): void {
    if (this.#isOver) return;
    this.#sayClose(code, reason);
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_PATIENCE_MS);
    this.#socket.once("close", () => clearTimeout(timer));
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
    this.#end(null);
  }

  #sayClose(code: number, reason: string): void {
    if (this.#saidClose) return;
    this.#saidClose = true;
    const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason).subarray(0, 120)]);
    void this.#write(encodeFrame(CLOSE_FRAME, payload, this.#masked));
  }

  #write(frame: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed || !this.#socket.writable) resolve();
      else this.#socket.write(frame, () => resolve());
    });
  }

  #take(bytes: Buffer): void {
    this.lastByteAt = performance.now();
    if (this.#isOver) return;
    try {
      for (const message of this.#reader.push(bytes)) this.#handle(message);
    } catch (error) {
      if (!(error instanceof WebSocketProblem)) throw error;
      this.#sayClose(error.code, error.message);
      this.#end(error);
      this.#socket.destroy();
    }
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#socket.pause();
  }

  #handle({ kind, data }: Message): void {
    if (kind > BINARY_FRAME) this.#countControl();
    if (kind === PING_FRAME) this.#answer(data);
    else if (kind === CLOSE_FRAME) {
      const code = data.length >= 2 ? data.readUInt16BE(0) : 1005;
      this.closed = { code, reason: data.subarray(2).toString("utf8") };
      this.#sayClose(code === 1005 ? 1000 : code, "");
      this.#socket.end();
    } else if (kind !== PONG_FRAME) {
      this.#waiting.push({ kind, data });
      this.#waitingBytes += data.length + MESSAGE_BYTES;
      this.#wake();
    }
  }

  #countControl(): void {
    if (this.lastByteAt - this.#controlSince > CONTROL_WINDOW_MS) {
      this.#controlSince = this.lastByteAt;
      this.#controlFrames = 0;
    }
    if (++this.#controlFrames > MOST_CONTROL_FRAMES) throw new WebSocketProblem(1008, "pings come without end");
  }

  /** The newest ping is enough (RFC 6455 section 5.5.3). */
  #answer(ping: Buffer): void {
    if (this.#isAnswering) {
      this.#unanswered = ping;
      return;
    }
    this.#isAnswering = true;
    void this.#write(encodeFrame(PONG_FRAME, ping, this.#masked)).then(() => {
      this.#isAnswering = false;
      const next = this.#unanswered;
      this.#unanswered = null;
      if (next !== null && !this.#isOver) this.#answer(next);
    });
  }

  #end(error: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#wake();
  }

  #wake(): void {
    this.#wanted?.();
    this.#wanted = null;
  }
}
