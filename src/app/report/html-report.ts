/** The report of an audit as one self-contained HTML file: no script, style sheet, font or request. */
import { escaped } from "./escape.ts";
import { barChart, lineChart } from "./html-charts.ts";
import type { ReportData, ReportIssue } from "./report-data.ts";

const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1c1f23; --dim: #5c6570; --line: #d8dde3; --card: #f6f7f9;
  --good: #1f8a4c; --note: #4a78c2; --warn: #b7791f; --bad: #c53030; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --text: #e6e8eb; --dim: #9aa4af; --line: #343a41;
  --card: #1e2125; --good: #4cc38a; --note: #7aa7ef; --warn: #e0b252; --bad: #f27878; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; } h3 { font-size: 1rem; margin: 0; }
a { color: inherit; } p { margin: .4rem 0; } .dim, figcaption { color: var(--dim); }
.numbers { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.5rem 0; }
.numbers div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; min-width: 7rem; }
.numbers b { display: block; font-size: 1.5rem; }
figure { margin: 1rem 0; } svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg text { fill: var(--text); }
.good { fill: var(--good); } .note { fill: var(--note); } .warn { fill: var(--warn); } .bad { fill: var(--bad); }
polyline { fill: none; stroke: var(--note); stroke-width: 2; } circle { fill: var(--note); }
.issue { border: 1px solid var(--line); border-left-width: 5px; border-radius: 8px; padding: .8rem 1rem; margin: 1rem 0; break-inside: avoid-page; }
.error { border-left-color: var(--bad); } .warning { border-left-color: var(--warn); } .notice { border-left-color: var(--note); }
ul { margin: .5rem 0; padding-left: 1.2rem; } li { overflow-wrap: anywhere; } li pre { margin: 0; white-space: pre-wrap; color: var(--dim); font-size: 13px; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; }
@media print { :root { --back: #fff; --text: #000; --dim: #444; --line: #bbb; --card: #fff; } body { padding: 0; max-width: none; font-size: 11px; } }`;

export function htmlReport({ version, overview, audit, trend, issues }: ReportData): string {
  const { domain, id, crawlDateTime, url } = overview.crawlInfo;
  const day = dayOf(crawlDateTime);
  const number = (value: number | string | null, name: string) =>
    `<div><b>${value === null ? "–" : escaped(typeof value === "number" ? value.toLocaleString("en") : value)}</b>${escaped(name)}</div>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">
<title>${escaped(`Audit of ${domain}, ${day}`)}</title><style>${STYLE}</style></head><body>
<header><h1>Audit of ${escaped(domain)}</h1><p class="dim">Crawl ${id} of ${escaped(url)}, ${day}. Written by Trawl ${escaped(version)}.</p></header>
<section class="numbers">${number(audit.score, "score of 100")}${number(audit.counts.error, "errors")}${number(audit.counts.warning, "warnings")}${number(audit.counts.notice, "notices")}${number(audit.indexablePages, "indexable pages")}</section>
<p class="dim">${escaped(audit.formula)}</p>
${sinceLast({ audit, issues })}
${charts({ overview, audit, trend })}
<h2>Issues</h2>
${issues.length === 0 ? "<p>Nothing was found.</p>" : issues.map(issueCard).join("\n")}
<h2>Passed checks</h2>
<p>${audit.passed.length.toLocaleString("en")} rules found nothing: ${audit.passed.map(({ name }) => escaped(name)).join("; ") || "none"}.</p>
</body></html>
`;
}

function sinceLast({ audit, issues }: Pick<ReportData, "audit" | "issues">): string {
  if (audit.previousId === null) return "";
  const all = [...issues.map(({ issue }) => issue), ...audit.passed];
  const sum = (name: "new" | "back" | "fixed") => all.reduce((total, issue) => total + (issue[name] ?? 0), 0);
  return `<p>Since crawl ${audit.previousId}: ${sum("new")} new findings, ${sum("back")} back again, ${sum("fixed")} fixed.</p>`;
}

function charts({ overview, audit, trend }: Pick<ReportData, "overview" | "audit" | "trend">): string {
  const groups = audit.groups
    .filter(({ error, warning, notice }) => error + warning + notice > 0)
    .map(({ group, error, warning, notice }) => ({
      label: group,
      parts: [
        { name: "errors", value: error, colour: "bad" },
        { name: "warnings", value: warning, colour: "warn" },
        { name: "notices", value: notice, colour: "note" },
      ],
    }));
  const depths = overview.depths.map(({ depth, ok, redirect, clientError, serverError, noAnswer }) => ({
    label: depth === 1 ? "1 click" : `${depth} clicks`,
    parts: [
      { name: "fine", value: ok, colour: "good" },
      { name: "redirects", value: redirect, colour: "note" },
      { name: "client errors", value: clientError, colour: "warn" },
      { name: "server errors and failures", value: serverError + noAnswer, colour: "bad" },
    ],
  }));
  const scores = trend.flatMap(({ score, crawlDateTime }) =>
    score === null ? [] : [{ label: dayOf(crawlDateTime), value: score }],
  );
  return [
    lineChart("Score over the last crawls", scores, 100),
    groups.length === 0 ? "" : barChart("Rules with findings, by subject: errors, warnings, notices", groups),
    barChart(
      "URLs crawled, by clicks from the start: fine, redirects, client errors, server errors and failures",
      depths.slice(0, 15),
    ),
  ].join("\n");
}

function issueCard({ issue, why, fix, link, rows }: ReportIssue): string {
  const { rule, name, severity, priority, open, applies, scope, new: added } = issue;
  const items = rows.map(
    ({ url, evidence, change, linkedFrom }) =>
      `<li>${escaped(url)}${change === "new" || change === "back" ? ` <b>${change}</b>` : ""}${
        evidence === null ? "" : `<pre>${escaped(evidence)}</pre>`
      }${linkedFrom.length === 0 ? "" : `<span class="dim">linked from ${escaped(linkedFrom[0]!.url)}</span>`}</li>`,
  );
  const left = open - rows.length;
  return `<article class="issue ${severity}"><h3>${escaped(name)}</h3>
<p class="dim">${escaped(rule)}: ${severity}, ${priority} priority; ${open.toLocaleString("en")} of ${applies.toLocaleString("en")} ${escaped(scope)}${added ? `, ${added.toLocaleString("en")} new` : ""}</p>
<p>${escaped(why)} ${escaped(fix)} <a href="${escaped(link)}">More</a></p>
<ul>${items.join("")}</ul>${left > 0 ? `<p class="dim">and ${left.toLocaleString("en")} more</p>` : ""}</article>`;
}

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
