/** Issues counted and chosen: by severity and priority, by group, by a word. Without JSX, so that it can be tested. */
import type { FindingState, Issue, Priority, Severity } from "../../lib/contract.ts";

export const SEVERITY_ORDER: readonly Severity[] = ["error", "warning", "notice"];
export const PRIORITY_ORDER: readonly Priority[] = ["high", "medium", "low"];

/** Which issues are shown; it is in the address. */
export interface IssueChoice {
  severity?: Severity;
  priority?: Priority;
  group?: string;
  search?: string;
}

const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined => all.find((one) => one === value);

/** The search part of an address, whatever was typed there. */
export const readIssueChoice = (search: Record<string, unknown>): IssueChoice => ({
  severity: oneOf(SEVERITY_ORDER, search["severity"]),
  priority: oneOf(PRIORITY_ORDER, search["priority"]),
  group: typeof search["group"] === "string" && search["group"] !== "" ? search["group"] : undefined,
  search: typeof search["search"] === "string" && search["search"] !== "" ? search["search"] : undefined,
});

export const FINDING_STATES: readonly FindingState[] = [
  ...(["all", "open", "new", "back", "still", "fixed", "accepted", "ignored"] as const),
];

/** The page of an issue: its rule, and which of its findings are shown. */
export const readIssuePage = (search: Record<string, unknown>): { rule?: string; state?: FindingState } => ({
  rule: typeof search["rule"] === "string" && search["rule"] !== "" ? search["rule"] : undefined,
  state: oneOf(FINDING_STATES, search["state"]),
});

type Judged = Pick<Issue, "severity" | "priority" | "group" | "name" | "rule">;

/** Those that match everything that was chosen. */
export function chosenIssues<T extends Judged>(issues: readonly T[], choice: IssueChoice): T[] {
  const word = choice.search?.toLowerCase();
  return issues.filter(
    ({ severity, priority, group, name, rule }) =>
      (choice.severity === undefined || severity === choice.severity) &&
      (choice.priority === undefined || priority === choice.priority) &&
      (choice.group === undefined || group === choice.group) &&
      (word === undefined || [name, group, rule].some((text) => text.toLowerCase().includes(word))),
  );
}

/** How many issues there are of a severity, a priority, or both. */
export const countIssues = (issues: readonly Judged[], choice: IssueChoice): number =>
  chosenIssues(issues, choice).length;

/** The groups of these issues, each once, in order of appearance. */
export const groupsOf = (issues: readonly Judged[]): string[] => [...new Set(issues.map(({ group }) => group))];

/** The rule after or before this one in a list; null at its end. */
export function neighbour<T extends { rule: string }>(issues: readonly T[], rule: string, by: 1 | -1): T | null {
  const at = issues.findIndex((one) => one.rule === rule);
  return at < 0 ? null : (issues[at + by] ?? null);
}
