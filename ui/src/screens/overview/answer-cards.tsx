/** Cards about answers: statuses, content types, response times, what is broken, what is slow, and from which hosts. */
import { BarList, Histogram, StackedBar } from "../../components/data/bars.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { StatusBadge } from "../../components/data/labels.tsx";
import { ExplorerLink, InspectLink, UrlText } from "../../components/data/links.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatBytes, formatDuration, formatNumber } from "../../lib/format.ts";
import { classNamed, statusClassOf, statusShares, statusText } from "../../lib/status.ts";
import { errorLabel } from "../../lib/words.ts";
import { timeBins, totalOf } from "./overview-counts.ts";

const STATUSES_SHOWN = 8;

/** Answers by status class, and by status. */
export function StatusCard({ overview: { statuses, errorCodes } }: { overview: Overview }) {
  const noAnswer = totalOf(errorCodes);
  const parts = statusShares(
    statuses.map(({ value, count }) => ({ value: Number(value), count })),
    noAnswer,
  ).map((part) => ({
    ...part,
    name: (
      <ExplorerLink isPlain filter={crawlFilters.statusClass(part.id)}>
        {part.label}
      </ExplorerLink>
    ),
  }));
  const bars = [
    ...statuses.map(({ value, count, filter }) => ({
      id: String(value),
      label: (
        <ExplorerLink isPlain filter={filter}>
          {statusText(Number(value))}
        </ExplorerLink>
      ),
      value: count,
      tone: statusClassOf(Number(value)).tone,
    })),
    ...errorCodes.map(({ value, count, filter }) => ({
      id: String(value),
      label: (
        <ExplorerLink isPlain filter={filter}>
          {errorLabel(String(value))}
        </ExplorerLink>
      ),
      value: count,
      tone: classNamed("error").tone,
    })),
  ].toSorted((left, right) => right.value - left.value);
  return (
    <Card title="Statuses" className="overview-half">
      <div className="stack">
        <StackedBar label="Answers by status class" parts={parts} />
        <BarList bars={bars.slice(0, STATUSES_SHOWN)} whole={totalOf(statuses) + noAnswer} />
      </div>
    </Card>
  );
}

const TYPES_SHOWN = 9;

/** The types of answers: pages, images, scripts. */
export function ContentTypesCard({ types }: { types: Overview["contentTypes"] }) {
  return (
    <Card title="Content types" className="overview-third">
      {types.length === 0 && <p className="overview-none">No answers.</p>}
      <BarList
        whole={totalOf(types)}
        bars={types.slice(0, TYPES_SHOWN).map(({ value, count, filter }) => ({
          id: String(value),
          label: (
            <ExplorerLink isPlain filter={filter}>
              {value ?? "No content type"}
            </ExplorerLink>
          ),
          value: count,
        }))}
      />
    </Card>
  );
}

const TIME_FIELDS = ["url", "status", "timeServer", "timeFirstByte", "timeDownload", "size", "contentType", "title"];

/** How fast the server is. */
export function ResponseTimesCard({ times }: { times: Overview["responseTimes"] }) {
  return (
    <Card
      title="Response times"
      info="From the request to the last byte, without DNS lookup and connecting. Amber is over a second. Cached answers are not counted."
      className="overview-third"
      actions={
        <ExplorerLink filter={crawlFilters.crawled} sort="-timeServer" fields={TIME_FIELDS}>
          Slowest first
        </ExplorerLink>
      }
    >
      {totalOf(times) === 0 ? (
        <p className="overview-none">No timings: nothing answered, or everything came from the cache.</p>
      ) : (
        <Histogram
          label="Answers by response time"
          height={210}
          bins={timeBins(times).map(({ filter, ...bin }) => ({
            ...bin,
            name: (
              <ExplorerLink isPlain filter={filter} sort="-timeServer" fields={TIME_FIELDS}>
                {bin.label}
              </ExplorerLink>
            ),
          }))}
        />
      )}
    </Card>
  );
}

type Broken = Overview["brokenUrls"][number];
const ROWS_SHOWN = 8;

/** Broken URLs, and the page where each was first found. */
export function BrokenCard({ overview: { brokenUrls, numbers } }: { overview: Overview }) {
  return (
    <Card
      title="Broken"
      isFlush
      className="overview-half"
      actions={
        numbers.broken.count > 0 && (
          <ExplorerLink filter={numbers.broken.filter}>{`All ${formatNumber(numbers.broken.count)}`}</ExplorerLink>
        )
      }
    >
      <DataTable
        caption="Broken URLs"
        columns={BROKEN_COLUMNS}
        rows={brokenUrls.slice(0, ROWS_SHOWN)}
        rowKey={({ url }) => url}
        empty={
          <p className="overview-none card-none">
            {numbers.crawled.count === 0
              ? "Nothing was crawled."
              : "Nothing is broken: every request got a good answer."}
          </p>
        }
      />
    </Card>
  );
}

const link = (url: string) => (
  <InspectLink url={url}>
    <UrlText url={url} isPathOnly />
  </InspectLink>
);

const BROKEN_COLUMNS: Column<Broken>[] = [
  {
    id: "status",
    head: "Status",
    cell: ({ status, error }) => <StatusBadge status={status} error={error && errorLabel(error)} />,
  },
  { id: "url", head: "URL", isRest: true, cell: ({ url }) => link(url) },
  { id: "foundOn", head: "Found on", isRest: true, cell: ({ foundOn }) => (foundOn === null ? "" : link(foundOn)) },
];

type Slow = Overview["slowest"][number];
const SHOWN = 8;

/** The slowest answers. */
export function SlowestCard({ pages }: { pages: Overview["slowest"] }) {
  return (
    <Card title="Slowest" isFlush className="overview-half">
      <DataTable
        caption="The slowest answers"
        columns={SLOW_COLUMNS}
        rows={pages.slice(0, SHOWN)}
        rowKey={({ url }) => url}
        empty={<p className="overview-none card-none">No timings.</p>}
      />
    </Card>
  );
}

const SLOW_COLUMNS: Column<Slow>[] = [
  {
    id: "url",
    head: "URL",
    isRest: true,
    cell: ({ url }) => (
      <InspectLink url={url}>
        <UrlText url={url} isPathOnly />
      </InspectLink>
    ),
  },
  { id: "timeServer", head: "Time", isNumber: true, cell: ({ timeServer }) => formatDuration(timeServer) },
];

type Host = Overview["hosts"][number];

/** All hosts, and what was fetched from them. */
export function HostsCard({ hosts }: { hosts: readonly Host[] }) {
  return (
    <Card title="Hosts" isFlush className="overview-whole">
      <DataTable
        caption="All hosts"
        columns={HOST_COLUMNS}
        rows={hosts}
        rowKey={({ host }) => host}
        maxHeight="290px"
      />
    </Card>
  );
}

const HOST_COLUMNS: Column<Host>[] = [
  {
    id: "host",
    head: "Host",
    isRest: true,
    cell: ({ host, filter }) => (
      <ExplorerLink isPlain filter={filter} title={host}>
        {host}
      </ExplorerLink>
    ),
    sortBy: ({ host }) => host,
  },
  { id: "urls", head: "URLs", isNumber: true, cell: ({ urls }) => formatNumber(urls), sortBy: ({ urls }) => urls },
  {
    id: "crawled",
    head: "Crawled",
    isNumber: true,
    cell: ({ crawled }) => formatNumber(crawled),
    sortBy: ({ crawled }) => crawled,
  },
  {
    id: "broken",
    head: "Broken",
    isNumber: true,
    cell: ({ broken, filter }) => (
      <ExplorerLink isPlain filter={[...filter, ...crawlFilters.broken]}>
        {formatNumber(broken)}
      </ExplorerLink>
    ),
    sortBy: ({ broken }) => broken,
  },
  { id: "bytes", head: "Size", isNumber: true, cell: ({ bytes }) => formatBytes(bytes), sortBy: ({ bytes }) => bytes },
];
