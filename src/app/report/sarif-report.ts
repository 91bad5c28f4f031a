/** What an audit found as SARIF 2.1.0, for code scanning. */
import type { ReportData } from "./report-data.ts";

const LEVELS = { error: "error", warning: "warning", notice: "note" } as const;

export function sarifReport({ version, audit, issues, overview }: ReportData): string {
  const rules = issues.map(({ issue, why, fix, link }) => ({
    id: issue.rule,
    name: issue.name,
    shortDescription: { text: issue.name },
    fullDescription: { text: why },
    help: { text: fix },
    helpUri: link,
    defaultConfiguration: { level: LEVELS[issue.severity] },
    properties: { group: issue.group, priority: issue.priority },
  }));
  const results = issues.flatMap(({ issue, rows }, ruleIndex) =>
    rows.map(({ key, url, evidence, change, linkedFrom }) => ({
      ruleId: issue.rule,
      ruleIndex,
      level: LEVELS[issue.severity],
      message: { text: evidence === null ? issue.name : `${issue.name}: ${evidence}` },
      locations: [{ physicalLocation: { artifactLocation: { uri: url } } }],
      ...(linkedFrom.length === 0
        ? {}
        : {
            relatedLocations: linkedFrom.map(({ url: source, text }, id) => ({
              id,
              message: { text: text === "" ? "links here" : `links here: ${text}` },
              physicalLocation: { artifactLocation: { uri: source } },
            })),
          }),
      partialFingerprints: { "trawlFinding/v1": key },
      ...(change === null ? {} : { baselineState: change === "still" ? "unchanged" : "new" }),
    })),
  );
  const tool = {
    driver: { name: "Trawl", version, informationUri: "https://www.npmjs.com/package/trawl", rules },
  };
  const run = {
    tool,
    automationDetails: { id: `trawl/${overview.crawlInfo.domain}` },
    results,
    properties: { score: audit.score, crawl: overview.crawlInfo.id },
  };
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`;
}
