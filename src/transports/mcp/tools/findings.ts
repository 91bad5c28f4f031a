/** Tools for a whole crawl: what was not crawled and why, what is wrong, what changed, and SQL. */
import { compareCrawls } from "../../../app/operations/compare.ts";
import { acceptFindings, type FindingsAnswer, listFindings, listIssues } from "../../../app/operations/issues.ts";
import { listBrokenLinks } from "../../../app/operations/links.ts";
import { querySql } from "../../../app/operations/sql.ts";
import { listDecisions } from "../../../app/operations/urls.ts";
import { counted } from "../../texts.ts";
import type { Answer } from "../answer.ts";
import { type Tool, tool } from "../tool.ts";
import { crawlId } from "./shared-arguments.ts";

const decisions = tool({
  name: "decisions",
  title: "What was not crawled, and why",
  description:
    "Everything that was not crawled, counted by reason and rule, with examples and the setting that would change it. " +
    'Example: {"crawl_id":3} for all, {"crawl_id":3,"reason":"robots_disallow"} for one reason. For one URL use why.',
  kind: "read",
  arguments: { crawl_id: crawlId, reason: listDecisions.input.shape.reason, limit: listDecisions.input.shape.limit },
  async run({ app, position }, { crawl_id, ...query }) {
    const found = await listDecisions.run(app, { ...query, id: crawl_id, cursor: position.cursor });
    const reasons = found.reasons.filter(({ reason }) => query.reason === null || reason === query.reason);
    return {
      counts: `Not crawled: ${counted(found.urls, "URL")}, for ${counted(reasons.length, "reason")}, by ${counted(found.total, "rule")}.`,
      next: found.next,
      tables: [
        {
          title: "reasons",
          columns: ["reason", "urls", "meaning", "setting"],
          rows: reasons.map((row) => [row.reason, row.count, row.meaning, row.setting]),
        },
        {
          title: "rules",
          columns: ["reason", "rule", "verdict", "urls", "examples"],
          rows: found.rows.map((row) => [row.reason, row.rule, row.verdict, row.count, row.examples.join(" ")]),
        },
      ],
    };
  },
});

const { change, effect, field, search, limit } = compareCrawls.input.shape;

const compare = tool({
  name: "compare",
  title: "What changed between two crawls",
  description:
    "URLs added, gone, not crawled this time (with the reason) and changed from an earlier crawl (other) to a later one (crawl_id), with the values before and after. " +
    'Example: {"crawl_id":4,"other":3}, then {"crawl_id":4,"other":3,"change":"changed","field":"title"}.',
  kind: "read",
  arguments: {
    crawl_id: crawlId.meta({ description: "The later crawl." }),
    other: crawlId.meta({ description: "The earlier crawl." }),
    change,
    effect,
    field,
    search,
    limit,
  },
  async run({ app, caller, position }, { crawl_id, ...query }) {
    const found = await compareCrawls.run(app, { ...query, id: crawl_id, cursor: position.cursor }, caller);
    const { added, gone, notCrawled, changed, unchanged } = found.counts;
    const effects = Object.entries(found.effects)
      .flatMap(([name, count]) => (count > 0 ? `${name} ${count}` : []))
      .join(", ");
    const fields = found.fields.map(({ field, count }) => `${field} ${count}`).join(", ");
    return {
      counts: `${added} added, ${gone} gone, ${notCrawled} not crawled this time, ${changed} changed, ${unchanged} unchanged; ${counted(found.total, "row")} found.`,
      notes: [effects === "" ? "" : `Effects: ${effects}.`, fields === "" ? "" : `Changed fields: ${fields}.`].filter(
        Boolean,
      ),
      total: found.total,
      next: found.next,
      tables: [
        {
          title: "changes",
          total: found.total,
          columns: ["change", "url", "statusBefore", "statusAfter", "reason", "fields"],
          rows: found.rows.map((row) => [
            row.change,
            row.url,
            row.statusBefore,
            row.statusAfter,
            row.reason,
            row.fields.map(({ field, before, after }) => `${field}: ${shown(before)} → ${shown(after)}`).join("; "),
          ]),
        },
      ],
    };
  },
});

/** A value before or after: text is quoted, so that an arrow in a title is not misread. */
const shown = (value: string | number | boolean | null): string => JSON.stringify(value);

const sql = tool({
  name: "sql",
  title: "SQL over a crawl",
  description:
    "One read-only SELECT (SQLite) on a crawl's database, for questions that the other tools do not answer: groups, joins, percentages. Rows and time are limited. " +
    "`reference` with topic tables lists tables and columns; read it first. " +
    'Example: {"crawl_id":3,"sql":"SELECT verdict, reason, count(*) AS n FROM urls GROUP BY 1, 2 ORDER BY n DESC"}.',
  kind: "read",
  arguments: {
    crawl_id: crawlId,
    sql: querySql.input.shape.sql,
    limit: querySql.input.shape.limit,
    timeout_ms: querySql.input.shape.timeoutMs,
  },
  async run({ app, caller }, { crawl_id, sql, limit, timeout_ms }) {
    const question = { id: crawl_id, sql, limit, timeoutMs: timeout_ms };
    const { columns, rows, truncated, durationMs } = await querySql.run(app, question, caller);
    return {
      counts: `${counted(rows.length, "row")}${truncated ? ", and there were more: raise limit, or narrow the query" : ""}; ${Math.round(durationMs)} ms.`,
      structured: { truncated },
      tables: [{ title: "rows", columns, rows }],
    };
  },
});

const issues = tool({
  name: "issues",
  title: "What is wrong with a site",
  description:
    "What the audit of a crawl found. Without rule: every issue with severity, priority and number of URLs, and the score. " +
    "With rule: its URLs with evidence and the pages that link to them, why it matters and how to fix it. " +
    'Example: {"crawl_id":3}, then {"crawl_id":3,"rule":"title.missing","state":"new"}. For broken links with their sources use broken_links.',
  kind: "read",
  arguments: {
    crawl_id: crawlId,
    rule: listFindings.input.shape.rule.nullable().default(null),
    state: listFindings.input.shape.state,
    limit: listFindings.input.shape.limit,
  },
  async run({ app, position }, { crawl_id, rule, state, limit }) {
    if (rule !== null) {
      return findingsAnswer(await listFindings.run(app, { id: crawl_id, rule, state, limit, cursor: position.cursor }));
    }
    const found = await listIssues.run(app, { id: crawl_id });
    const { auditedAt, score, formula, counts } = found;
    if (auditedAt === null) return { counts: "This crawl was not audited.", tables: [] };
    return {
      counts: `${counted(counts.error, "error")}, ${counted(counts.warning, "warning")}, ${counted(counts.notice, "notice")}; score ${score ?? "none"} of 100.`,
      notes: [`Score: ${formula}`, `${counted(found.passed.length, "rule")} passed.`],
      structured: { score, counts },
      tables: [
        {
          title: "issues",
          columns: ["rule", "severity", "priority", "urls", "open", "new", "fixed", "of", "name"],
          rows: found.rows.map((row) => [
            row.rule,
            row.severity,
            row.priority,
            row.found,
            row.open,
            row.new,
            row.fixed,
            `${row.applies} ${row.scope}`,
            row.name,
          ]),
        },
      ],
    };
  },
});

function findingsAnswer(found: FindingsAnswer): Answer {
  return {
    counts: `${found.rule}: ${found.severity}, ${found.priority} priority, ${counted(found.total, "URL")}.`,
    notes: [`Why: ${found.why}`, `Fix: ${found.fix}`],
    total: found.total,
    next: found.next,
    tables: [
      {
        title: "findings",
        total: found.total,
        columns: ["url", "evidence", "change", "accepted", "status", "inlinks", "linkedFrom"],
        rows: found.rows.map((row) => [
          row.url,
          row.evidence,
          row.change,
          row.acceptance?.reason ?? null,
          row.status,
          row.inlinks,
          row.linkedFrom.map(({ url }) => url).join(" "),
        ]),
      },
    ],
  };
}

const { internal, unverified } = listBrokenLinks.input.shape;

/** An answer to an agent has a size; the rest is one `links` away. */
const SOURCES = 100;

const brokenLinks = tool({
  name: "broken_links",
  title: "Broken links with all their sources",
  description:
    "Every dead URL that is linked, with its status and the links that lead to it. " +
    'Example: {"crawl_id":3,"internal":"yes"}. Targets that turn crawlers away are only listed with unverified.',
  kind: "read",
  arguments: { crawl_id: crawlId, internal, unverified, limit: listBrokenLinks.input.shape.limit },
  async run({ app, caller, position }, { crawl_id, ...query }) {
    const found = await listBrokenLinks.run(
      app,
      { ...query, sources: SOURCES, id: crawl_id, cursor: position.cursor },
      caller,
    );
    return {
      counts: `${counted(found.total, "URL")} with broken links.`,
      total: found.total,
      next: found.next,
      tables: [
        {
          title: "broken",
          total: found.total,
          columns: ["url", "status", "error", "state", "links", "sources"],
          rows: found.rows.map((row) => [
            row.url,
            row.status,
            row.error,
            row.state,
            row.links,
            row.sources.map(({ url, text }) => (text === "" ? url : `${url} (${JSON.stringify(text)})`)).join(" "),
          ]),
        },
      ],
    };
  },
});

const { id: _, ...acceptArguments } = acceptFindings.input.shape;

const accept = tool({
  name: "accept_findings",
  title: "Accept or ignore findings",
  description:
    "Accepts findings (they stay for now) or ignores them (they are not a problem): one, by rule and url; those of a pattern; or a whole rule. " +
    'A reason is required. Example: {"crawl_id":3,"rule":"title.too_long","pattern":"/blog/*","reason":"old posts","until":"2027-01-31"}.',
  kind: "change",
  arguments: { crawl_id: crawlId, ...acceptArguments },
  async run({ app }, { crawl_id, ...acceptance }) {
    const { file, rows } = await acceptFindings.run(app, { ...acceptance, id: crawl_id });
    return {
      counts: `${counted(rows.length, "entry", "entries")} in ${file}.`,
      tables: [
        {
          title: "accepted",
          columns: ["action", "rule", "url", "pattern", "reason", "until", "key"],
          rows: rows.map((row) => [row.action, row.rule, row.url, row.pattern, row.reason, row.until, row.key]),
        },
      ],
    };
  },
});

export const FINDING_TOOLS: readonly Tool[] = [decisions, issues, brokenLinks, accept, compare, sql];
