/** What an audit found as a summary for a pull request. */
import type { ReportData } from "./report-data.ts";

/** Issues that are listed; the rest are counted. */
const LISTED = 15;

export function markdownReport({ overview, audit, issues }: ReportData): string {
  const { domain, id } = overview.crawlInfo;
  const { error, warning, notice } = audit.counts;
  const all = [...issues.map(({ issue }) => issue), ...audit.passed];
  const sum = (name: "new" | "back" | "fixed") => all.reduce((total, issue) => total + (issue[name] ?? 0), 0);
  const since =
    audit.previousId === null
      ? []
      : [
          `Since crawl ${audit.previousId}: **${sum("new")} new**, ${sum("back")} back again, ${sum("fixed")} fixed.`,
          "",
        ];
  const rows = issues.slice(0, LISTED).map(({ issue, rows: [example] }) => {
    const cells = [issue.severity, issue.name, String(issue.open), String(issue.new ?? ""), example?.url ?? ""];
    return `| ${cells.map(cell).join(" | ")} |`;
  });
  const left = issues.length - LISTED;
  return [
    `### Audit of ${cell(domain)}: ${audit.score === null ? "no score" : `score ${audit.score} of 100`}`,
    "",
    `${error} errors, ${warning} warnings, ${notice} notices in crawl ${id} (${overview.crawlInfo.pagesCrawled} pages).`,
    "",
    ...since,
    ...(rows.length === 0
      ? ["Nothing was found."]
      : ["| severity | issue | URLs | new | such as |", "| --- | --- | ---: | ---: | --- |", ...rows]),
    ...(left > 0 ? ["", `and ${left} more rules.`] : []),
    "",
  ].join("\n");
}

/** A page's text must not become markup of the pull request. */
const cell = (text: string): string =>
  text
    .replace(/[\r\n]+/g, " ")
    .replace(/[\\`*_{}[\]<>|@#]/g, (character) => `\\${character}`)
    .slice(0, 200);
