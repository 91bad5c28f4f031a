/** Writes what the links and redirects of a finished crawl say about each of its URLs to the table `graph`. */
import type { DatabaseSync } from "node:sqlite";
import { GRAPH_COLUMNS, type GraphFacts } from "../facts/fact-rows.ts";
import { RowBatch } from "../store/record-store.ts";
import { INTERNAL, KNOWN, LINK_COUNTS, PAGE, readLinks, readUrls, START, type UrlTable } from "./link-graph.ts";
import { linkScores } from "./link-score.ts";
import { redirectChain } from "./redirect-chains.ts";

/** Replaces the facts of an earlier run. Call it inside a transaction. */
export function writeGraphFacts(db: DatabaseSync): void {
  const urls = readUrls(db);
  const { counts, edges } = readLinks(db, urls);
  const scores = linkScores(urls, edges);
  const isRedirectTarget = redirectTargets(urls);
  const statusOf = db.prepare("SELECT status FROM pages WHERE id = ?");
  db.exec("DELETE FROM graph");
  const rows = new RowBatch(db, "graph", ["id", ...GRAPH_COLUMNS]);
  for (let id = 1; id < urls.size; id++) {
    if ((urls.bits[id]! & KNOWN) === 0) continue;
    const facts = Object.fromEntries(LINK_COUNTS.map((name) => [name, counts[name][id]!])) as unknown as GraphFacts;
    const isPage = (urls.bits[id]! & (PAGE | INTERNAL)) === (PAGE | INTERNAL);
    facts.link_score = isPage ? scores[id]! : null;
    facts.orphan =
      isPage && facts.inlinks === 0 && isRedirectTarget[id] === 0 && (urls.bits[id]! & START) === 0 ? "Yes" : null;
    const chain = redirectChain(id, urls);
    facts.redirect_hops = chain?.hops ?? null;
    facts.redirect_loop = chain?.final === 0 ? "Yes" : null;
    facts.redirect_final = chain?.final || null;
    facts.redirect_status = chain?.final ? Number(statusOf.get(chain.final)?.["status"] ?? 0) || null : null;
    rows.push(id);
    for (const column of GRAPH_COLUMNS) rows.push(facts[column]);
  }
  rows.flush();
}

/** Ids that a redirect leads to: they can be reached although no page links to them. */
function redirectTargets({ size, redirectTo }: UrlTable): Uint8Array {
  const targets = new Uint8Array(size);
  for (let id = 0; id < size; id++) if (redirectTo[id] !== 0 && redirectTo[id] !== id) targets[redirectTo[id]!] = 1;
  return targets;
}
