/**
 * How many accounts each host has, as far as it is known: what its lists and its relay say, not what is left to fetch. Rates
 * follow it.
 */
import type { Note } from "../kernel/ledger.ts";
import { tierBySize } from "./lane-policy.ts";

const NOTE = "size ";

export class HostSizes {
  /** What was said about a host, by somebody who knows or by an earlier run, and what its lists have shown: never added up. */
  readonly #said = new Map<string, number>();
  readonly #listed = new Map<string, number>();
  /** Called when a host turns out to be of another class than before. */
  onChange: (origin: string) => void = () => {};

  /** Null for hosts of which no account is known. */
  sizeOf(origin: string): number | null {
    const said = this.#said.get(origin);
    const listed = this.#listed.get(origin);
    return said === undefined && listed === undefined ? null : Math.max(said ?? 0, listed ?? 0);
  }

  /** So many more accounts were read. */
  add(origin: string, many: number): void {
    this.#change(origin, () => this.#listed.set(origin, (this.#listed.get(origin) ?? 0) + many));
  }

  /** Somebody who knows says that it has at least so many. */
  atLeast(origin: string, many: number): void {
    this.#change(origin, () => this.#said.set(origin, Math.max(many, this.#said.get(origin) ?? 0)));
  }

  /** From an earlier run, before this one begins: nobody has to be told. */
  recover({ key, value }: Note): void {
    if (key.startsWith(NOTE)) this.#said.set(key.slice(NOTE.length), Number(value) || 0);
  }

  #change(origin: string, set: () => void): void {
    const before = this.sizeOf(origin);
    set();
    if (before === null || tierBySize(before) !== tierBySize(this.sizeOf(origin)!)) this.onChange(origin);
  }
}

/** Kept for a crawl that is resumed, whenever a host turns out to be of another class. */
export const sizeNote = (origin: string, size: number): Note => ({ key: `${NOTE}${origin}`, value: `${size}` });
