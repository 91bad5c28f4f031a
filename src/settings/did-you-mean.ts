/** Names what was probably meant by a name that does not exist. */

/** No name that can be meant is longer, and comparing takes time in proportion to the length. */
const LONGEST_NAME = 64;

/** `; did you mean x?` when one of the names is close to what was written; otherwise nothing. */
export function didYouMean(written: string, names: readonly string[]): string {
  if (written.length > LONGEST_NAME) return "";
  const [near] = names
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .sort((a, b) => a.distance - b.distance);
  return near !== undefined && near.distance <= Math.min(3, written.length / 2) ? `; did you mean ${near.name}?` : "";
}

/** The Levenshtein distance, ignoring case. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1]!.toLowerCase() === b[j - 1]!.toLowerCase();
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
