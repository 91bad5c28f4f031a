/** What an audit found, for people to read, and whether `--fail-on` applies. */
import { RULE_IDS } from "../../../app/data/audits.ts";
import type { IssueAnswer } from "../../../app/operations/issues.ts";
import { TrawlError } from "../../../errors.ts";
import { didYouMean } from "../../../settings/did-you-mean.ts";
import { count } from "../../texts.ts";
import { type Cell, table } from "./table.ts";
import type { Style } from "./terminal.ts";

type Issue = IssueAnswer["rows"][number];

const SEVERITIES: readonly string[] = ["error", "warning", "notice"];

/** A severity includes the worse ones. Accepted and ignored findings do not count. */
export function isMatch({ rule, severity, open }: Issue, what: string): boolean {
  if (open === 0) return false;
  const worst = SEVERITIES.indexOf(what);
  return worst < 0 ? rule === what : SEVERITIES.indexOf(severity) <= worst;
}

/** Checked before the crawl, so that a mistyped rule does not pass at the end. */
export function checkedFailOn({ failOn = [] }: { failOn?: string[] }): string[] {
  for (const what of failOn) {
    if (SEVERITIES.includes(what) || RULE_IDS.includes(what)) continue;
    throw new TrawlError(
      "BAD_USAGE",
      `--fail-on ${what}: it must be error, warning, notice or the id of a rule${didYouMean(what, RULE_IDS)}`,
    );
  }
  return failOn;
}

/** How many issues are listed when a crawl ends; `trawl issues` has them all. */
const LISTED = 5;

export function issueSection(
  answer: IssueAnswer,
  { id, program, style, width }: { id: number; program: string; style: Style; width: number },
): string[] {
  const { rows: issues, auditedAt } = answer;
  if (auditedAt === null) return [];
  const left = issues.length - LISTED;
  return [
    "",
    `${style.bold("Issues")}: ${issueTotals(answer)}`,
    ...issueLines(issues.slice(0, LISTED), style, width),
    ...(left > 0 ? [`  ${style.dim(`and ${count(left)} more: ${program} issues ${id}`)}`] : []),
  ];
}

/** `3 errors, 5 warnings, 12 notices; score 71 of 100`. */
export function issueTotals({ counts, score, previousId, rows: issues, passed }: IssueAnswer): string {
  const named = SEVERITIES.map((severity) => {
    const number = counts[severity as keyof typeof counts];
    return `${count(number)} ${severity}${number === 1 ? "" : "s"}`;
  });
  const isChanged = previousId !== null && [...issues, ...passed].some((each) => each.new || each.back || each.fixed);
  const sum = (name: "new" | "back" | "fixed") =>
    [...issues, ...passed].reduce((total, each) => total + (each[name] ?? 0), 0);
  const since = isChanged
    ? `; since crawl ${previousId}: ${count(sum("new"))} new, ${count(sum("back"))} back, ${count(sum("fixed"))} fixed`
    : "";
  return `${named.join(", ")}${score === null ? "" : `; score ${score} of 100`}${since}`;
}

export function issueLines(issues: readonly Issue[], style: Style, width: number): string[] {
  const colours = { error: style.bad, warning: style.warn, notice: style.dim };
  return table({
    columns: [
      { title: "" },
      { title: "", align: "right" },
      { title: "", least: 24, whole: true },
      { title: "", optional: true },
    ],
    rows: issues.map((issue): (string | Cell)[] => [
      { text: issue.severity, style: colours[issue.severity] },
      count(issue.open),
      `${issue.name} (${issue.rule})`,
      { text: [`of ${count(issue.applies)} ${issue.scope}`, ...notes(issue)].join(", "), style: style.dim },
    ]),
    width,
    indent: 2,
  });
}

/** `3 new`, `2 accepted`. */
const notes = (issue: Issue): string[] =>
  (["new", "back", "accepted", "ignored"] as const).flatMap((name) =>
    issue[name] ? [`${count(issue[name])} ${name}`] : [],
  );

/** For programs: the whole list is one more question. */
export const auditEvent = ({ auditedAt, score, counts, rows: issues }: IssueAnswer): Record<string, unknown> | null =>
  auditedAt === null
    ? null
    : {
        score,
        counts,
        issues: issues.map(({ rule, severity, priority, found, open, new: added, fixed }) => ({
          ...{ rule, severity, priority, found, open },
          ...{ new: added, fixed },
        })),
      };
