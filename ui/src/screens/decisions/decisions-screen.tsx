/** Decisions: what was found and not crawled, by reason, down to the rule and the setting behind it. */
import { useQuery } from "@tanstack/react-query";
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, Loaded, Skeleton } from "../../components/states.tsx";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { ReasonRow } from "./reason-row.tsx";
import "./decisions-screen.css";

export function DecisionsScreen() {
  const crawlId = useCrawlId();
  const { crawl } = usePlace();
  // The rules of a reason are asked for when it is opened.
  const decisions = useQuery(queries.decisions(crawlId, { limit: 1 }));
  return (
    <Page
      title="Decisions"
      tabTitle={crawl === null ? "Decisions" : `Decisions · ${crawl.domain}`}
      subtitle={<span>Every URL that was found has one verdict. These were not simply crawled, and this is why.</span>}
      actions={<ExplorerLink filter={crawlFilters.notCrawled}>Show all in the Explorer</ExplorerLink>}
    >
      <Loaded query={decisions} skeleton={<Skeleton lines={8} />}>
        {({ reasons, total }) =>
          reasons.length === 0 ? (
            <EmptyState title="Everything that was found is crawled">
              No rule, limit or robots.txt kept a URL out{crawl?.state === "completed" ? "." : " so far."}
            </EmptyState>
          ) : (
            <Card
              isFlush
              title={plural(total, "URL")}
              info="The widest bar is the most frequent reason. Open one for its rules and examples."
            >
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
