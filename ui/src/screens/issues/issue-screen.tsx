/** One issue: why it matters, how to fix it, and the URLs it was found on, with what was found there. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, CircleCheck, PartyPopper } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Select } from "../../components/controls/input.tsx";
import { ExplorerLink } from "../../components/data/links.tsx";
import { EmptyState, ErrorState, ShowMore, Skeleton } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import type { Findings, Issue } from "../../lib/contract.ts";
import { formatNumber, formatShare, plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { webLink } from "../../lib/web-link.ts";
import { findingStateLabel, priorityLabel } from "../../lib/words.ts";
import { groupColumns } from "../explorer/group-columns.ts";
import { AcceptDialog, type AcceptDialogProps } from "./accept-dialog.tsx";
import { FindingTable } from "./finding-table.tsx";
import { IssueExport } from "./issue-export.tsx";
import { FINDING_STATES, neighbour } from "./issue-lists.ts";
import { SeverityBadge } from "./issue-table.tsx";
import "./issues-screen.css";

/** What the dialog is about: one finding, or with null the whole issue. */
type Accepting = Pick<AcceptDialogProps, "finding">;

export function IssueScreen() {
  const crawlId = useCrawlId();
  const { rule = "", state } = useSearch({ from: "/crawls/$crawlId/issue" });
  const navigate = useNavigate({ from: "/crawls/$crawlId/issue" });
  const [accepting, setAccepting] = useState<Accepting | null>(null);
  const { crawl } = usePlace();
  const findings = useInfiniteQuery(queries.findings(crawlId, rule, { state }));
  const list = useQuery(queries.issues(crawlId)).data;
  const first = findings.data?.pages[0];
  const issue = list && [...list.rows, ...list.passed, ...list.notApplicable].find((one) => one.rule === rule);
  return (
    <Page
      title={first?.name ?? "Issue"}
      tabTitle={`${first?.name ?? "Issue"}${crawl === null ? "" : ` · ${unicodeHost(crawl.domain)}`}`}
      subtitle={first && <IssueSubtitle about={first} issue={issue} />}
      actions={
        first && (
          <>
            <IssueSteps issues={list?.rows ?? []} rule={rule} />
            {(issue?.found ?? 0) > 0 && (
              <>
                <Button icon={CircleCheck} onClick={() => setAccepting({ finding: null })}>
                  Accept or ignore…
                </Button>
                <IssueExport rule={rule} name={first.name} />
              </>
            )}
          </>
        )
      }
    >
      {first === undefined ? (
        findings.error === null ? (
          <Skeleton lines={10} />
        ) : (
          <ErrorState error={findings.error} onRetry={() => void findings.refetch()} />
        )
      ) : (
        <>
          <AboutIssue about={first} />
          <Card
            isFlush
            title={plural(first.total, "URL")}
            info="What was found on each URL, and pages that link to it."
            actions={
              <span className="row">
                <Select
                  aria-label="Which findings"
                  value={state ?? "all"}
                  onValue={(value) =>
                    void navigate({
                      search: (before) => ({ ...before, state: FINDING_STATES.find((one) => one === value) }),
                      replace: true,
                    })
                  }
                  options={FINDING_STATES.map((value) => ({ value, label: findingStateLabel(value) }))}
                />
                <ExplorerLink filter={[`issue=${rule}`]} fields={groupColumns(first.group)}>
                  Open in the Explorer
                </ExplorerLink>
              </span>
            }
          >
            {first.total === 0 ? (
              <EmptyState icon={PartyPopper} title="Nothing found">
                {(issue?.found ?? 0) > 0
                  ? "No finding is in this state. Choose another one, such as All."
                  : issue !== undefined && issue.applies === 0
                    ? "This rule does not apply to any URL of the crawl."
                    : "This check passed."}
              </EmptyState>
            ) : (
              <>
                <FindingTable
                  rows={findings.data!.pages.flatMap((page) => page.rows)}
                  onAccept={(finding) => setAccepting({ finding })}
                />
                <ShowMore
                  shown={findings.data!.pages.reduce((sum, page) => sum + page.rows.length, 0)}
                  total={first.total}
                  of="URLs"
                  hasMore={findings.hasNextPage}
                  isBusy={findings.isFetchingNextPage}
                  onMore={() => void findings.fetchNextPage()}
                />
              </>
            )}
          </Card>
        </>
      )}
      {accepting !== null && (
        <AcceptDialog rule={rule} finding={accepting.finding} onClose={() => setAccepting(null)} />
      )}
    </Page>
  );
}

function IssueSubtitle({ about, issue }: { about: Findings; issue: Issue | undefined }) {
  return (
    <>
      <span>
        <Link to="/crawls/$crawlId/issues" params={{ crawlId: String(useCrawlId()) }}>
          All issues
        </Link>
      </span>
      <span>
        <SeverityBadge severity={about.severity} />
      </span>
      <span>{priorityLabel(about.priority)} priority</span>
      <span>{about.group}</span>
      {issue !== undefined && issue.applies > 0 && (
        <span>
          {formatShare(issue.found, issue.applies)} of {formatNumber(issue.applies)} {issue.scope}
        </span>
      )}
    </>
  );
}

/** To the next issue in the list, and to the one before. */
function IssueSteps({ issues, rule }: { issues: readonly Issue[]; rule: string }) {
  const navigate = useNavigate({ from: "/crawls/$crawlId/issue" });
  const [before, after] = [neighbour(issues, rule, -1), neighbour(issues, rule, 1)];
  const go = (issue: Issue | null) =>
    issue !== null && void navigate({ search: (before) => ({ ...before, rule: issue.rule }) });
  return (
    <>
      <IconButton
        label={before === null ? "Previous issue" : `Previous issue: ${before.name}`}
        icon={ChevronLeft}
        disabled={before === null}
        onClick={() => go(before)}
      />
      <IconButton
        label={after === null ? "Next issue" : `Next issue: ${after.name}`}
        icon={ChevronRight}
        disabled={after === null}
        onClick={() => go(after)}
      />
    </>
  );
}

function AboutIssue({ about: { why, fix, link, thresholds } }: { about: Findings }) {
  const href = webLink(link);
  const limits = Object.entries(thresholds);
  return (
    <div className="issue-about">
      <Card title="Why it matters">
        <p>{why}</p>
      </Card>
      <Card title="How to fix it">
        <p>{fix}</p>
        <p className="row issue-more">
          {href !== null && (
            <a href={href} target="_blank" rel="noreferrer noopener">
              Read more
            </a>
          )}
          {limits.map(([name, value]) => (
            <span key={name} className="muted" title="A threshold, which the setting “Thresholds” changes">
              {thresholdLabel(name)}: {formatNumber(value)}
            </span>
          ))}
        </p>
      </Card>
    </div>
  );
}

/** `titleMaxChars` → Title max chars. */
const thresholdLabel = (name: string): string => {
  const words = name.replaceAll(/([A-Z])/g, " $1").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
