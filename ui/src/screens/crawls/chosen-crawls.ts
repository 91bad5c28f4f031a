/** Two crawls selected for comparison. */

/** Selects or deselects one. A third replaces the one selected first. */
export const toggleChosen = (chosen: readonly number[], id: number): number[] =>
  chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2);

/** The two in order of time, or null until two that still exist are selected. */
export function comparedPair(
  chosen: readonly number[],
  crawls: readonly { id: number }[],
): { earlier: number; later: number } | null {
  const [first, second] = chosen.filter((id) => crawls.some((crawl) => crawl.id === id));
  if (first === undefined || second === undefined) return null;
  return { earlier: Math.min(first, second), later: Math.max(first, second) };
}
