/** Whether Google may list a URL, and if not, why: the first reason that applies, with its source. */

export interface IndexabilityFacts {
  status: number | null;
  /** The body cannot be decoded, so nobody can read the page. */
  isUndecodable: boolean;
  /** Only the beginning of the page was read: this many bytes. Null when all of it was read. */
  readBytes: number | null;
  /** A bot check was sent instead of the page. */
  isChallenge: boolean;
  isHtml: boolean;
  /** These name the element, header or line that says so, or are null. */
  noindexMeta: string | null;
  noindexHeader: string | null;
  /** It immediately sends visitors to another URL. */
  refreshElsewhere: string | null;
  /** Its canonical is another URL. */
  canonicalElsewhere: string | null;
  forbiddenBy: string | null;
  /** A script redirects to another URL. */
  redirectsByScript: boolean;
  /** It answers 200 but says that it does not exist. */
  soft404: boolean;
}

export type Indexability =
  | "no_response"
  | "undecodable"
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
  /** The element, header or line of robots.txt that decided, or how much of the page did; null when something else did. */
  indexability_evidence: string | null;
}

export function indexabilityOf(facts: IndexabilityFacts): IndexabilityAnswer {
  const reason = reasonAgainst(facts);
  if (reason === null) {
    const isCut = facts.isHtml && facts.readBytes !== null;
    return {
      indexable: facts.isHtml ? "Yes" : "-",
      indexability: null,
      indexability_evidence: isCut ? `judged by the first ${facts.readBytes} bytes: the rest was not read` : null,
    };
  }
  const [indexability, evidence] = typeof reason === "string" ? [reason, null] : reason;
  return { indexable: "No", indexability, indexability_evidence: evidence };
}

function reasonAgainst(facts: IndexabilityFacts): Indexability | [Indexability, evidence: string] | null {
  const { status } = facts;
  if (status === null) return "no_response";
  if (facts.isChallenge) return "challenge";
  if (status >= 500) return "server_error";
  if (status >= 400) return "client_error";
  if (status >= 300 && status !== 304) return "redirect";
  if (facts.isUndecodable) return "undecodable";
  if (facts.redirectsByScript) return "redirect";
  if (facts.refreshElsewhere !== null) return ["redirect", facts.refreshElsewhere];
  if (facts.soft404) return "soft_404";
  if (facts.forbiddenBy !== null) return ["robots_disallow", facts.forbiddenBy];
  if (facts.noindexHeader !== null) return ["noindex_header", facts.noindexHeader];
  if (facts.noindexMeta !== null) return ["noindex_meta", facts.noindexMeta];
  return facts.canonicalElsewhere === null ? null : ["canonicalised", facts.canonicalElsewhere];
}
