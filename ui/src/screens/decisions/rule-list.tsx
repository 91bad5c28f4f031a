/** The rules behind a reason, most frequent first, each with examples. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Badge } from "../../components/badge.tsx";
import { ExplorerLink, InspectLink } from "../../components/crawl-links.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { UrlText } from "../../components/url-text.tsx";
import type { Decisions } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";

const FIRST = 20;
/** What the server gives at most. */
const MOST = 1_000;

export function RuleList({ reason }: { reason: string }) {
  const [limit, setLimit] = useState(FIRST);
  const decisions = useQuery(queries.decisions(useCrawlId(), { reason, limit }));
  return (
    <Loaded query={decisions} skeleton={<Skeleton lines={2} />}>
      {({ groups, groupsTotal }) => (
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
  ["skip", { label: "Skipped", title: "Left out." }],
  ["record", { label: "Noted", title: "Kept in the list of URLs, and not fetched." }],
  ["crawl", { label: "Crawled", title: "Fetched although a rule speaks against it, as the settings ask." }],
]);

function Rule({ group: { reason, rule, verdict, count, examples } }: { group: Decisions["groups"][number] }) {
  const known = VERDICTS.get(verdict);
  return (
    <li className="rule">
      <div className="rule-head">
        <Badge title={known?.title}>{known?.label ?? verdict}</Badge>
        <code className="rule-text">{rule ?? "Built into Trawl"}</code>
        <ExplorerLink filter={crawlFilters.rule(reason, rule, verdict)} title="Show them in the Explorer">
          {formatNumber(count)}
        </ExplorerLink>
      </div>
      <ul className="rule-examples" aria-label="Examples">
        {examples.map((url) => (
          <li key={url}>
            <InspectLink url={url}>
              <UrlText url={url} />
            </InspectLink>
          </li>
        ))}
      </ul>
    </li>
  );
}
