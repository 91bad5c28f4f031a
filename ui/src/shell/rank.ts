/** Ranks names against what was typed, for the command palette. */

/** Higher is better; null when it does not match. Every typed word must occur. */
export function rankOf(text: string, typed: string): number | null {
  const lower = text.toLowerCase();
  let rank = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = lower.indexOf(word);
    if (at < 0) return null;
    // The beginning of the text counts most, then the beginning of a word.
    rank += at === 0 ? 4 : /[\s./#-]/.test(lower.charAt(at - 1)) ? 2 : 1;
  }
  return rank;
}

/** What matches, best first; equal ones keep their order. */
export function rankAll<T>(items: readonly T[], textOf: (item: T) => string, typed: string): T[] {
  return items
    .map((item) => ({ item, rank: rankOf(textOf(item), typed) }))
    .filter((entry): entry is { item: T; rank: number } => entry.rank !== null)
    .toSorted((left, right) => right.rank - left.rank)
    .map(({ item }) => item);
}
