/** Links: every link of a crawl, one row each, fetched from the server page by page. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { Select } from "../../components/controls/input.tsx";
import { SearchBox } from "../../components/controls/search-box.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { InspectLink, UrlText } from "../../components/data/links.tsx";
import { EmptyState, ErrorState, ShowMore, Skeleton } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import type { LinkOfCrawl } from "../../lib/contract.ts";
import { download } from "../../lib/download.ts";
import { plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { kindLabel, linkStateWords, reasonLabel } from "../../lib/words.ts";
import { UrlStatus } from "../explorer/url-columns.tsx";
import { LINK_PLACES, LINK_STATES, type LinkChoice } from "./link-choice.ts";
import "./links-screen.css";

const FROM = "/crawls/$crawlId/links";

export function LinksScreen() {
  const crawlId = useCrawlId();
  const { crawl } = usePlace();
  const { inspect: _, ...choice } = useSearch({ from: FROM });
  const links = useInfiniteQuery(queries.searchLinks(crawlId, choice));
  const rows = links.data?.pages.flatMap((page) => page.rows) ?? [];
  const total = links.data?.pages[0]?.total ?? 0;
  return (
    <Page
      title="Links"
      tabTitle={crawl === null ? "Links" : `Links of ${unicodeHost(crawl.domain)}`}
      subtitle={<span>Every link that the crawl found, with the page it is on and what its target answers.</span>}
      actions={
        <Button
          icon={Download}
          onClick={() => download(crawlId, { what: "links", format: "csv", name: "links", labels: true })}
        >
          All links as CSV
        </Button>
      }
    >
      <LinkFilters choice={choice} />
      <Card isFlush title={links.data === undefined ? "Links" : plural(total, "link")} className="links-card">
        {links.error !== null && links.data === undefined ? (
          <ErrorState error={links.error} onRetry={() => void links.refetch()} />
        ) : links.data === undefined ? (
          <Skeleton lines={12} />
        ) : (
          <>
            <DataTable
              caption="Links of the crawl"
              columns={COLUMNS}
              rows={rows.map((row, at) => ({ ...row, at }))}
              rowKey={({ at }) => at}
              empty={<EmptyState title="No links match">Choose another target, position or text.</EmptyState>}
            />
            <ShowMore
              shown={rows.length}
              total={total}
              of="links"
              hasMore={links.hasNextPage}
              isBusy={links.isFetchingNextPage}
              onMore={() => void links.fetchNextPage()}
            />
          </>
        )}
      </Card>
    </Page>
  );
}

const ANY = { value: "", label: "Any" };
const word = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function LinkFilters({ choice }: { choice: LinkChoice }) {
  const navigate = useNavigate({ from: FROM });
  const choose = (change: Partial<LinkChoice>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });
  return (
    <search className="link-filters">
      <SearchBox
        label="Search source, target and anchor text"
        text={choice.search ?? ""}
        onSearch={(search) => choose({ search })}
      />
      <Choice
        label="Target"
        value={choice.state ?? ""}
        onValue={(value) => choose({ state: LINK_STATES.find((one) => one === value) })}
        options={LINK_STATES.map((value) => ({ value, label: linkStateWords(value).label }))}
      />
      <Choice
        label="Status"
        value={choice.statusClass ? String(choice.statusClass) : ""}
        onValue={(value) => choose({ statusClass: value === "" ? undefined : Number(value) })}
        options={[2, 3, 4, 5].map((digit) => ({ value: String(digit), label: `${digit}xx` }))}
      />
      <Choice
        label="Leads"
        value={choice.internal ?? ""}
        onValue={(value) => choose({ internal: value === "yes" || value === "no" ? value : undefined })}
        options={[
          { value: "yes", label: "Within the site" },
          { value: "no", label: "To other hosts" },
        ]}
      />
      <Choice
        label="Position"
        value={choice.position ?? ""}
        onValue={(value) => choose({ position: LINK_PLACES.find((one) => one === value) })}
        options={LINK_PLACES.map((value) => ({ value, label: word(value) }))}
      />
      <Choice
        label="Follow"
        value={choice.nofollow ?? ""}
        onValue={(value) => choose({ nofollow: value === "yes" || value === "no" ? value : undefined })}
        options={[
          { value: "no", label: "Followed" },
          { value: "yes", label: "Nofollow" },
        ]}
      />
    </search>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  options: readonly { value: string; label: string }[];
}

function Choice({ label, value, onValue, options }: ChoiceProps) {
  return (
    <Select
      aria-label={label}
      value={value}
      onValue={onValue}
      options={[{ ...ANY, label: `${label}: any` }, ...options]}
    />
  );
}

const COLUMNS: readonly Column<LinkOfCrawl & { at: number }>[] = [
  {
    id: "source",
    head: "Source",
    isRest: true,
    cell: ({ source }) => (
      <InspectLink url={source}>
        <UrlText url={source} />
      </InspectLink>
    ),
  },
  {
    id: "target",
    head: "Target",
    isRest: true,
    cell: ({ target }) => (
      <InspectLink url={target}>
        <UrlText url={target} />
      </InspectLink>
    ),
  },
  {
    id: "status",
    head: "Status",
    cell: ({ status, error, state, reason }) =>
      status === null && error === null ? (
        <Badge title={reason === null ? undefined : reasonLabel(reason)}>{linkStateWords(state).label}</Badge>
      ) : (
        <UrlStatus row={{ status, error, verdict: "crawl", state: null }} />
      ),
  },
  {
    id: "text",
    head: "Anchor",
    cell: ({ text, type }) => (
      <span className="cut link-anchor" title={text}>
        {text !== "" ? text : <span className="muted">{type === "anchor" ? "No text" : kindLabel(type)}</span>}
      </span>
    ),
  },
  { id: "position", head: "Position", cell: ({ position }) => word(position) },
  {
    id: "marks",
    head: "Marks",
    cell: ({ nofollow, internal, rendered }) => (
      <span className="link-marks">
        {!internal && <Badge>External</Badge>}
        {nofollow && <Badge tone="warn">Nofollow</Badge>}
        {rendered && <Badge tone="accent">Added by script</Badge>}
      </span>
    ),
  },
];
