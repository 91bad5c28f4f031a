/** Issues: what the audit of a crawl found, the worst first. A finished crawl opens here. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { PartyPopper, RefreshCw, ScanSearch } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { EmptyState, Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { useAudit } from "../../lib/changes.ts";
import type { CrawlInfo, IssueList } from "../../lib/contract.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { OverviewSubtitle, UnfinishedNote } from "../overview/overview-screen.tsx";
import { GroupCard } from "./group-card.tsx";
import { IssueExport } from "./issue-export.tsx";
import { IssueFigures } from "./issue-figures.tsx";
import type { IssueChoice } from "./issue-lists.ts";
import { IssueMatrix } from "./issue-matrix.tsx";
import { CheckList, IssueTable } from "./issue-table.tsx";
import { TrendCard } from "./trend-card.tsx";
import "./issues-screen.css";

const UNDER_WAY: readonly CrawlInfo["state"][] = ["running", "pausing", "stopping"];

export function IssuesScreen() {
  const issues = useQuery(queries.issues(useCrawlId()));
  const { crawl } = usePlace();
  const domain = crawl === null ? "" : unicodeHost(crawl.domain);
  const isAudited = issues.data !== undefined && issues.data.auditedAt !== null;
  return (
    <Page
      title={domain === "" ? "Issues" : `Issues of ${domain}`}
      tabTitle={domain === "" ? "Issues" : `Issues · ${domain}`}
      subtitle={crawl && <OverviewSubtitle crawl={crawl} />}
      actions={
        isAudited && (
          <>
            <AuditButton label="Audit again" />
            <IssueExport rule={null} />
          </>
        )
      }
    >
      {crawl && <UnfinishedNote crawl={crawl} />}
      <Loaded query={issues} skeleton={<Skeleton lines={12} />}>
        {(list) => (list.auditedAt === null ? <NotAudited crawl={crawl} /> : <IssuesBody list={list} />)}
      </Loaded>
    </Page>
  );
}

/** Audits the crawl again with its current settings. */
function AuditButton({ label }: { label: string }) {
  const crawlId = useCrawlId();
  const audit = useAudit();
  const toast = useToast();
  return (
    <Button
      icon={RefreshCw}
      isBusy={audit.isPending}
      title="Applies the audit rules to what was crawled. Nothing is requested from the site."
      onClick={() => audit.mutate(crawlId, { onError: (error) => toast.fail(error) })}
    >
      {label}
    </Button>
  );
}

function NotAudited({ crawl }: { crawl: CrawlInfo | null }) {
  if (crawl !== null && UNDER_WAY.includes(crawl.state)) {
    return (
      <EmptyState icon={ScanSearch} title="The audit comes at the end">
        A crawl is judged once it is complete, because many rules need all of its pages and links.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ScanSearch} title="This crawl was not audited" action={<AuditButton label="Audit it now" />}>
      It did not complete, was made by an older version, or its settings turn the audit off. An audit requests nothing
      from the site.
    </EmptyState>
  );
}

function IssuesBody({ list }: { list: IssueList }) {
  const choice = useSearch({ from: "/crawls/$crawlId/issues" });
  const navigate = useNavigate({ from: "/crawls/$crawlId/issues" });
  const choose = (change: Partial<IssueChoice>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });
  return (
    <>
      <IssueFigures list={list} />
      {list.rows.length === 0 ? (
        <EmptyState icon={PartyPopper} title="No issues found">
          All {list.passed.length} checks that apply to this site passed.
        </EmptyState>
      ) : (
        <div className="issues-main">
          <div className="stack">
            <Card
              title="Severity and priority"
              info="The severity says how bad an issue is, the priority how much it matters. Choose a figure to see only its issues."
            >
              <IssueMatrix issues={list.rows} choice={choice} onChoose={choose} />
            </Card>
            <GroupCard groups={list.groups} choice={choice} onChoose={choose} />
            <TrendCard />
          </div>
          <IssueTable issues={list.rows} choice={choice} onChoose={choose} />
        </div>
      )}
      <CheckList
        title="Passed checks"
        empty="No check passed."
        info="Rules that were applied to this crawl and found nothing."
        checks={list.passed}
      />
      <CheckList
        title="Checks that do not apply"
        empty="Every check applies to this crawl."
        info="Rules for which the crawl has no URLs, such as rules about sitemaps without a sitemap."
        checks={list.notApplicable}
      />
    </>
  );
}
