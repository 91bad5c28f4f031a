/** Whether a search engine may list a URL, and if not, why: the first reason that applies. */

export interface IndexabilityFacts {
  status: number | null;
  /** A bot check was sent in place of the page. */
  isChallenge: boolean;
  isHtml: boolean;
  noindexMeta: boolean;
  noindexHeader: boolean;
  /** Its canonical URL is another one. */
  canonicalElsewhere: boolean;
  blockedByRobots: boolean;
  /** A script redirects to another URL. */
  redirectsByScript: boolean;
  /** It says with status 200 that it does not exist. */
  soft404: boolean;
}

export type Indexability =
  | "no_response"
  | "challenge"
  | "redirect"
  | "client_error"
  | "server_error"
  | "soft_404"
  | "robots_disallow"
  | "noindex_header"
  | "noindex_meta"
  | "canonicalised";

export interface IndexabilityAnswer {
  indexable: "Yes" | "No" | "-";
  indexability: Indexability | null;
}

export function indexabilityOf(facts: IndexabilityFacts): IndexabilityAnswer {
  const reason = reasonAgainst(facts);
  if (reason !== null) return { indexable: "No", indexability: reason };
  return { indexable: facts.isHtml ? "Yes" : "-", indexability: null };
}

function reasonAgainst(facts: IndexabilityFacts): Indexability | null {
  const { status } = facts;
  if (status === null) return "no_response";
  if (facts.isChallenge) return "challenge";
  if (status >= 500) return "server_error";
  if (status >= 400) return "client_error";
  if (status >= 300 && status !== 304) return "redirect";
  if (facts.redirectsByScript) return "redirect";
  if (facts.soft404) return "soft_404";
  if (facts.blockedByRobots) return "robots_disallow";
  if (facts.noindexHeader) return "noindex_header";
  if (facts.noindexMeta) return "noindex_meta";
  return facts.canonicalElsewhere ? "canonicalised" : null;
}
