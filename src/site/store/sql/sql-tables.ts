/** The tables of a crawl's database with a line about each column, for users who write SQL. */
import {
  type Column,
  FIELD_FACT_COLUMNS,
  GRAPH_FACT_COLUMNS,
  PAGE_FACT_COLUMNS,
  RENDERED_FACT_COLUMNS,
} from "../../facts/fact-rows.ts";
import { KINDS, VIAS } from "../../links/link-kinds.ts";
import { LINK_FLAGS } from "../../page/link-types.ts";
import { LINK_POSITIONS } from "../../page/page-content.ts";
import { NAMED_VIEWS } from "../named-views.ts";

export interface SqlTable {
  name: string;
  description: string;
  columns: { name: string; description: string }[];
}

const numbered = (words: readonly string[]): string => words.map((word, number) => `${number} ${word}`).join(", ");

const described = (columns: readonly Column[]): Record<string, string> =>
  Object.fromEntries(columns.map(({ name, description }) => [name, description]));

const TABLES: [name: string, description: string, columns: Record<string, string>][] = [
  ...NAMED_VIEWS.map(({ name, description, columns }): (typeof TABLES)[number] => [name, description, columns]),
  [
    "urls",
    "Every URL that the crawl found, including those it did not fetch",
    {
      id: "number of the URL in this crawl; pages, rendered, bodies and links refer to it",
      url: "canonical form; indexed",
      verdict: "crawl, record or skip",
      reason: "why it was not crawled, such as external or robots_disallow; null when it was",
      rule: "the setting, pattern or robots.txt line that decided",
      state: "open, done or failed; null when there is nothing to fetch",
      lane: "the host whose turn it waits for; null when there is nothing to fetch",
      place: "its place in the queue",
      depth: "links away from the start",
      parent: "id of the URL it was found on first; 0 for a start URL, list or sitemap source",
      via: `how it was found first, in its lowest four bits (via & 15): ${numbered(VIAS)}; 16 nofollow, 32 on a noindex page, 64 on a host outside the site, 128 a guess, 256 a sitemap that is named`,
      kind: `what it was found as: ${numbered(KINDS)}`,
      hops: "redirects in a row that led to it",
      attempt: "failed attempts so far",
      not_before: "when it may be retried, in ms since 1970",
    },
  ],
  [
    "pages",
    "One row for each URL that was requested",
    {
      id: "of urls",
      ...described(PAGE_FACT_COLUMNS),
      first_link: "its links are the link_count rows of links from this id on",
    },
  ],
  [
    "links",
    "One row for each link on each page, in page order",
    {
      id: "number of the link",
      source: "id of the URL with the link",
      target: "id of the target URL; indexed once the crawl has ended",
      type: `what it is: ${numbered(KINDS)}`,
      position: `the part of the page: ${numbered(LINK_POSITIONS)}`,
      flags: `bits: ${Object.entries(LINK_FLAGS)
        .map(([name, bit]) => `${bit} ${name}`)
        .join(", ")} (only present after scripts ran)`,
      text: "id in texts of the anchor text; 0 for none",
      context: "id in texts of the line around it; 0 for none",
      path: "id in texts of the path of elements; 0 for none",
    },
  ],
  [
    "texts",
    "Texts of links; the same text may be stored more than once",
    { id: "number of the text", value: "the text" },
  ],
  [
    "rendered",
    "Pages after their scripts ran; empty unless the crawl rendered",
    {
      id: "of urls",
      ...described(RENDERED_FACT_COLUMNS),
    },
  ],
  [
    "graph",
    "What a URL is among the others: links to and from it, and where redirects end; filled when the crawl has ended",
    { id: "of urls", ...described(GRAPH_FACT_COLUMNS) },
  ],
  [
    "field_data",
    "What visitors of a page experienced and how often search results showed it; empty unless it was asked for with a key",
    { id: "of urls", ...described(FIELD_FACT_COLUMNS) },
  ],
  [
    "findings",
    "What the audit found: at most one row for each rule and URL",
    {
      rule: "number of the rule in audit_rules",
      id: "of urls",
      evidence: "what was found there, in words; null when the rule says it all",
    },
  ],
  [
    "changed_findings",
    "Findings that the previous crawl did not have",
    { rule: "number of the rule in audit_rules", id: "of urls", state: "0 new, 1 back again" },
  ],
  [
    "past_findings",
    "Findings of earlier crawls that this one does not have",
    {
      number: "number of the row",
      rule: "id of the rule",
      url: "the URL",
      evidence: "what was found there then",
      state: "0 fixed in this crawl, 1 fixed before, 2 not looked at in this crawl",
    },
  ],
  ["compared_audits", "The crawl that the findings were compared with, if there was one", { crawl: "its number" }],
  [
    "compared_rules",
    "Rules that were judged in both crawls",
    {
      number: "of audit_rules",
      new: "findings that are new",
      back: "findings that are back again",
      fixed: "findings of the crawl before that are gone",
    },
  ],
  [
    "page_costs",
    "What findings cost indexable pages of their 100 points",
    { id: "of urls", points: "of all findings; a page loses 100 at most" },
  ],
  [
    "audit_rules",
    "The rules of the last audit",
    {
      number: "number of the rule in this crawl",
      rule: "its id, such as title.missing",
      severity: "error, warning or notice",
      priority: "high, medium or low",
      applies: "URLs that it was judged for",
      found: "URLs on which it found something",
    },
  ],
  [
    "audits",
    "The last audit; empty when there was none",
    {
      at: "when it was made, in ms since 1970",
      settings: "its thresholds and left-out rules, as JSON",
      score: "0 to 100; null without indexable pages",
      indexable: "number of indexable pages",
    },
  ],
  [
    "bodies",
    "HTML of pages, stored with storeHtml",
    { id: "of urls", html: "UTF-8, compressed with zstd: SQL cannot read it" },
  ],
  ["lanes", "The clock of each host", { key: "the host", state: "JSON" }],
  ["notes", "What the crawl stores in addition to URLs", { key: "such as robots:https://example.com", value: "JSON" }],
  [
    "schema_versions",
    "The versions of these tables",
    { part: "ledger or site", version: "counts up with every change of the tables" },
  ],
];

export const sqlTables = (): SqlTable[] =>
  TABLES.map(([name, description, columns]) => ({
    name,
    description,
    columns: Object.entries(columns).map(([name, description]) => ({ name, description })),
  }));
