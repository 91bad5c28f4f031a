/** PageRank over followed links and redirects within the site, as a score from 0 to 100. */
import type { Edges } from "./edges.ts";
import { INTERNAL, PAGE, REDIRECT, type UrlTable } from "./link-graph.ts";

const DAMPING = 0.85;
/** The scores of real sites change by less than a hundredth after 20 rounds. */
const ROUNDS = 25;
/** The best page has 100; a page with a thousandth of its rank has 0 on the logarithmic scale. */
const RANGE = 1_000;

/** By id; 0 for URLs that are not pages of the site. */
export function linkScores({ size, bits, redirectTo }: UrlTable, edges: Edges): Float64Array {
  const takesPart = (id: number): boolean => (bits[id]! & INTERNAL) !== 0 && (bits[id]! & (PAGE | REDIRECT)) !== 0;
  let count = 0;
  for (let id = 0; id < size; id++) if (takesPart(id)) count++;
  const scores = new Float64Array(size);
  if (count === 0) return scores;
  let rank = new Float64Array(size);
  let next = new Float64Array(size);
  for (let id = 0; id < size; id++) if (takesPart(id)) rank[id] = 1 / count;
  for (let round = 0; round < ROUNDS; round++) {
    next.fill(0);
    edges.share(rank, next);
    for (let id = 0; id < size; id++) {
      if ((bits[id]! & REDIRECT) !== 0 && redirectTo[id] !== 0 && takesPart(id)) next[redirectTo[id]!]! += rank[id]!;
    }
    let given = 0;
    for (let id = 0; id < size; id++) {
      if (takesPart(id)) given += next[id]!;
      else next[id] = 0;
    }
    // The rank of pages without links is shared by all.
    const base = (1 - DAMPING * given) / count;
    for (let id = 0; id < size; id++) if (takesPart(id)) next[id] = base + DAMPING * next[id]!;
    [rank, next] = [next, rank];
  }
  let best = 0;
  for (let id = 0; id < size; id++) if ((bits[id]! & PAGE) !== 0 && rank[id]! > best) best = rank[id]!;
  for (let id = 0; id < size; id++) {
    if ((bits[id]! & PAGE) === 0 || !takesPart(id)) continue;
    const share = Math.max(rank[id]! / best, 1 / RANGE);
    scores[id] = Math.round((1 + Math.log(share) / Math.log(RANGE)) * 1_000) / 10;
  }
  return scores;
}
