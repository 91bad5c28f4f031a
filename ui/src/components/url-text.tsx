/** A crawled URL as text, cut in the middle of nothing: the path is what counts. A link only when it is http or https. */
import { ExternalLink } from "lucide-react";
import { urlParts, webLink } from "../lib/web-link.ts";
import { useOwnOrigin } from "./own-origin.ts";
import "./url-text.css";

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

/** Opens the URL in another tab, which learns nothing of us. */
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
