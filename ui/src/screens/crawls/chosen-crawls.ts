/** Two crawls chosen to be compared. */

/** Takes one in or out. A third takes the place of the one chosen first. */
export const toggleChosen = (chosen: readonly number[], id: number): number[] =>
  chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2);

/** The two in the order of time; null until there are two that still exist. */
export function comparedPair(
  chosen: readonly number[],
  crawls: readonly { id: number }[],
): { earlier: number; later: number } | null {
  const [first, second] = chosen.filter((id) => crawls.some((crawl) => crawl.id === id));
  if (first === undefined || second === undefined) return null;
  return { earlier: Math.min(first, second), later: Math.max(first, second) };
}
