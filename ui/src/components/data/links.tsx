/** URLs as text, and links: to the web, to the Explorer with its filters set, and to the drawer of a URL. */
import { ExternalLink } from "lucide-react";
import { urlParts, webLink } from "../../lib/web-link.ts";
import "./links.css";
import { Link } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext } from "react";
import { useCrawlId } from "../../lib/place.ts";

/** A crawled URL as text; the origin is toned down, because the path is what people read. */
export function UrlText({ url, isPathOnly = false }: { url: string; isPathOnly?: boolean }) {
  const { origin, path } = urlParts(url);
  const isOwn = useOwnOrigin() === origin;
  return (
    <span className={isOwn ? "url-text url-own cut" : "url-text cut"} title={url}>
      {!isPathOnly && <span className="url-origin">{origin}</span>}
      {path}
    </span>
  );
}

/** Opens a URL in a new tab, without a referrer. Only http and https become links. */
export function OpenLink({ url }: { url: string }) {
  const href = webLink(url);
  if (href === null) return null;
  return (
    <a
      className="open-link"
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      title={`Open ${url}`}
      aria-label={`Open ${url} in a new tab`}
    >
      <ExternalLink size={13} aria-hidden />
    </a>
  );
}

/** The origin of the crawled site: narrow screens leave it out of URLs. */
const OwnOrigin = createContext<string | null>(null);

export const OwnOriginProvider = OwnOrigin.Provider;
export const useOwnOrigin = (): string | null => useContext(OwnOrigin);

export interface ExplorerLinkProps {
  filter: readonly string[];
  sort?: string;
  /** Columns, if the default ones do not include the sorted one. */
  fields?: readonly string[];
  /** Looks like plain text until hovered: for figures. */
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

/** Opens the drawer of a URL on the current screen. */
export interface InspectLinkProps {
  url: string;
  children: ReactNode;
  /** Inside something with its own keys, such as a tree, Tab skips it. */
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
