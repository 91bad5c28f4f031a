/** Everything about one URL, beside whatever screen it was opened from. */
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, ChevronDown, ChevronUp } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../components/controls/button.tsx";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { OpenLink } from "../../components/data/links.tsx";
import { Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { Drawer } from "../../components/layout/drawer.tsx";
import { Tabs } from "../../components/layout/tabs.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { formatBytes, formatDuration, formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { urlParts } from "../../lib/web-link.ts";
import { useShortcuts } from "../../shell/shortcuts.tsx";
import { FactsTab, HeadersTab } from "./facts-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { ImagesTab } from "./images-tab.tsx";
import { UrlLink, useInspect, useRowSteps } from "./inspect.tsx";
import { LinksTab } from "./links-tab.tsx";
import { PreviewTab } from "./preview-tab.tsx";
import { StructuredDataTab } from "./structured-data-tab.tsx";
import { TextTab } from "./text-tab.tsx";
import { TimingsTab } from "./timings-tab.tsx";
import { WhyTab } from "./why-tab.tsx";
import "./url-drawer.css";
import { Badge } from "../../components/data/labels.tsx";
import { indexabilitySentence } from "../../lib/words.ts";
import { UrlStatus } from "../explorer/url-columns.tsx";

type TabId =
  | "facts"
  | "timings"
  | "headers"
  | "in"
  | "out"
  | "images"
  | "data"
  | "why"
  | "history"
  | "preview"
  | "text";

export function UrlDrawer({ url }: { url: string }) {
  const detail = useQuery(queries.url(useCrawlId(), url));
  const [chosen, setChosen] = useState<TabId | null>(null);
  const { close } = useInspect();
  const { origin, path } = urlParts(url);
  return (
    <Drawer
      title={
        <span className="drawer-url" title={url}>
          <span className="url-origin">{origin}</span>
          {path}
        </span>
      }
      onClose={close}
      actions={<DrawerActions url={url} />}
    >
      <Loaded query={detail} skeleton={<Skeleton lines={10} />}>
        {(data) => (
          <>
            <UrlSummary detail={data} />
            <UrlTabs key={data.url} detail={data} chosen={chosen} onChoose={setChosen} />
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function DrawerActions({ url }: { url: string }) {
  const { back } = useInspect();
  const steps = useRowSteps();
  useShortcuts(
    steps === null
      ? []
      : [
          { keys: "j", label: "Next row", group: "URL", run: () => steps.step(1) },
          { keys: "k", label: "Previous row", group: "URL", run: () => steps.step(-1) },
        ],
  );
  return (
    <span className="drawer-actions">
      {back !== null && <IconButton label="Back to the previous URL" icon={ArrowLeft} onClick={back} />}
      {steps !== null && (
        <>
          <IconButton
            label="Previous row (K)"
            icon={ChevronUp}
            disabled={steps.place <= 1}
            onClick={() => steps.step(-1)}
          />
          <IconButton
            label="Next row (J)"
            icon={ChevronDown}
            disabled={steps.place >= steps.total}
            onClick={() => steps.step(1)}
          />
        </>
      )}
      <CopyButton text={url} label="Copy URL" />
      <OpenLink url={url} />
    </span>
  );
}

interface UrlTabsProps {
  detail: UrlDetail;
  chosen: TabId | null;
  onChoose: (tab: TabId) => void;
}

function UrlTabs({ detail, chosen, onChoose }: UrlTabsProps) {
  const { linksIn, linksOut, headers, facts } = detail;
  const isPage = facts["outcome"] === "page";
  const inlinks = typeof facts["inlinks"] === "number" ? facts["inlinks"] : null;
  const count = (links: number | null) => (links === null ? undefined : formatNumber(links));
  return (
    <Tabs<TabId>
      label="About this URL"
      // A URL that was not crawled has no facts; the question is why.
      chosen={chosen ?? (facts["verdict"] === "crawl" ? "facts" : "why")}
      onChoose={onChoose}
      tabs={[
        { id: "facts", label: "Facts", panel: () => <FactsTab detail={detail} /> },
        { id: "timings", label: "Timings", panel: () => <TimingsTab facts={facts} /> },
        {
          id: "headers",
          label: "Headers",
          count: headers.length === 0 ? undefined : formatNumber(headers.length),
          panel: () => <HeadersTab headers={headers} />,
        },
        {
          id: "in",
          label: "Links in",
          count: count(linksIn),
          panel: () => <LinksTab url={detail.url} direction="in" inlinks={inlinks} />,
        },
        {
          id: "out",
          label: "Links out",
          count: count(linksOut),
          panel: () => <LinksTab url={detail.url} direction="out" />,
        },
        {
          id: "images",
          label: "Images",
          count: isPage ? imageCount(facts) : undefined,
          panel: () => <ImagesTab detail={detail} />,
        },
        { id: "data", label: "Structured data", panel: () => <StructuredDataTab detail={detail} /> },
        { id: "why", label: "Why", panel: () => <WhyTab url={detail.url} /> },
        { id: "history", label: "History", panel: () => <HistoryTab url={detail.url} /> },
        { id: "preview", label: "Preview", panel: () => <PreviewTab detail={detail} /> },
        { id: "text", label: "Text", panel: () => <TextTab detail={detail} /> },
      ]}
    />
  );
}

const imageCount = ({ images }: UrlDetail["facts"]): string | undefined =>
  typeof images === "number" ? formatNumber(images) : undefined;

/** The summary of a URL: how it answered, what it is, whether search engines may index it, and where it redirects. */
export function UrlSummary({ detail: { facts, redirects } }: { detail: UrlDetail }) {
  const { title, contentType: type, indexable, indexability, size, timeTotal: time, errorDetail } = facts;
  return (
    <div className="url-summary">
      {title !== null && title !== undefined && title !== "" && <p className="url-summary-title">{String(title)}</p>}
      <div className="row">
        <UrlStatus row={facts} />
        {indexable === true && <Badge tone="ok">Indexable</Badge>}
        {indexable === false && <Badge tone="warn">Not indexable</Badge>}
        {errorDetail && <span className="muted">{String(errorDetail)}</span>}
        {type && <span className="muted">{String(type)}</span>}
        {typeof size === "number" && <span className="muted">{formatBytes(size)}</span>}
        {typeof time === "number" && <span className="muted">{formatDuration(time)}</span>}
      </div>
      {indexable === false && <p>{indexabilitySentence(String(indexability))}</p>}
      {redirects.length > 0 && (
        <ol className="redirects" aria-label="Redirects to">
          {redirects.map(({ url, status }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a loop passes the same URL twice.
            <li key={at} className="row">
              <span aria-hidden>➔</span>
              <UrlLink url={url} />
              {status !== null && <span className="muted">{status}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
