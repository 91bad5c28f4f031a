/** Links to or from a URL, one page at a time. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Switch } from "../../components/controls/input.tsx";
import { InfoTip } from "../../components/controls/popover.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import type { LinksPage } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { kindLabel } from "../../lib/words.ts";
import { UrlStatus } from "../explorer/url-columns.tsx";
import { UrlLink } from "./inspect.tsx";

type LinkRow = LinksPage["rows"][number];

const NO_INLINKS =
  "Links of a page to itself are not inlinks; nor are canonicals, languages, next and previous pages, and sitemaps.";

interface LinksTabProps {
  url: string;
  direction: "in" | "out";
  /** Of links in: how many of them count as inlinks; null while that is not known. */
  inlinks?: number | null;
}

export function LinksTab({ url, direction, inlinks = null }: LinksTabProps) {
  const [isUnique, setUnique] = useState(false);
  const unique = isUnique ? "yes" : "no";
  const links = useInfiniteQuery(queries.links(useCrawlId(), url, { direction, unique }));
  if (links.error !== null && links.data === undefined) {
    return <ErrorState error={links.error} onRetry={() => void links.refetch()} />;
  }
  if (links.data === undefined) return <Skeleton lines={8} />;
  const total = links.data.pages[0]?.total ?? 0;
  const rows = links.data.pages.flatMap((page) => page.rows);
  if (total === 0) {
    return direction === "in" ? (
      <EmptyState title="No page links here">
        It was found through a sitemap, a list or a redirect, or it is the start URL.
      </EmptyState>
    ) : (
      <EmptyState title="No links">The page has none, or it is not HTML.</EmptyState>
    );
  }
  return (
    <div className="stack-tight">
      <div className="row-apart">
        <p className="muted" role="status">
          {rows.length < total && `${formatNumber(rows.length)} of `}
          {plural(total, isUnique ? "URL" : "link")}
          {direction === "in" ? (isUnique ? " that link here" : " to this URL") : " on this page, in order"}
          {inlinks !== null && inlinks !== total && !isUnique && (
            <>
              , {formatNumber(inlinks)} of them inlinks <InfoTip text={NO_INLINKS} label="What is not an inlink?" />
            </>
          )}
        </p>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is a control. */}
        <label className="row">
          <Switch isOn={isUnique} onValue={setUnique} /> Each URL once
        </label>
      </div>
      <ol className="links">
        {rows.map((link, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a page may hold the same link twice; the order never changes.
          <LinkItem key={at} link={link} />
        ))}
      </ol>
      {links.hasNextPage && (
        <Button isBusy={links.isFetchingNextPage} onClick={() => void links.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

function LinkItem({ link }: { link: LinkRow }) {
  const { url, text, type, position, path, context, nofollow, internal, rendered, verdict, status, count } = link;
  const isAnchor = type === "anchor" || type === "area";
  const about = [isAnchor ? null : kindLabel(type).toLowerCase(), position || null].filter(Boolean).join(", ");
  // In a menu, the text around a link is just other links.
  const line = position === "content" && context !== text ? context : "";
  return (
    <li className="link-row" title={path || undefined}>
      <span className="link-url">
        <UrlStatus row={{ status, verdict, error: null, state: null }} />
        <UrlLink url={url} />
      </span>
      <span className="link-about">
        {text !== "" && <q className="link-text">{text}</q>}
        {text === "" && isAnchor && <span className="muted">no text</span>}
        {about !== "" && <span className="muted">{about}</span>}
        {!internal && <Badge>external</Badge>}
        {nofollow && <Badge tone="warn">nofollow</Badge>}
        {rendered && <Badge tone="accent">added by script</Badge>}
        {count > 1 && <Badge>{plural(count, "link")}</Badge>}
      </span>
      {line !== "" && <span className="link-context muted">{line}</span>}
    </li>
  );
}
