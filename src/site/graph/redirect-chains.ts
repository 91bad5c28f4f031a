/** Where redirects end. Every step of a chain counts, and a chain that comes back to itself is a loop. */
import type { UrlTable } from "./link-graph.ts";

export interface RedirectChain {
  hops: number;
  /** The id of the URL where it ends; 0 when it never does. */
  final: number;
  /** The first few ids that it leads to; in a loop, the last one has occurred before. */
  steps: number[];
}

/** More than any browser follows. */
const MOST_HOPS = 100;
const MOST_STEPS = 20;

/** The chain that begins at a URL; null when it does not redirect. */
export function redirectChain(start: number, { redirectTo }: Pick<UrlTable, "redirectTo">): RedirectChain | null {
  if (redirectTo[start] === 0) return null;
  const seen = new Set([start]);
  const steps: number[] = [];
  let at = start;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const next = redirectTo[at]!;
    if (next === 0) return { hops, final: at, steps };
    if (steps.length < MOST_STEPS) steps.push(next);
    if (seen.has(next)) return { hops: hops + 1, final: 0, steps };
    seen.add(next);
    at = next;
  }
  return { hops: MOST_HOPS, final: 0, steps };
}
