/**
 * How many accounts each host has, as far as known: what its lists and its relay say, not what is left to fetch. Rates depend
 * on it.
 */
import type { Note } from "../kernel/ledger.ts";
import { tierBySize } from "./lane-policy.ts";

const NOTE = "size ";

export class HostSizes {
  /** What a relay or an earlier run said about a host, and what its lists have shown; the two are never added up. */
  readonly #said = new Map<string, number>();
  readonly #listed = new Map<string, number>();
  /** Called when a host turns out to be in a different class than before. */
  onChange: (origin: string) => void = () => {};

  /** Null for hosts of which no account is known. */
  sizeOf(origin: string): number | null {
    const said = this.#said.get(origin);
    const listed = this.#listed.get(origin);
    return said === undefined && listed === undefined ? null : Math.max(said ?? 0, listed ?? 0);
  }

  /** That many more accounts were read. */
  add(origin: string, many: number): void {
    this.#change(origin, () => this.#listed.set(origin, (this.#listed.get(origin) ?? 0) + many));
  }

  /** A relay says that it has at least this many. */
  atLeast(origin: string, many: number): void {
    this.#change(origin, () => this.#said.set(origin, Math.max(many, this.#said.get(origin) ?? 0)));
  }

  /** From an earlier run, before this one begins, so nobody needs to be told. */
  recover({ key, value }: Note): void {
    if (key.startsWith(NOTE)) this.#said.set(key.slice(NOTE.length), Number(value) || 0);
  }

  #change(origin: string, set: () => void): void {
    const before = this.sizeOf(origin);
    set();
    if (before === null || tierBySize(before) !== tierBySize(this.sizeOf(origin)!)) this.onChange(origin);
  }
}

/** Kept for a resumed crawl, whenever a host turns out to be in a different class. */
export const sizeNote = (origin: string, size: number): Note => ({ key: `${NOTE}${origin}`, value: `${size}` });
