/** The figures at the top of the issues: the score with its formula, and how many issues there are. */
import { Stat, StatRow } from "../../components/data/stat.tsx";
import type { IssueList } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { severityWords } from "../../lib/words.ts";
import { SEVERITY_ORDER } from "./issue-lists.ts";

export function IssueFigures({ list }: { list: IssueList }) {
  const { score, formula, indexablePages, rows: issues, counts, passed, previousId } = list;
  const all = [...issues, ...passed];
  const judged = issues.length + passed.length;
  return (
    <StatRow>
      <Stat
        label="Score"
        value={score === null ? "–" : `${formatNumber(Math.round(score * 10) / 10)}`}
        note={score === null ? "no indexable pages" : `of 100, over ${formatNumber(indexablePages)} indexable`}
        info={formula}
      />
      {SEVERITY_ORDER.map((severity) => {
        const { plural: label, tone, text } = severityWords(severity);
        const found = issues.filter((issue) => issue.severity === severity);
        return (
          <Stat
            key={severity}
            label={label}
            value={formatNumber(counts[severity])}
            note={`${plural(
              found.reduce((sum, issue) => sum + issue.open, 0),
              "open finding",
            )}`}
            info={`${text} The figure counts issues; each may affect many URLs.`}
            tone={counts[severity] > 0 ? tone : undefined}
          />
        );
      })}
      {previousId !== null && (
        <Stat
          label={`Since crawl #${previousId}`}
          value={`+${formatNumber(all.reduce((sum, one) => sum + (one.new ?? 0) + (one.back ?? 0), 0))} −${formatNumber(all.reduce((sum, one) => sum + (one.fixed ?? 0), 0))}`}
          note="findings new and fixed"
          info="New: findings that the previous crawl did not have. Fixed: findings that only the previous crawl had."
        />
      )}
      <Stat label="Passed checks" value={formatNumber(passed.length)} note={`of ${formatNumber(judged)} that apply`} />
    </StatRow>
  );
}
