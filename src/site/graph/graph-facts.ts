/** Writes what the links and redirects of a finished crawl say about each of its URLs to the table `graph`. */
import type { DatabaseSync } from "node:sqlite";
import { GRAPH_COLUMNS, type GraphFacts } from "../facts/fact-rows.ts";
import { RowBatch } from "../store/record-store.ts";
import {
  INTERNAL,
  KNOWN,
  LINK_COUNTS,
  type LinkWatcher,
  PAGE,
  readLinks,
  readUrls,
  START,
  type UrlTable,
} from "./link-graph.ts";
import { linkScores } from "./link-score.ts";
import { type Likeness, readLikeness } from "./near-duplicates.ts";
import { redirectChain } from "./redirect-chains.ts";

/**
 * Replaces the facts of an earlier run. Call it inside a transaction. Other readers of all links are created with the
 * number of ids, and see the links as they are read.
 */
export function writeGraphFacts(db: DatabaseSync, watchers: (size: number) => readonly LinkWatcher[] = () => []): void {
  const urls = readUrls(db);
  const { counts, edges, kinds } = readLinks(db, urls, watchers(urls.size));
  const scores = linkScores(urls, edges);
  edges.release();
  const likeness = readLikeness(db);
  let place = 0;
  const isRedirectTarget = redirectTargets(urls);
  const answerOf = db.prepare(
    "SELECT u.url AS url, p.status AS status, p.error AS error FROM urls u LEFT JOIN pages p ON p.id = u.id WHERE u.id = ?",
  );
  db.exec("DELETE FROM graph");
  const rows = new RowBatch(db, "graph", ["id", ...GRAPH_COLUMNS]);
  for (let id = 1; id < urls.size; id++) {
    if ((urls.bits[id]! & KNOWN) === 0) continue;
    const facts = Object.fromEntries(LINK_COUNTS.map((name) => [name, counts[name][id]!])) as unknown as GraphFacts;
    const isPage = (urls.bits[id]! & (PAGE | INTERNAL)) === (PAGE | INTERNAL);
    facts.link_score = isPage ? scores[id]! : null;
    facts.orphan =
      isPage && facts.inlinks === 0 && isRedirectTarget[id] === 0 && (urls.bits[id]! & START) === 0 ? "Yes" : null;
    facts.link_kinds = kinds[id] || null;
    const chain = redirectChain(id, urls);
    facts.redirect_hops = chain?.hops ?? null;
    facts.redirect_loop = chain?.final === 0 ? "Yes" : null;
    facts.redirect_final = chain?.final || null;
    const steps = chain?.steps.map((step) => answerOf.get(step) as unknown as Answer) ?? [];
    facts.redirect_status = chain?.final ? (answerOf.get(chain.final) as unknown as Answer).status : null;
    facts.redirect_chain = steps.map(({ url, status, error }) => `${error ?? status ?? "-"} ${url}`).join("\n") || null;
    const isSketched = likeness.ids[place] === id;
    Object.assign(facts, isSketched ? likenessFacts(likeness, place++) : NO_LIKENESS);
    rows.push(id);
    for (const column of GRAPH_COLUMNS) rows.push(facts[column]);
  }
  rows.flush();
}

/** What happened at one step of a chain. */
interface Answer {
  url: string;
  status: number | null;
  error: string | null;
}

/** Ids that a redirect leads to: they can be reached although no page links to them. */
function redirectTargets({ size, redirectTo }: UrlTable): Uint8Array {
  const targets = new Uint8Array(size);
  for (let id = 0; id < size; id++) if (redirectTo[id] !== 0 && redirectTo[id] !== id) targets[redirectTo[id]!] = 1;
  return targets;
}

type LikenessFacts = Pick<GraphFacts, "near_duplicate" | "similarity" | "boilerplate">;
const NO_LIKENESS: LikenessFacts = { near_duplicate: null, similarity: null, boilerplate: null };

const likenessFacts = ({ closest, similarity, boilerplate }: Likeness, place: number): LikenessFacts => ({
  near_duplicate: closest[place] || null,
  similarity: similarity[place] || null,
  boilerplate: boilerplate[place]!,
});
