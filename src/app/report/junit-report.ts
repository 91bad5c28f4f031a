/** What an audit found as JUnit XML: a suite per subject, a test per rule, which fails when it has open findings. */
import { escaped } from "./escape.ts";
import type { ReportData } from "./report-data.ts";

export function junitReport({ audit, issues, overview }: ReportData): string {
  const failed = new Map(issues.map((each) => [each.issue.rule, each]));
  const judged = [...audit.rows, ...audit.passed];
  const suites = [...Map.groupBy(judged, ({ group }) => group)].map(([group, rules]) => {
    const cases = rules.map(({ rule, name }) => {
      const found = failed.get(rule);
      const head = `<testcase classname="${escaped(rule)}" name="${escaped(name)}"`;
      if (found === undefined) return `    ${head}/>`;
      const { open, severity } = found.issue;
      const lines = found.rows.map(({ url, evidence }) => (evidence === null ? url : `${url}: ${evidence}`));
      const left = open - lines.length;
      const text = [`${found.why} ${found.fix}`, ...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
      return `    ${head}><failure type="${severity}" message="${escaped(`${open} ${open === 1 ? "URL" : "URLs"}`)}">${escaped(text)}</failure></testcase>`;
    });
    const failures = rules.filter(({ rule }) => failed.has(rule)).length;
    return `  <testsuite name="${escaped(group)}" tests="${rules.length}" failures="${failures}">\n${cases.join("\n")}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escaped(`Trawl: ${overview.crawlInfo.domain}`)}" tests="${judged.length}" failures="${failed.size}">
${suites.join("\n")}
</testsuites>
`;
}
