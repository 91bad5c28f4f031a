/** The words and signs of a comparison. */
import { formatNumber, NOTHING } from "../../lib/format.ts";
import type { Tone } from "../../lib/status.ts";
import { fieldWords, truthWords } from "../../lib/words.ts";
import type { Cell } from "../explorer/field-look.ts";
import type { Change, Effect } from "./compare-search.ts";

export const CHANGE_WORDS: Record<Change, { label: string; sign: string; tone: Tone }> = {
  added: { label: "New", sign: "+", tone: "quiet" },
  gone: { label: "Gone", sign: "−", tone: "quiet" },
  not_crawled: { label: "Not crawled", sign: "·", tone: "quiet" },
  changed: { label: "Changed", sign: "~", tone: "quiet" },
};

/** Red is for what got worse, green for what got better. */
export const EFFECT_WORDS: Record<Effect, { label: string; sign: string; tone: Tone }> = {
  newly_broken: { label: "Newly broken", sign: "▲", tone: "bad" },
  no_longer_indexable: { label: "No longer indexable", sign: "▲", tone: "bad" },
  indexable_again: { label: "Now indexable", sign: "✓", tone: "ok" },
  fixed: { label: "Fixed", sign: "✓", tone: "ok" },
};

/** Enough of a hash to tell two apart. */
const HASH_LENGTH = 8;

/** A value as it is shown; null if there isn't one. */
export function shownCell(field: string, value: Cell): string | null {
  if (value === null || value === "") return null;
  if (field === "contentHash") return `${String(value).slice(0, HASH_LENGTH)}…`;
  if (typeof value === "number") return field === "status" ? String(value) : formatNumber(value);
  return typeof value === "boolean" ? truthWords(value) : fieldWords(field, value);
}

/** By how much a number changed; null for anything that is not an amount. */
export function difference(field: string, before: Cell, after: Cell): string | null {
  if (field === "status" || typeof before !== "number" || typeof after !== "number") return null;
  const by = after - before;
  return by === 0 ? NOTHING : `${by > 0 ? "+" : "−"}${formatNumber(Math.abs(by))}`;
}
