/** Compare: what changed from an earlier crawl of the project to this one, URL by URL and field by field. */

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { EmptyState, Loaded, Note, Skeleton } from "../../components/feedback/states.tsx";
import { Page } from "../../components/layout/page.tsx";
import type { CrawlInfo } from "../../lib/contract.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { Changes } from "./changes.tsx";
import "./compare-screen.css";
import { ArrowRight } from "lucide-react";
import { Field } from "../../components/controls/field.tsx";
import { Select } from "../../components/controls/input.tsx";
import { formatDateTime, plural } from "../../lib/format.ts";
import { crawlStateWords, isFinished } from "../../lib/status.ts";

export function CompareScreen() {
  const { crawl, projectId } = usePlace();
  const crawls = useQuery({ ...queries.projectCrawls(projectId ?? 0), enabled: projectId !== null });
  return (
    <Page
      title="Compare"
      tabTitle={crawl === null ? "Compare" : `Compare · ${unicodeHost(crawl.domain)}`}
      subtitle={<span>Covers URLs fetched in either crawl.</span>}
    >
      <Loaded query={crawls} skeleton={<Skeleton lines={8} />}>
        {(all) => <Compared crawls={all} />}
      </Loaded>
    </Page>
  );
}

function Compared({ crawls }: { crawls: CrawlInfo[] }) {
  const crawlId = useCrawlId();
  const search = useSearch({ from: "/crawls/$crawlId/compare" });
  const earlier = crawls.filter(({ id }) => id < crawlId);
  const other = earlier.find(({ id }) => id === search.with) ?? comparedWith(earlier);
  if (other === undefined) return <NoEarlier latest={crawls[0]} />;
  return (
    <>
      <CrawlPickers crawls={crawls} crawlId={crawlId} otherId={other.id} />
      <UnfinishedNote crawls={crawls.filter(({ id }) => id === crawlId || id === other.id)} />
      <Changes key={`${crawlId} ${other.id}`} otherId={other.id} search={search} />
    </>
  );
}

/** The newest that was finished: one that was blocked or stopped says little about the site. Any rather than none. */
const comparedWith = (earlier: readonly CrawlInfo[]): CrawlInfo | undefined =>
  earlier.find(({ state }) => isFinished(state)) ?? earlier.find(({ pages }) => pages > 0) ?? earlier[0];

/** URLs that a crawl never reached are not gone. */
function UnfinishedNote({ crawls }: { crawls: CrawlInfo[] }) {
  const unfinished = crawls.filter(({ state }) => !isFinished(state)).map(({ id }) => `#${id}`);
  if (unfinished.length === 0) return null;
  return (
    <Note tone="warn">
      {`${unfinished.join(" and ")} did not complete, so URLs it never reached appear as new or gone.`}
    </Note>
  );
}

/** The first crawl has no earlier one, but a later one can be compared with it. */
function NoEarlier({ latest }: { latest: CrawlInfo | undefined }) {
  const crawlId = useCrawlId();
  const hasLater = latest !== undefined && latest.id > crawlId;
  return (
    <EmptyState
      title="There is no earlier crawl"
      action={
        hasLater && (
          <Link
            to="/crawls/$crawlId/compare"
            params={{ crawlId: String(latest.id) }}
            search={{ with: crawlId }}
            className="button button-plain"
          >{`Compare #${latest.id} with this one`}</Link>
        )
      }
    >
      {hasLater
        ? "This is the first crawl of the project."
        : "Crawl the site again to see what is new, gone or changed."}
    </EmptyState>
  );
}

interface CrawlPickersProps {
  /** Newest first. */
  crawls: readonly CrawlInfo[];
  crawlId: number;
  otherId: number;
}

/** Which two crawls are compared. */
export function CrawlPickers({ crawls, crawlId, otherId }: CrawlPickersProps) {
  const navigate = useNavigate();
  const go = (later: number, earlier: number) =>
    void navigate({
      to: "/crawls/$crawlId/compare",
      params: { crawlId: String(later) },
      search: { with: earlier < later ? earlier : undefined },
      resetScroll: false,
    });
  return (
    <div className="crawl-pickers">
      <Field label="Earlier crawl">
        {(control) => (
          <Select
            {...control}
            value={String(otherId)}
            onValue={(value) => go(crawlId, Number(value))}
            options={crawls.filter(({ id }) => id < crawlId).map(optionOf)}
          />
        )}
      </Field>
      <ArrowRight size={16} className="crawl-pickers-arrow" aria-hidden />
      <Field label="Later crawl">
        {(control) => (
          <Select
            {...control}
            value={String(crawlId)}
            onValue={(value) => go(Number(value), otherId)}
            options={crawls.slice(0, -1).map(optionOf)}
          />
        )}
      </Field>
    </div>
  );
}

const optionOf = ({ id, startedAt, pages, state }: CrawlInfo) => ({
  value: String(id),
  label: `#${id} · ${formatDateTime(startedAt)} · ${plural(pages, "page")}${state === "completed" ? "" : ` · ${crawlStateWords(state).label.toLowerCase()}`}`,
});
