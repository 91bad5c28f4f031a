/** An audit rule: what is wrong with a URL, how to find it by its facts, why it matters and how to fix it. */
import type { LinkPosition } from "../../web/html/elements.ts";
import { type Kind, kindNumber } from "../links/link-kinds.ts";
import type { LINK_FLAGS } from "../page/link-types.ts";

export const SEVERITIES = ["error", "warning", "notice"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PRIORITIES = ["high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * What a rule needs: the facts of one URL; those of others too (links, duplicates); a rendered page; a whole host; an
 * earlier crawl; or measurements by a service, which need a key.
 */
export const PHASES = ["page", "graph", "render", "site", "diff", "integration"] as const;
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
  llms: {
    label: "llms.txt files",
    where: "kind = 'llms' AND verdict = 'crawl' AND state <> 'open' AND status = 200",
  },
  rendered: {
    label: "pages that ran in a browser",
    where: "outcome = 'page' AND internal = 'Yes' AND raw_word_count IS NOT NULL",
  },
  measured: {
    label: "pages whose visits Google measured",
    where: "outcome = 'page' AND internal = 'Yes' AND coalesce(lcp, inp, cls) IS NOT NULL",
  },
  host: { label: "hosts of the site", where: "is_host_start" },
} as const;
export type Scope = keyof typeof SCOPES;

/** What a rule is about, after a number: "3 pages of the site", "1 page of the site". */
export function scopeLabel(scope: Scope, count: number): string {
  const { label } = SCOPES[scope];
  return count === 1 ? label.replace(/s\b/, "").replace(" were ", " was ") : label;
}

/** What every rule states about itself. */
interface RuleText {
  /** What is wrong, in a few words. */
  name: string;
  severity: Severity;
  priority: Priority;
  /** By default `page`. */
  phase?: Phase;
  on: Scope;
  /** One sentence. */
  why: string;
  /** One sentence that says how to fix it. */
  fix: string;
  /** Where to read more, if not on the page of the group. */
  link?: string;
  /** Numbers that people can change, with their defaults. In SQL: `$name`. */
  thresholds?: Readonly<Record<string, number>>;
  /**
   * What makes a finding the same one in the next crawl: its rule and URL, or also its evidence. `evidence` is for rules whose
   * evidence names what is wrong (a link, a code), so that accepting one broken link does not hide the next.
   */
  key?: "url" | "evidence";
}

/** Applied to one URL after another, all such rules in one pass over the crawl. */
export interface PredicateRule {
  /** A condition in SQL over the names of facts, and those in `judged-facts.ts`. */
  when: string;
  /** A text in SQL that says what was found; computed only for findings. */
  evidence?: string;
}

/** Applied by a query of its own. */
export interface QueryRule {
  /** A SELECT of `id` and `evidence` over the tables and the view `judged`. */
  query: string;
}

/** Applied to the links of each page, while all links of the crawl are read once. */
export interface LinkRule {
  /** What the page has to be, over facts that are not about its links. */
  when?: string;
  links: LinkCondition;
}

export interface LinkCondition {
  types: readonly Kind[];
  has?: readonly LinkFlag[];
  lacks?: readonly LinkFlag[];
  position?: LinkPosition;
  /** A condition in SQL over the facts of the target, and one over `text`. */
  target?: string;
  text?: string;
  /** Only where no hyperlink of the page leads to the same target. */
  isNotLinked?: true;
  /** Only texts that lead to at least as many targets: a number, or a threshold. */
  targetsOfText?: string;
  /** How evidence names the link, over the facts of its target and `text`; by default `url`. */
  shown?: string;
}

export type RuleDefinition = RuleText & (PredicateRule | QueryRule | LinkRule);

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

type LinkFlag = keyof typeof LINK_FLAGS;
export const isLinkRule = (rule: Rule): rule is Rule & LinkRule => "links" in rule;
export const isQuery = (rule: RuleDefinition): rule is RuleDefinition & QueryRule => "query" in rule;

// Pieces of SQL that several rules use.

/**
 * Whether a fact that lists problems has any of one kind. Most URLs have none, and calling JavaScript costs more than
 * all other conditions together.
 */
export const hasProblem = (fact: string, kind: string): string =>
  `${fact} IS NOT NULL AND instr(char(10) || ${fact}, char(10) || '${kind} ') > 0`;

/** A fact's lines about one kind of problem, without the word for that kind. */
export const problemLines = (fact: string, kind: string): { when: string; evidence: string } => ({
  when: hasProblem(fact, kind),
  evidence: `problems_of(${fact}, '${kind}')`,
});

/**
 * As above, for lines whose second word is a number, such as a size, if that number is at least or at most a threshold.
 */
export const problemsBeyond = (
  fact: string,
  kind: string,
  compared: "at_least" | "at_most",
  threshold: string,
): { when: string; evidence: string } => ({
  when: `${hasProblem(fact, kind)} AND problems_${compared}(${fact}, '${kind}', ${threshold}) IS NOT NULL`,
  evidence: `problems_${compared}(${fact}, '${kind}', ${threshold})`,
});

/**
 * The first few targets of a page's links of these types, as text. Call it only where `hasLinks` says that there are
 * any, because it reads all links of the page.
 */
export const linkedUrls = (...types: Kind[]): string =>
  `(SELECT group_concat(url, char(10)) FROM (SELECT DISTINCT t.url AS url FROM links l JOIN urls t ON t.id = l.target
    WHERE l.id >= links_start AND l.id < links_end AND l.type IN (${types.map(kindNumber).join(", ")}) ORDER BY 1 LIMIT 5))`;

/** Whether a page has links of one of these types. */
export const hasLinks = (...types: Kind[]): string =>
  `coalesce(link_kinds & ${types.reduce((mask, type) => mask | (1 << kindNumber(type)), 0)}, 0)`;

/** A number with its word, as SQL: "1 link", "2 links". */
export const counted = (sql: string, word: string): string => `${sql} || iif(${sql} = 1, ' ${word}', ' ${word}s')`;

/** What files of a kind list, as links `l`. There are few such files, so only their links are read. */
export const entriesOf = (file: Kind, entry: Kind): string =>
  `(SELECT l.* FROM urls f NOT INDEXED JOIN pages p ON p.id = f.id
     CROSS JOIN links l ON l.id >= p.first_link AND l.id < p.first_link + p.link_count
     WHERE f.kind = ${kindNumber(file)} AND l.type = ${kindNumber(entry)}) l`;

/** Other indexable pages with the same value: one finding per page, with the number and an example. */
export const duplicatesOf = (fact: string, more = "1"): string =>
  `WITH same AS (SELECT ${fact} AS value, language AS lang, count(*) AS n, min(id) AS first, max(id) AS last
     FROM judged WHERE as_indexable AND coalesce(${fact}, '') <> '' AND (${more}) GROUP BY 1, 2 HAVING count(*) > 1)
   SELECT j.id AS id, (n - 1) || iif(n = 2, ' other page', ' other pages') || ', such as ' ||
     (SELECT url FROM urls WHERE id = iif(j.id = first, last, first)) || ': ' || value AS evidence
   FROM judged j JOIN same ON j.${fact} = value AND j.language IS lang WHERE j.as_indexable AND (${more})`;
