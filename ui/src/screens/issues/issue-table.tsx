/** The issues as a table, with what narrows it; and lists of checks that found nothing. */
import { Link } from "@tanstack/react-router";
import { ChevronRight, X } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { Select } from "../../components/controls/input.tsx";
import { SearchField } from "../../components/controls/search-box.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Issue, Severity } from "../../lib/contract.ts";
import { formatNumber, formatShare, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { priorityLabel, severityWords } from "../../lib/words.ts";
import { chosenIssues, groupsOf, type IssueChoice, PRIORITY_ORDER, SEVERITY_ORDER } from "./issue-lists.ts";

interface IssueTableProps {
  issues: readonly Issue[];
  choice: IssueChoice;
  onChoose: (change: Partial<IssueChoice>) => void;
}

export function IssueTable({ issues, choice, onChoose }: IssueTableProps) {
  const shown = chosenIssues(issues, choice);
  const isChosen = shown.length < issues.length;
  const clear = () => onChoose({ severity: undefined, priority: undefined, group: undefined, search: undefined });
  return (
    <Card
      isFlush
      title={
        isChosen ? `${formatNumber(shown.length)} of ${plural(issues.length, "issue")}` : plural(issues.length, "issue")
      }
      className="issues-table-card"
      actions={
        <div className="row issue-choice">
          {isChosen && (
            <Button look="quiet" icon={X} onClick={clear}>
              Show all
            </Button>
          )}
          <Select
            aria-label="Group"
            value={choice.group ?? ""}
            onValue={(group) => onChoose({ group: group === "" ? undefined : group })}
            options={[
              { value: "", label: "All groups" },
              ...groupsOf(issues)
                .toSorted()
                .map((group) => ({ value: group, label: group })),
            ]}
          />
          <SearchField
            label="Search issues"
            value={choice.search ?? ""}
            onValue={(search) => onChoose({ search: search === "" ? undefined : search })}
          />
        </div>
      }
    >
      <DataTable
        caption="Issues"
        columns={issues.some(({ new: added }) => added !== null) ? COLUMNS : COLUMNS_ALONE}
        rows={shown}
        rowKey={({ rule }) => rule}
        empty={<EmptyState title="No issue matches">Choose another severity, group or word.</EmptyState>}
      />
    </Card>
  );
}

const COLUMNS: readonly Column<Issue>[] = [
  {
    id: "issue",
    head: "Issue",
    isRest: true,
    cell: (issue) => <IssueLink issue={issue} />,
    sortBy: ({ name }) => name,
  },
  {
    id: "severity",
    head: "Severity",
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
    sortBy: ({ severity }) => SEVERITY_ORDER.indexOf(severity),
  },
  {
    id: "priority",
    head: "Priority",
    cell: ({ priority }) => priorityLabel(priority),
    sortBy: ({ priority }) => PRIORITY_ORDER.indexOf(priority),
  },
  {
    id: "group",
    head: "Group",
    cell: ({ group }) => (
      <span className="cut issue-in-group" title={group}>
        {group}
      </span>
    ),
    sortBy: ({ group }) => group,
  },
  {
    id: "found",
    head: "URLs",
    isNumber: true,
    cell: ({ found, open, accepted, ignored }) => (
      <span title={open < found ? `${open} open, ${accepted} accepted, ${ignored} ignored` : undefined}>
        {open < found && <span className="muted">{formatNumber(found)} → </span>}
        {formatNumber(open)}
      </span>
    ),
    sortBy: ({ open }) => open,
  },
  {
    id: "new",
    head: "New",
    info: "URLs on which the previous crawl did not find it, or where it had been fixed.",
    isNumber: true,
    cell: ({ new: added, back }) => <Change count={sum(added, back)} tone="bad" sign="+" />,
    sortBy: ({ new: added, back }) => sum(added, back),
  },
  {
    id: "fixed",
    head: "Fixed",
    info: "URLs on which only the previous crawl found it.",
    isNumber: true,
    cell: ({ fixed }) => <Change count={fixed} tone="ok" sign="−" />,
    sortBy: ({ fixed }) => fixed,
  },
  {
    id: "share",
    head: "Share",
    info: "Of the URLs that the rule is about, such as indexable pages.",
    isNumber: true,
    cell: ({ found, applies, scope }) => (
      <span title={`${formatNumber(applies)} ${scope}`}>{formatShare(found, applies)}</span>
    ),
    sortBy: ({ found, applies }) => (applies > 0 ? found / applies : 0),
  },
];

/** Without a crawl before this one. */
const COLUMNS_ALONE = COLUMNS.filter(({ id }) => id !== "new" && id !== "fixed");

const sum = (a: number | null, b: number | null): number | null => (a === null ? null : a + (b ?? 0));

/** Empty where nothing changed, so that changes stand out; a dash where there is nothing to compare with. */
function Change({ count, tone, sign }: { count: number | null; tone: "bad" | "ok"; sign: string }) {
  if (count === null) return <span className="muted">–</span>;
  return count === 0 ? null : (
    <span className={`issue-change tone-${tone}`}>
      {sign}
      {formatNumber(count)}
    </span>
  );
}

export function SeverityBadge({ severity }: { severity: Severity }) {
  const { label, tone, glyph, text } = severityWords(severity);
  return (
    <Badge tone={tone} title={text}>
      <span className="badge-glyph" aria-hidden>
        {glyph}
      </span>
      {label}
    </Badge>
  );
}

export function IssueLink({ issue: { rule, name } }: { issue: Pick<Issue, "rule" | "name"> }) {
  return (
    <Link
      to="/crawls/$crawlId/issue"
      params={{ crawlId: String(useCrawlId()) }}
      search={{ rule }}
      className="plain-link issue-name"
      title={name}
    >
      {name}
    </Link>
  );
}

interface CheckListProps {
  title: string;
  info: string;
  empty: string;
  checks: readonly Issue[];
}

/** Checks by group, collapsed: there are many, and they found nothing. */
export function CheckList({ title, info, empty, checks }: CheckListProps) {
  return (
    <details className="checks">
      <summary title={info}>
        <ChevronRight size={15} className="checks-arrow" aria-hidden />
        {title} <span className="muted">{formatNumber(checks.length)}</span>
      </summary>
      <p className="muted">{checks.length === 0 ? empty : info}</p>
      <div className="checks-groups">
        {groupsOf(checks).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {checks
                .filter((check) => check.group === group)
                .map((check) => (
                  <li key={check.rule}>
                    <IssueLink issue={check} />
                    {check.applies > 0 && (
                      <span className="muted">
                        {" "}
                        {formatNumber(check.applies)} {check.scope}
                      </span>
                    )}
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </details>
  );
}
