/** What differs between two short texts, word by word. */

export interface DiffPart {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Beyond this, the comparison table is too large to compute while scrolling. */
const MOST_CELLS = 250_000;
/** If less than this of the longer text stayed, it is a different text, and marking single words only confuses. */
const LEAST_ALIKE = 0.3;

const wordsOf = (text: string): string[] => text.match(/\s+|\d+(?:[.,]\d+)*|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];

/** For values that are changed as a whole: numbers, codes, hashes. */
export const diffWhole = (before: string, after: string): DiffPart[] =>
  before === after ? merged(same([before])) : merged([...removed([before]), ...added([after])]);

/** The parts that stayed and were removed make up `before`; those that stayed and were added make up `after`. */
export function diffWords(before: string, after: string): DiffPart[] {
  const left = wordsOf(before);
  const right = wordsOf(after);
  const start = sharedStart(left, right);
  const end = sharedStart(left.slice(start).reverse(), right.slice(start).reverse());
  const parts = merged([
    ...same(left.slice(0, start)),
    ...middle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...same(left.slice(left.length - end)),
  ]);
  return isAlike(parts, before, after) ? parts : merged([...removed([before]), ...added([after])]);
}

const same = (words: string[]): DiffPart[] => words.map((text) => ({ kind: "same", text }));
const removed = (words: string[]): DiffPart[] => words.map((text) => ({ kind: "removed", text }));
const added = (words: string[]): DiffPart[] => words.map((text) => ({ kind: "added", text }));

function sharedStart(left: string[], right: string[]): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  return at;
}

/** The longest common subsequence, by the usual table. */
function middle(left: string[], right: string[]): DiffPart[] {
  if (left.length * right.length > MOST_CELLS) return [...removed(left), ...added(right)];
  const width = right.length + 1;
  const longest = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        left[i] === right[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) {
      parts.push({ kind: "same", text: left[i]! });
      i++;
      j++;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) {
      parts.push({ kind: "removed", text: left[i++]! });
    } else {
      parts.push({ kind: "added", text: right[j++]! });
    }
  }
  return [...parts, ...removed(left.slice(i)), ...added(right.slice(j))];
}

function merged(parts: DiffPart[]): DiffPart[] {
  const all: DiffPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.text === "") continue;
    if (last?.kind === part.kind) last.text += part.text;
    else all.push({ ...part });
  }
  return all;
}

function isAlike(parts: DiffPart[], before: string, after: string): boolean {
  const kept = parts.reduce((sum, { kind, text }) => sum + (kind === "same" ? text.trim().length : 0), 0);
  return kept >= LEAST_ALIKE * Math.max(before.length, after.length);
}
