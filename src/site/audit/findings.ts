/** The URLs of one issue: what was found there, since when, who links to them, and whether it has been accepted. */
import { hash } from "node:crypto";
import { TrawlError } from "../../errors.ts";
import { didYouMean } from "../../settings/did-you-mean.ts";
import { IS_INLINK } from "../graph/link-graph.ts";
import type { SiteReader } from "../store/reader.ts";
import { type Acceptance, markAccepted } from "./acceptances.ts";
import { wasAudited, wasCompared } from "./issues.ts";
import type { Rule } from "./rule.ts";
import { RULES, ruleNamed } from "./rule-table.ts";
import { BACK, FINDING_CHANGES, FIXED, type FindingChange, NEW } from "./since-last.ts";

export interface Finding {
  /** Equal for the same finding in another crawl. */
  key: string;
  url: string;
  evidence: string | null;
  /** Compared with the previous crawl; null if this rule was not applied to that crawl. */
  change: FindingChange | null;
  /** The index of its acceptance in the given list; null when it is open. */
  acceptance: number | null;
  status: number | null;
  title: string | null;
  inlinks: number;
  /** The first pages that link to it, with the text of the link. */
  linkedFrom: { url: string; text: string }[];
}

/** Which findings of a rule to list. `all` leaves out fixed ones, which no longer exist. */
export const FINDING_STATES = ["all", "open", ...FINDING_CHANGES, "accepted", "ignored"] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export interface FindingQuery {
  rule: string;
  state: FindingState;
  limit: number;
  /** `next` of the previous page, or 0. */
  after: number;
  acceptances: readonly Acceptance[];
}

export interface FindingPage {
  rule: Rule;
  total: number;
  rows: Finding[];
  /** Where the next page begins; null when there are no more. */
  next: number | null;
}

/** Pages that link to a URL: enough to see where it comes from. */
const LINKING_PAGES = 3;

export function readFindings(reader: SiteReader, query: FindingQuery): FindingPage {
  const rule = knownRule(query.rule);
  const nothing = { rule, total: 0, rows: [], next: null };
  if (!wasAudited(reader)) return nothing;
  const stored = reader.db.prepare("SELECT number FROM audit_rules WHERE rule = ?").get(rule.id);
  const isKnown = wasCompared(reader);
  if (query.state === "fixed") return isKnown ? fixedFindings(reader, rule, query) : nothing;
  return stored === undefined
    ? nothing
    : presentFindings(reader, rule, { ...query, number: Number(stored["number"]), isKnown });
}

/** Which rows belong to a state, over the finding `f`, its change `c` and its acceptance `a`. */
const IN_STATE: Record<Exclude<FindingState, "fixed">, string> = {
  all: "1",
  open: "a.entry IS NULL",
  new: `change = ${NEW}`,
  back: `change = ${BACK}`,
  still: "change = -1",
  accepted: "a.ignored = 0",
  ignored: "a.ignored = 1",
};

type LinkingPage = Finding["linkedFrom"][number];

interface StoredFinding extends Omit<Finding, "key" | "linkedFrom" | "change"> {
  id: number;
  change: number | null;
}

function presentFindings(
  reader: SiteReader,
  rule: Rule,
  { number, state, limit, after, acceptances, isKnown }: FindingQuery & { number: number; isKnown: boolean },
): FindingPage {
  const { db } = reader;
  markAccepted(db, acceptances);
  const wasJudged = isKnown && db.prepare("SELECT 1 FROM compared_rules WHERE number = ?").get(number) !== undefined;
  const change = wasJudged ? "coalesce(c.state, -1)" : "NULL";
  const from = `FROM (SELECT f.id AS id, f.evidence AS evidence, ${change} AS change, a.entry AS acceptance
    FROM findings f LEFT JOIN temp.accepted a ON a.rule = f.rule AND a.id = f.id
    ${wasJudged ? "LEFT JOIN changed_findings c ON c.rule = f.rule AND c.id = f.id" : ""}
    WHERE f.rule = ? AND f.id > ? AND ${IN_STATE[state as keyof typeof IN_STATE].replace("change", change)}) f`;
  const total = Number(db.prepare(`SELECT count(*) AS n ${from}`).get(number, 0)!["n"]);
  const rows = db
    .prepare(
      `SELECT f.*, u.url AS url, p.status AS status, p.title AS title,
         coalesce((SELECT inlinks FROM graph WHERE id = f.id), 0) AS inlinks
       ${from} JOIN urls u ON u.id = f.id LEFT JOIN pages p ON p.id = f.id ORDER BY f.id LIMIT ?`,
    )
    .all(number, after, limit + 1) as unknown as StoredFinding[];
  const shown = rows.slice(0, limit);
  const linking = (which: string) =>
    db.prepare(
      `SELECT s.url AS url, coalesce(t.value, '') AS text FROM links l JOIN urls s ON s.id = l.source
       LEFT JOIN texts t ON t.id = l.text WHERE l.target = ? AND l.source <> l.target AND ${which}`,
    );
  const [inlinks, others] = [linking(IS_INLINK), linking("1")];
  const linkedFrom = (id: number): LinkingPage[] => {
    const pages = firstPages(inlinks.iterate(id) as Iterable<LinkingPage>);
    // Perhaps only a sitemap lists it, or only a canonical names it; that also shows where it comes from.
    return pages.length > 0 ? pages : firstPages(others.iterate(id) as Iterable<LinkingPage>);
  };
  return {
    rule,
    total,
    rows: shown.map(({ id, change: stored, ...row }) => ({
      key: findingKey(rule, row.url, row.evidence),
      ...row,
      change: stored === null ? null : stored === NEW ? "new" : stored === BACK ? "back" : "still",
      linkedFrom: linkedFrom(id),
    })),
    next: rows.length > limit ? shown.at(-1)!.id : null,
  };
}

/** A page that links ten times with ten texts counts once. Not all links are read, because there may be a million. */
function firstPages(links: Iterable<LinkingPage>): LinkingPage[] {
  const pages = new Map<string, LinkingPage>();
  for (const { url, text } of links) {
    if (!pages.has(url)) pages.set(url, { url, text });
    if (pages.size === LINKING_PAGES) break;
  }
  return [...pages.values()];
}

function fixedFindings({ db }: SiteReader, rule: Rule, { limit, after }: FindingQuery): FindingPage {
  const total = db.prepare("SELECT count(*) AS n FROM past_findings WHERE rule = ? AND state = ?").get(rule.id, FIXED);
  const rows = db
    .prepare(
      `SELECT f.number AS number, f.url AS url, f.evidence AS evidence, p.status AS status, p.title AS title,
         coalesce((SELECT inlinks FROM graph WHERE id = u.id), 0) AS inlinks
       FROM past_findings f LEFT JOIN urls u ON u.url = f.url LEFT JOIN pages p ON p.id = u.id
       WHERE f.rule = ? AND f.state = ? AND f.number > ? ORDER BY f.number LIMIT ?`,
    )
    .all(rule.id, FIXED, after, limit + 1) as unknown as (Omit<Finding, "key"> & { number: number })[];
  const shown = rows.slice(0, limit);
  return {
    rule,
    total: Number(total!["n"]),
    rows: shown.map(({ number: _, ...row }) => ({
      key: findingKey(rule, row.url, row.evidence),
      ...row,
      ...{ change: "fixed" as const, acceptance: null, linkedFrom: [] },
    })),
    next: rows.length > limit ? shown.at(-1)!.number : null,
  };
}

/** Identifies a finding in the next crawl, and in acceptances. */
export const findingKey = ({ id, key }: Rule, url: string, evidence: string | null): string =>
  hash("sha1", [id, url, ...(key === "evidence" ? [evidence ?? ""] : [])].join("\n")).slice(0, 16);

export function knownRule(id: string): Rule {
  const rule = ruleNamed(id);
  if (rule !== undefined) return rule;
  const near = didYouMean(
    id,
    RULES.map((each) => each.id),
  );
  throw new TrawlError("BAD_USAGE", `There is no audit rule ${id}${near || "."}`, {
    hint: "`trawl issues` names the rules that found something; docs/audit-rules.md describes all.",
  });
}
