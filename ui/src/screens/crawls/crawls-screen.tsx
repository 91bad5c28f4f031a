/** The crawls of a project: their state, their size, and two of them to compare. */

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, RotateCw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Histogram } from "../../components/data/bars.tsx";
import { DataTable } from "../../components/data/data-table.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { useDeleteCrawl, useResumeCrawl } from "../../lib/changes.ts";
import type { CrawlInfo } from "../../lib/contract.ts";
import { formatDateTime, formatNumber, plural } from "../../lib/format.ts";
import { usePlace, useProjectId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { crawlStateWords, isFinished } from "../../lib/status.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { comparedPair, toggleChosen } from "./chosen-crawls.ts";
import { crawlColumns } from "./crawl-columns.tsx";

export function CrawlsScreen() {
  const projectId = useProjectId();
  const { project, active } = usePlace();
  const crawls = useQuery(queries.projectCrawls(projectId));
  const [deleting, setDeleting] = useState<CrawlInfo | null>(null);
  const [chosen, setChosen] = useState<number[]>([]);
  const resume = useResumeCrawl();
  const toast = useToast();
  const navigate = useNavigate();
  const watch = (crawlId: number) =>
    void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } });
  const onError = (error: unknown) => toast.fail(error);
  const pair = comparedPair(chosen, crawls.data ?? []);
  const compare = ({ later, earlier }: { later: number; earlier: number }) =>
    void navigate({ to: "/crawls/$crawlId/compare", params: { crawlId: String(later) }, search: { with: earlier } });
  return (
    <Page
      title="Crawls"
      tabTitle={project === null ? "Crawls" : `Crawls of ${unicodeHost(project.domain)}`}
      subtitle={project && unicodeHost(project.url)}
      actions={
        project && (
          <>
            <Button
              icon={GitCompareArrows}
              disabled={pair === null}
              title={pair === null ? "Select two crawls in the table" : undefined}
              onClick={() => pair !== null && compare(pair)}
            >
              {pair === null ? "Compare two" : `Compare #${pair.earlier} with #${pair.later}`}
            </Button>
            <Button
              icon={RotateCw}
              look="primary"
              disabled={active !== null}
              onClick={() => {
                const { latestCrawlId, url } = project;
                void navigate({ to: "/new", search: latestCrawlId === null ? { url } : { from: latestCrawlId } });
              }}
            >
              Crawl again
            </Button>
          </>
        )
      }
    >
      <Loaded query={crawls}>
        {(rows) => (
          <>
            {rows.length > 1 && <PagesPerCrawl crawls={rows} />}
            <Card isFlush>
              <DataTable
                caption="Crawls of this project"
                columns={crawlColumns({
                  chosen,
                  onChoose: (id) => setChosen(toggleChosen(chosen, id)),
                  onDelete: setDeleting,
                  onResume: ({ id }) => resume.mutate(id, { onSuccess: () => watch(id), onError }),
                })}
                rows={rows}
                rowKey={({ id }) => id}
                empty={<EmptyState title="No crawls yet">Start one with “Crawl again”.</EmptyState>}
              />
            </Card>
          </>
        )}
      </Loaded>
      {deleting !== null && <DeleteCrawl crawl={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

function DeleteCrawl({ crawl: { id, startedAt, discovered }, onClose }: { crawl: CrawlInfo; onClose: () => void }) {
  const remove = useDeleteCrawl();
  return (
    <Confirm
      title={`Delete crawl #${id}?`}
      action="Delete crawl"
      onConfirm={() => remove.mutateAsync(id)}
      onClose={onClose}
    >
      <p>
        This deletes the crawl of {formatDateTime(startedAt)} and its {formatNumber(discovered)} URLs from this machine.
        It cannot be undone.
      </p>
    </Confirm>
  );
}

/** As many as fit on a phone. */
const SHOWN = 14;

/** How many pages each of the latest crawls found. */
export function PagesPerCrawl({ crawls }: { crawls: readonly CrawlInfo[] }) {
  const shown = crawls.slice(0, SHOWN).toReversed();
  return (
    <Card title="Pages per crawl" info="Incomplete crawls are grey.">
      <Histogram
        label="Pages, by crawl, oldest first"
        height={140}
        bins={shown.map(({ id, pages, startedAt, state }) => ({
          label: `#${id}`,
          value: pages,
          tone: isFinished(state) ? "accent" : "quiet",
          title: `#${id}, ${formatDateTime(startedAt)}: ${plural(pages, "page")}${state === "completed" ? "" : `, ${crawlStateWords(state).label.toLowerCase()}`}`,
          name: (
            <Link to="/crawls/$crawlId" params={{ crawlId: String(id) }} className="plain-link">
              #{id}
            </Link>
          ),
        }))}
      />
    </Card>
  );
}
