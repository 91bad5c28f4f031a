/**
 * Lines that wait, in one queue per host: the ends of each queue in memory, everything between them in one scratch file. A
 * host with half of all DIDs therefore costs disk, not memory. Nothing in it outlives the process: sources are read again.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";

/** Several processes may write segments into one folder, so each has its own file. */
let spools = 0;

/** About a hundred DIDs. Slots that were read are written again, so the file is no larger than the most that ever waited. */
const SLOT_BYTES = 4_096;

interface Queue {
  /** Taken from here, */
  head: string[];
  taken: number;
  /** then from these slots of the file, */
  slots: Slot[];
  firstSlot: number;
  /** then from here, where new ones are added. */
  tail: string[];
  tailBytes: number;
  size: number;
}

interface Slot {
  number: number;
  bytes: number;
}

export class HostSpool {
  readonly #path: string;
  readonly #slotBytes: number;
  readonly #queues = new Map<string, Queue>();
  readonly #buffer: Buffer;
  #file: number | null = null;
  #free: number[] = [];
  #slots = 0;
  #size = 0;

  constructor(path: string, slotBytes = SLOT_BYTES) {
    this.#path = `${path}-${process.pid}-${++spools}`;
    this.#slotBytes = slotBytes;
    this.#buffer = Buffer.alloc(slotBytes);
  }

  /** Lines that wait, over all hosts. */
  get size(): number {
    return this.#size;
  }

  /** Hosts with lines that wait. */
  get hosts(): number {
    return this.#queues.size;
  }

  /** The size of the scratch file. */
  get fileBytes(): number {
    return this.#slots * this.#slotBytes;
  }

  sizeOf(host: string): number {
    return this.#queues.get(host)?.size ?? 0;
  }

  /** A line of ASCII without a line feed. */
  push(host: string, line: string): void {
    let queue = this.#queues.get(host);
    if (queue === undefined) {
      queue = { head: [], taken: 0, slots: [], firstSlot: 0, tail: [], tailBytes: 0, size: 0 };
      this.#queues.set(host, queue);
    }
    const bytes = line.length + 1;
    if (queue.tailBytes > 0 && queue.tailBytes + bytes > this.#slotBytes) this.#spill(queue);
    queue.tail.push(line);
    queue.tailBytes += bytes;
    queue.size++;
    this.#size++;
  }

  /** The next lines of a host, in the order in which they came. */
  take(host: string, most: number): string[] {
    const queue = this.#queues.get(host);
    const taken: string[] = [];
    if (queue === undefined) return taken;
    while (taken.length < most && queue.size > 0) {
      if (queue.taken === queue.head.length) this.#advance(queue);
      const upTo = Math.min(queue.head.length, queue.taken + most - taken.length);
      for (let at = queue.taken; at < upTo; at++) taken.push(queue.head[at]!);
      queue.size -= upTo - queue.taken;
      this.#size -= upTo - queue.taken;
      queue.taken = upTo;
    }
    if (queue.size === 0) this.#queues.delete(host);
    return taken;
  }

  /** Deletes the file. */
  close(): void {
    this.#queues.clear();
    this.#size = 0;
    if (this.#file === null) return;
    closeSync(this.#file);
    this.#file = null;
    rmSync(this.#path, { force: true });
  }

  #spill(queue: Queue): void {
    this.#file ??= this.#open();
    const text = queue.tail.join("\n");
    // A line longer than a slot could not be stored, but no DID is that long.
    if (text.length > this.#slotBytes) throw new RangeError(`a line of ${text.length} bytes does not fit into a slot`);
    const number = this.#free.pop() ?? this.#slots++;
    const bytes = this.#buffer.write(text, "latin1");
    writeSync(this.#file, this.#buffer, 0, bytes, number * this.#slotBytes);
    queue.slots.push({ number, bytes });
    queue.tail = [];
    queue.tailBytes = 0;
  }

  #open(): number {
    const file = openSync(this.#path, "w+", 0o600);
    try {
      // It stays readable while it is open, and a crash leaves nothing behind. Windows refuses this.
      rmSync(this.#path, { force: true });
    } catch {}
    return file;
  }

  #advance(queue: Queue): void {
    queue.taken = 0;
    const slot = queue.slots[queue.firstSlot];
    if (slot === undefined) {
      queue.head = queue.tail;
      queue.tail = [];
      queue.tailBytes = 0;
      return;
    }
    queue.firstSlot++;
    if (queue.firstSlot > 256 && queue.firstSlot * 2 > queue.slots.length) {
      queue.slots.splice(0, queue.firstSlot);
      queue.firstSlot = 0;
    }
    const read = readSync(this.#file!, this.#buffer, 0, slot.bytes, slot.number * this.#slotBytes);
    if (read !== slot.bytes) throw new Error(`${this.#path} was changed by another program`);
    this.#free.push(slot.number);
    queue.head = this.#buffer.toString("latin1", 0, read).split("\n");
  }
}
