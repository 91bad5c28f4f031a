/**
 * How many accounts each host has, as far as it is known: what its lists and its relay say, not what is left to fetch. Rates
 * follow it.
 */
import type { Note } from "../kernel/ledger.ts";
import { pdsSize } from "./lane-policy.ts";

const NOTE = "size ";

export class HostSizes {
  readonly #sizes = new Map<string, number>();
  /** Called when a host turns out to be of another class than before. */
  onChange: (origin: string) => void = () => {};

  /** Null for hosts of which no account is known. */
  sizeOf(origin: string): number | null {
    return this.#sizes.get(origin) ?? null;
  }

  /** So many more accounts were read. */
  add(origin: string, many: number): void {
    this.#set(origin, (this.#sizes.get(origin) ?? 0) + many);
  }

  /** Somebody who knows says that it has at least so many. */
  atLeast(origin: string, many: number): void {
    if (many > (this.#sizes.get(origin) ?? 0)) this.#set(origin, many);
  }

  /** From an earlier run, before this one begins: nobody has to be told. */
  recover({ key, value }: Note): void {
    if (key.startsWith(NOTE)) this.#sizes.set(key.slice(NOTE.length), Number(value) || 0);
  }

  #set(origin: string, size: number): void {
    const before = this.#sizes.get(origin);
    this.#sizes.set(origin, size);
    if (before === undefined || pdsSize(before) !== pdsSize(size)) this.onChange(origin);
  }
}

/** Kept for a crawl that is resumed, whenever a host turns out to be of another class. */
export const sizeNote = (origin: string, size: number): Note => ({ key: `${NOTE}${origin}`, value: `${size}` });
