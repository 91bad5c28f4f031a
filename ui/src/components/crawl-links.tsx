/** Links within a crawl: to the Explorer with its filters set, and to the drawer of one URL. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useCrawlId } from "../lib/place.ts";

export interface ExplorerLinkProps {
  filter: readonly string[];
  sort?: string;
  /** Columns, where the usual ones would not show what is sorted by. */
  fields?: readonly string[];
  /** Looks like the text around it until it is pointed at: for figures. */
  isPlain?: boolean;
  title?: string;
  children: ReactNode;
}

export function ExplorerLink({ filter, sort, fields, isPlain = false, title, children }: ExplorerLinkProps) {
  const crawlId = useCrawlId();
  return (
    <Link
      to="/crawls/$crawlId/explorer"
      params={{ crawlId: String(crawlId) }}
      search={{ filter: [...filter], sort, fields: fields?.join(",") }}
      className={isPlain ? "plain-link" : undefined}
      title={title}
    >
      {children}
    </Link>
  );
}

/** Opens the drawer of a URL over the screen that is shown. */
export interface InspectLinkProps {
  url: string;
  children: ReactNode;
  /** Inside what has keys of its own, such as a tree: Tab goes past it. */
  isOutOfTab?: boolean;
}

export function InspectLink({ url, children, isOutOfTab = false }: InspectLinkProps) {
  const crawlId = useCrawlId();
  return (
    <Link
      to="."
      params={{ crawlId: String(crawlId) }}
      search={(before) => ({ ...before, inspect: url })}
      resetScroll={false}
      tabIndex={isOutOfTab ? -1 : undefined}
      className="plain-link cut"
    >
      {children}
    </Link>
  );
}
