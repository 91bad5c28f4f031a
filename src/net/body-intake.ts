/**
 * Where a body goes while it arrives: into memory. If the owner of the memory has no room for it, to what the owner gives instead,
 * from which it is read when there is room.
 */
import { type contentCodings, decodeBody } from "./content-coding.ts";
import type { Decoded, Room } from "./decompress.ts";
import type { MayGrow } from "./http-types.ts";
import { ByteSink, free } from "./response.ts";

type Codings = ReturnType<typeof contentCodings>;

/** Takes the body over that memory has no room for, from its first byte. */
export interface BodyOverflow {
  /** True when more may come at once; else what to wait for: not after every chunk, as data piles up in the socket at each pause. */
  write(bytes: Buffer): true | Promise<void>;
  /** The whole body, once there is room for it in memory. */
  read(): Promise<Buffer>;
}

export interface BodyOwner {
  /** Asked before more is kept in memory; null: always. */
  mayGrow: MayGrow | null;
  /** Called when it refused; null if the body cannot be kept elsewhere either. */
  overflow: (() => BodyOverflow | null) | null;
}

export class BodyIntake {
  readonly #owner: BodyOwner;
  readonly #sink: ByteSink;
  #length = 0;
  #overflow: BodyOverflow | null = null;

  /** `claim` is the expected length, 0 when not known. */
  constructor(claim: number, owner: BodyOwner) {
    this.#owner = owner;
    this.#sink = new ByteSink(claim);
  }

  /** False when there is no room anywhere; a promise when more should come only once it resolves. */
  write(bytes: Buffer): boolean | Promise<void> {
    this.#length += bytes.length;
    if (this.#overflow !== null) return this.#overflow.write(bytes);
    const { mayGrow, overflow } = this.#owner;
    if (mayGrow?.(this.#length) !== false) {
      this.#sink.write(bytes);
      return true;
    }
    this.#overflow = overflow?.() ?? null;
    return this.#overflow === null ? false : this.#moveTo(this.#overflow, bytes);
  }

  /** All of it; `partial` when the rest was not read. */
  decode(codings: Codings, room: Room, partial: boolean): Decoded | Promise<Decoded> {
    if (this.#overflow === null) return decodeBody(this.#sink.bytes(), codings, room, partial);
    return this.#overflow.read().then((bytes) => decodeBody(bytes, codings, room, partial));
  }

  #moveTo(overflow: BodyOverflow, bytes: Buffer): true | Promise<void> {
    const held = this.#sink.bytes();
    const stored = [overflow.write(held), overflow.write(bytes)];
    return stored.every((one) => one === true) || Promise.all(stored).then(() => free(held));
  }
}
