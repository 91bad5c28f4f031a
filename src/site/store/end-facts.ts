/** What the store knows about how a crawl went: where its start URL led, what it got, and what its limits left out. */

import { hostOf } from "../../web/url.ts";
import { decideEnd, type Ending, type EngineEnd } from "../crawl-end.ts";
import { countNumber } from "../numbers.ts";
import type { SiteConfig } from "../site-config.ts";
import { siteHosts } from "../url-rules.ts";
import { RENDER_FAILURE_CODES } from "../visit/render-problems.ts";
import { SiteReader } from "./reader.ts";

/** The start URL, or the target of it or of the previous step. */
export interface StartStep {
  url: string;
  verdict: string;
  reason: string | null;
  rule: string | null;
  /** Null when it was not fetched or did not answer. */
  status: number | null;
  error: string | null;
  detail: string | null;
  /** The type of its answer; null when it did not state one. */
  contentType: string | null;
  isInternal: boolean;
  /** It redirects back to itself, or to an earlier step. */
  isLoop: boolean;
  /** A page that immediately leads elsewhere, by a refresh or a script. */
  isPassage: boolean;
}

export interface EndFacts {
  mode: "site" | "list";
  pages: number;
  /** URLs that wait to be fetched. */
  open: number;
  /** Hosts that sent a bot check instead of a page. */
  challenging: string[];
  /** Start URLs, or those of the list: all of them, those that were tried, and those that answered. */
  starts: number;
  fetched: number;
  answered: number;
  /** The first start URL, and where its redirects lead. */
  way: StartStep[];
  /** The limit on URLs that kept most of them out; null when none did. */
  limit: { setting: "maxUrls" | "maxPages" | "maxUrlsPerHost"; value: number; left: number } | null;
  /** Pages that could not be rendered, did not settle, or were only partly read. */
  rendering: { failed: number; restless: number };
}

/** For a crawl that has stored nothing. */
export const NO_FACTS: EndFacts = {
  mode: "site",
  ...{ pages: 0, open: 0, starts: 0, fetched: 0, answered: 0 },
  challenging: [],
  way: [],
  limit: null,
  rendering: { failed: 0, restless: 0 },
};

export interface EndQuery {
  mode: "site" | "list";
  config: SiteConfig;
  startUrls: string[];
}

export interface ReadEnd {
  ending: Ending;
  pages: number;
}

/** How a crawl ended, according to its database, which is not written any more. */
export function readEnd(database: string, end: EngineEnd, query: EndQuery): ReadEnd {
  const reader = new SiteReader(database);
  try {
    const facts = reader.isEmpty ? NO_FACTS : endFacts(reader, query);
    return { ending: decideEnd(end, facts), pages: facts.pages };
  } finally {
    reader.close();
  }
}

/** Start URLs and those of a list have no parent, and these places in `VIAS`. */
const IS_START = "u.parent = 0 AND u.via & 15 IN (0, 1)";

export function endFacts(reader: SiteReader, query: EndQuery): EndFacts {
  const starts = reader.db
    .prepare(
      `SELECT count(*) AS starts, coalesce(sum(u.verdict = 'crawl' AND u.state <> 'open'), 0) AS fetched,
         count(CASE WHEN p.error IS NULL THEN p.status END) AS answered, min(u.id) AS first
       FROM urls u LEFT JOIN pages p ON p.id = u.id WHERE ${IS_START}`,
    )
    .get() as { starts: number; fetched: number; answered: number; first: number | null };
  const { first, ...counts } = starts;
  return {
    mode: query.mode,
    pages: countNumber(reader, "pages"),
    open: countNumber(reader, "queued"),
    challenging: challengingHosts(reader),
    ...counts,
    way: first === null ? [] : wayFrom(reader, first, query),
    limit: reachedLimit(reader, query.config),
    rendering: renderingProblems(reader),
  };
}

function renderingProblems({ db }: SiteReader): EndFacts["rendering"] {
  const codes = RENDER_FAILURE_CODES.map((code) => `'${code}'`).join(", ");
  return db
    .prepare(
      `SELECT count(CASE WHEN render_problem IN (${codes}) THEN 1 END) AS failed,
         count(CASE WHEN render_problem NOT IN (${codes}) THEN 1 END) AS restless FROM pages`,
    )
    .get() as EndFacts["rendering"];
}

function challengingHosts({ db }: SiteReader): string[] {
  const rows = db
    .prepare("SELECT u.url AS url FROM pages p JOIN urls u ON u.id = p.id WHERE p.error = 'challenge'")
    .all();
  return [...new Set(rows.map(({ url }) => hostOf(String(url))))];
}

type StoredStep = Omit<StartStep, "isInternal" | "isLoop" | "isPassage"> & { id: number; redirectTo: number | null };

/** Follows server redirects, and pages that immediately lead elsewhere. A page that leads back is a page. */
function wayFrom(reader: SiteReader, first: number, { config, startUrls }: EndQuery): StartStep[] {
  const step = reader.db.prepare(
    `SELECT u.id AS id, u.url AS url, u.verdict AS verdict, u.reason AS reason, u.rule AS rule, p.status AS status,
       p.error AS error, p.error_detail AS detail, p.content_type AS contentType, p.redirect_to AS redirectTo
     FROM urls u LEFT JOIN pages p ON p.id = u.id WHERE u.id = ?`,
  );
  const scope = siteHosts(config, startUrls);
  const seen = new Set<number>();
  const way: StartStep[] = [];
  for (let next: number | null = first; next !== null; ) {
    const { id, redirectTo, ...facts } = step.get(next) as unknown as StoredStep;
    seen.add(id);
    const { status, url } = facts;
    const leadsOn = status !== null && status >= 200 && status < 400 && redirectTo !== null;
    const leadsBack = leadsOn && seen.has(redirectTo);
    const isPassage = leadsOn && !leadsBack && status < 300;
    const isLoop = leadsBack && status >= 300;
    way.push({ ...facts, isInternal: scope.classify(url).internal, isLoop, isPassage });
    next = leadsOn && !leadsBack ? redirectTo : null;
  }
  return way;
}

const LIMITS = { max_urls: "maxUrls", max_pages: "maxPages", max_urls_per_host: "maxUrlsPerHost" } as const;

/** A limit per pattern or on depth defines what belongs to the crawl; only these limits cut that short. */
function reachedLimit({ db }: SiteReader, config: SiteConfig): EndFacts["limit"] {
  const rows = db
    .prepare(
      `SELECT reason, count(*) AS left FROM urls WHERE reason IN ('max_urls', 'max_pages', 'max_urls_per_host')
       GROUP BY 1 ORDER BY 2 DESC, 1`,
    )
    .all() as { reason: keyof typeof LIMITS; left: number }[];
  const most = rows[0];
  if (most === undefined) return null;
  const setting = LIMITS[most.reason];
  return { setting, value: config[setting], left: rows.reduce((sum, { left }) => sum + left, 0) };
}
