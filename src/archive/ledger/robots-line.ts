/** A line of robots_cache.jsonl: the robots keeper's note about an origin, in the format of the workspace. */
import type { Note } from "../../kernel/ledger.ts";
import { NOTE_PREFIX, type RobotsNote } from "../../politeness/robots-keeper.ts";

interface RobotsLine {
  domain: string;
  content: string;
  /** Unix time in seconds. */
  fetched_at: number;
  expires_at: number;
  origin: string;
  /** Only when robots.txt gave no rules: what is done instead. */
  outcome?: Exclude<RobotsNote["kind"], "rules">;
  /** How it was read, in words. */
  why: string;
  commit: number;
}

export interface KeptRobots {
  note: Note;
  commit: number;
}

/**
 * As a JSON object; its sum is added when it is written. Null when the note is not about robots.txt, or could not be
 * read back from the file unchanged.
 */
export function encodeRobots(note: Note, now: number, commit: number): string | null {
  if (!note.key.startsWith(NOTE_PREFIX)) return null;
  const origin = note.key.slice(NOTE_PREFIX.length);
  const { kind, why, text, expiresAt } = parse<RobotsNote>(note.value);
  if (!areTexts(why, text) || typeof expiresAt !== "number" || !URL.canParse(origin)) return null;
  const line: Partial<RobotsLine> = {
    domain: new URL(origin).host,
    content: text,
    fetched_at: Math.floor(now / 1_000),
    expires_at: expiresAt / 1_000,
    origin,
    ...(kind !== "rules" && { outcome: kind }),
    why,
    commit,
  };
  const encoded = JSON.stringify(line);
  return decodeRobots(Buffer.from(encoded))?.note.value === note.value ? encoded : null;
}

/** Null when it is not a line that `encodeRobots` wrote. */
export function decodeRobots(bytes: Buffer): KeptRobots | null {
  const { origin, content, expires_at, why, outcome = "rules", commit } = parse<RobotsLine>(bytes.toString());
  if (!areTexts(origin, content, why, outcome) || typeof expires_at !== "number" || !Number.isSafeInteger(commit)) {
    return null;
  }
  // The keys are in the keeper's order, so a note comes back unchanged.
  const note = { kind: outcome, why, text: content, expiresAt: Math.round(expires_at * 1_000) };
  return { note: { key: NOTE_PREFIX + origin, value: JSON.stringify(note) }, commit: commit! };
}

const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === "string");

/** Makes no assumption about the contents. Empty when the value is not an object. */
function parse<T>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A note as the ledger holds it: those of robots.txt have a line in robots_cache.jsonl, all others are in the commits. */
export interface KeptNote {
  /** Empty during a run for a note that has a line: a robots.txt may be half a megabyte. */
  value: string;
  /** The commit that wrote it: the same key may have been in the other file before. */
  commit: number;
  /** Its line in robots_cache.jsonl. */
  line: { offset: number; bytes: number } | null;
}
