/** Decisions: what was found but not crawled, by reason, down to the rule and the setting behind it. */

import { useQuery } from "@tanstack/react-query";
import { ExplorerLink, InspectLink, UrlText } from "../../components/data/links.tsx";
import { EmptyState, Loaded, ShowMore, Skeleton } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatNumber, formatShare, plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import "./decisions-screen.css";
import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../components/data/labels.tsx";
import type { Decisions } from "../../lib/contract.ts";
import { reasonLabel, ruleText } from "../../lib/words.ts";
import { settingLabel } from "../../settings/setting-control.ts";

export function DecisionsScreen() {
  const crawlId = useCrawlId();
  const { crawl } = usePlace();
  // The rules of a reason are fetched when it is opened.
  const decisions = useQuery(queries.decisions(crawlId, { limit: 1 }));
  return (
    <Page
      title="Decisions"
      tabTitle={crawl === null ? "Decisions" : `Decisions · ${unicodeHost(crawl.domain)}`}
      subtitle={<span>URLs that Trawl found but did not crawl, each with the rule that decided.</span>}
      actions={<ExplorerLink filter={crawlFilters.notCrawled}>Show all in the Explorer</ExplorerLink>}
    >
      <Loaded query={decisions} skeleton={<Skeleton lines={8} />}>
        {({ reasons, urls: total }) =>
          reasons.length === 0 ? (
            <EmptyState title="Every URL found is crawled">
              No rule, limit or robots.txt kept a URL out{crawl?.state === "completed" ? "." : " so far."}
            </EmptyState>
          ) : (
            <Card isFlush title={plural(total, "URL")} info="Open a reason to see its rules and examples.">
              <div className="reasons">
                {reasons.map((reason) => (
                  <ReasonRow key={reason.reason} reason={reason} total={total} most={reasons[0]!.count} />
                ))}
              </div>
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

export type ReasonCount = Decisions["reasons"][number];

/** One reason: what it means, how often it decided, and, once opened, by which rules. */
export function ReasonRow({ reason, total, most }: { reason: ReasonCount; total: number; most: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="reason" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="reason-head" data-row>
        <ChevronRight size={15} className="reason-arrow" aria-hidden />
        <span className="reason-words">
          <span className="reason-name">{reasonLabel(reason.reason)}</span>
          <span className="muted">{reason.meaning}</span>
        </span>
        <span className="reason-bar" aria-hidden>
          <span style={{ width: `${(reason.count / most) * 100}%` }} />
        </span>
        <span className="reason-count">{formatNumber(reason.count)}</span>
        <span className="reason-share muted">{formatShare(reason.count, total)}</span>
      </summary>
      {isOpen && (
        <div className="reason-body">
          <div className="row-apart">
            <SettingNote name={reason.setting} />
            <ExplorerLink filter={crawlFilters.reason(reason.reason)}>
              {`Show all ${formatNumber(reason.count)} in the Explorer`}
            </ExplorerLink>
          </div>
          <RuleList reason={reason.reason} />
        </div>
      )}
    </details>
  );
}

function SettingNote({ name }: { name: string | null }) {
  const { projectId } = usePlace();
  const settings = useQuery(queries.settings()).data ?? [];
  if (name === null || projectId === null) return <span className="muted">No setting changes this.</span>;
  return (
    <span>
      Decided by the setting{" "}
      <Link to="/projects/$projectId/settings" params={{ projectId: String(projectId) }} search={{ find: name }}>
        {settingLabel(settings, name)}
      </Link>
    </span>
  );
}

const FIRST = 20;
/** The server's maximum. */
const MOST = 1_000;

/** The rules behind a reason, most frequent first, each with examples. */
export function RuleList({ reason }: { reason: string }) {
  const [limit, setLimit] = useState(FIRST);
  const decisions = useQuery(queries.decisions(useCrawlId(), { reason, limit }));
  return (
    <Loaded query={decisions} skeleton={<Skeleton lines={2} />}>
      {({ rows: groups, total: groupsTotal }) => (
        <>
          <ul className="rules">
            {groups.map((group) => (
              <Rule key={`${group.rule} ${group.verdict}`} group={group} />
            ))}
          </ul>
          <ShowMore
            shown={groups.length}
            total={groupsTotal}
            of="rules"
            hasMore={groups.length < groupsTotal && limit < MOST}
            isBusy={decisions.isFetching}
            onMore={() => setLimit(Math.min(MOST, limit * 5))}
          />
        </>
      )}
    </Loaded>
  );
}

const VERDICTS = new Map([
  ["skip", { label: "Skipped", title: "Not crawled." }],
  ["record", { label: "Recorded", title: "Kept in the list of URLs, not fetched." }],
  ["crawl", { label: "Crawled", title: "Fetched despite a rule, as configured." }],
]);

function Rule({ group: { reason, rule, verdict, count, examples } }: { group: Decisions["groups"][number] }) {
  const known = VERDICTS.get(verdict);
  const settings = useQuery(queries.settings()).data ?? [];
  return (
    <li className="rule">
      <div className="rule-head">
        <Badge title={known?.title}>{known?.label ?? verdict}</Badge>
        <code className="rule-text">{rule === null ? "Built into Trawl" : ruleText(rule, settings)}</code>
        <ExplorerLink filter={crawlFilters.rule(reason, rule, verdict)} title="Show them in the Explorer">
          {formatNumber(count)}
        </ExplorerLink>
      </div>
      <ul className="rule-examples" aria-label="Examples">
        {examples.map((url) => (
          <li key={url} data-row>
            <InspectLink url={url}>
              <UrlText url={url} />
            </InspectLink>
          </li>
        ))}
      </ul>
    </li>
  );
}
