/** An audit rule: what is wrong with a URL, how to find it by its facts, why it matters and how to fix it. */

export const SEVERITIES = ["error", "warning", "notice"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PRIORITIES = ["high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * What a rule needs: the facts of one URL; those of others too (links, duplicates); a rendered page; a whole host; or an
 * earlier crawl.
 */
export const PHASES = ["page", "graph", "render", "site", "diff"] as const;
export type Phase = (typeof PHASES)[number];

/** Which URLs a rule is about, as a condition over facts. A rule's share is its findings among these. */
export const SCOPES = {
  page: { label: "pages of the site", where: "outcome = 'page' AND internal = 'Yes'" },
  indexable: {
    label: "indexable pages",
    where: "outcome = 'page' AND internal = 'Yes' AND indexable = 'Yes'",
  },
  fetched: {
    label: "URLs of the site that were fetched",
    where: "internal = 'Yes' AND verdict = 'crawl' AND state <> 'open' AND NOT is_guess",
  },
  document: {
    label: "documents of the site that were fetched",
    where: "internal = 'Yes' AND verdict = 'crawl' AND state <> 'open' AND role = 'document'",
  },
  known: { label: "URLs of the site", where: "internal = 'Yes' AND NOT is_guess AND coalesce(reason, '') <> 'hook'" },
  redirect: { label: "redirects of the site", where: "internal = 'Yes' AND outcome = 'redirect'" },
  external: {
    label: "external URLs that were checked",
    where: "internal = 'No' AND verdict = 'crawl' AND state <> 'open'",
  },
  resource: {
    label: "resources of the site that were fetched",
    where: "internal = 'Yes' AND verdict = 'crawl' AND state <> 'open' AND role = 'resource'",
  },
  image: {
    label: "images that were fetched",
    where: "verdict = 'crawl' AND state <> 'open' AND kind IN ('image', 'icon')",
  },
  sitemap: {
    label: "sitemaps",
    where: "role = 'sitemap' AND verdict = 'crawl' AND state <> 'open' AND outcome <> 'redirect'",
  },
  rendered: {
    label: "pages that ran in a browser",
    where: "outcome = 'page' AND internal = 'Yes' AND raw_word_count IS NOT NULL",
  },
  host: { label: "hosts of the site", where: "is_host_start" },
} as const;
export type Scope = keyof typeof SCOPES;

/** What every rule says about itself. */
interface RuleText {
  /** A few words: what is wrong. */
  name: string;
  severity: Severity;
  priority: Priority;
  /** By default `page`. */
  phase?: Phase;
  on: Scope;
  /** One sentence. */
  why: string;
  /** One sentence that says what to do. */
  fix: string;
  /** Where to read more, if that is not the page of the group. */
  link?: string;
  /** Numbers that people can change, with their defaults. In SQL: `$name`. */
  thresholds?: Readonly<Record<string, number>>;
  /**
   * What makes a finding the same one in the next crawl: its rule and URL, or also its evidence. `evidence` is for rules whose
   * evidence names what is wrong (a link, a code), so that accepting one broken link does not hide the next.
   */
  key?: "url" | "evidence";
}

/** Judged for one URL after the other, all such rules in one pass over the crawl. */
export interface PredicateRule {
  /** A condition in SQL over the names of facts, and those in `judged-facts.ts`. */
  when: string;
  /** A text in SQL, computed only for findings: what was found. */
  evidence?: string;
}

/** Judged by a query of its own. */
export interface QueryRule {
  /** A SELECT of `id` and `evidence` over the tables and the view `judged`. */
  query: string;
}

export type RuleDefinition = RuleText & (PredicateRule | QueryRule);

export type Rule = RuleDefinition & {
  id: string;
  group: string;
  phase: Phase;
  link: string;
  thresholds: Readonly<Record<string, number>>;
  key: "url" | "evidence";
};

export interface RuleGroup {
  name: string;
  rules: Rule[];
}

/** The rules of a group, by id. */
export const ruleGroup = (
  name: string,
  link: string,
  definitions: Readonly<Record<string, RuleDefinition>>,
): RuleGroup => ({
  name,
  rules: Object.entries(definitions).map(([id, definition]) => ({
    phase: "page",
    link,
    thresholds: {},
    key: "url",
    ...definition,
    id,
    group: name,
  })),
});

export const isQuery = (rule: RuleDefinition): rule is RuleDefinition & QueryRule => "query" in rule;

// Pieces of SQL that several rules use.

/** The first few of a page's links that match, as text; `where` is over the link `l`, its target `t` and that one's page `q`. */
export const linkedUrls = (where: string, shown = "t.url"): string =>
  `(SELECT group_concat(shown, char(10)) FROM (SELECT DISTINCT ${shown} AS shown FROM links l JOIN urls t ON t.id = l.target
    LEFT JOIN pages q ON q.id = t.id WHERE l.id >= links_start AND l.id < links_end AND (${where})
    ORDER BY 1 LIMIT 5))`;

/** Whether a page has a link that matches. */
export const hasLink = (where: string): string =>
  `EXISTS (SELECT 1 FROM links l JOIN urls t ON t.id = l.target LEFT JOIN pages q ON q.id = t.id
    WHERE l.id >= links_start AND l.id < links_end AND (${where}))`;

/** Other indexable pages with the same value: one finding per page, with the number and an example. */
export const duplicatesOf = (fact: string, more = "1"): string =>
  `WITH same AS (SELECT ${fact} AS value, language AS lang, count(*) AS n, min(id) AS first, max(id) AS last
     FROM judged WHERE as_indexable AND coalesce(${fact}, '') <> '' AND (${more}) GROUP BY 1, 2 HAVING count(*) > 1)
   SELECT j.id AS id, (n - 1) || iif(n = 2, ' other page', ' other pages') || ', such as ' ||
     (SELECT url FROM urls WHERE id = iif(j.id = first, last, first)) || ': ' || value AS evidence
   FROM judged j JOIN same ON j.${fact} = value AND j.language IS lang WHERE j.as_indexable AND (${more})`;
