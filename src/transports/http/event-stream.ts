/**
 * Server-sent events: what happens to crawls, sent to every open connection. Events only say that there is something to
 * fetch, so a client may miss some, but a slow client must not fill our memory.
 */
import type { AppEvent } from "../../app/events.ts";
import type { Clock } from "../../kernel/clock.ts";

/** Proxies close connections that are silent for half a minute or a minute. */
const HEARTBEAT_MS = 15_000;
/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000;
/** Events kept for clients that reconnect: the progress of several crawls over a minute or two. */
const REPLAYED = 256;
/** Characters that may wait for one client. Events are small: a client this far behind has stopped reading. */
const MAX_WAITING_BYTES = 64 * 1024;

interface Sent {
  id: number;
  text: string;
}

interface Reader {
  controller: ReadableStreamDefaultController<Uint8Array>;
  drop: () => void;
  closed: () => void;
}

const encoder = new TextEncoder();

export class EventStream {
  readonly #clock: Clock;
  /** Distinguishes this server's events from those of an earlier one, whose ids a client may send. */
  readonly #run: string;
  readonly #recent: Sent[] = [];
  readonly #readers = new Set<Reader>();
  #lastId = 0;
  #cancelHeartbeat: (() => void) | null = null;
  #isClosed = false;

  constructor(clock: Clock, run: string) {
    this.#clock = clock;
    this.#run = run;
  }

  get readers(): number {
    return this.#readers.size;
  }

  send({ type, crawlId, projectId }: AppEvent): void {
    const id = ++this.#lastId;
    const data = JSON.stringify({ crawlId, projectId });
    const text = `id: ${this.#run}-${id}\nevent: ${type}\ndata: ${data}\n\n`;
    this.#recent.push({ id, text });
    if (this.#recent.length > REPLAYED) this.#recent.shift();
    this.#toAll(text);
  }

  /** The body of a new connection. `drop` is called when the client is too slow, `closed` at its end, whatever the cause. */
  open(lastEventId: string | null, drop: () => void, closed: () => void = () => {}): ReadableStream<Uint8Array> {
    let reader: Reader;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = { controller, drop, closed };
          controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n${this.#missed(lastEventId)}`));
          if (this.#isClosed) {
            controller.close();
            closed();
            return;
          }
          this.#readers.add(reader);
          this.#cancelHeartbeat ??= this.#clock.after(HEARTBEAT_MS, () => this.#beat());
        },
        cancel: () => this.#remove(reader),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    );
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of [...this.#readers]) {
      reader.controller.close();
      this.#remove(reader);
    }
  }

  #missed(lastEventId: string | null): string {
    const [run, seen] = (lastEventId ?? "").split("-");
    if (run !== this.#run || !/^\d{1,15}$/.test(seen ?? "")) return "";
    return this.#recent
      .filter(({ id }) => id > Number(seen))
      .map(({ text }) => text)
      .join("");
  }

  #beat(): void {
    this.#cancelHeartbeat = null;
    this.#toAll(": still here\n\n");
    if (this.#readers.size > 0) this.#cancelHeartbeat = this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  #toAll(text: string): void {
    const bytes = encoder.encode(text);
    for (const reader of [...this.#readers]) {
      if ((reader.controller.desiredSize ?? 0) >= bytes.length) reader.controller.enqueue(bytes);
      else {
        reader.controller.close();
        this.#remove(reader);
        reader.drop();
      }
    }
  }

  #remove(reader: Reader): void {
    this.#readers.delete(reader);
    reader.closed();
    if (this.#readers.size > 0) return;
    this.#cancelHeartbeat?.();
    this.#cancelHeartbeat = null;
  }
}
