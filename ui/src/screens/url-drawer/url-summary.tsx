/** The first line about a URL: how it answered, what it is, whether search engines may show it, and where it leads. */
import { Badge } from "../../components/badge.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { formatBytes, formatDuration } from "../../lib/format.ts";
import { UrlStatus } from "../explorer/url-columns.tsx";
import { indexabilitySentence } from "./indexability-words.ts";
import { UrlLink } from "./url-link.tsx";

export function UrlSummary({ detail: { facts, redirects } }: { detail: UrlDetail }) {
  const {
    title,
    content_type: type,
    indexable,
    indexability,
    size,
    time_total: time,
    error_detail: errorDetail,
  } = facts;
  return (
    <div className="url-summary">
      {title !== null && title !== undefined && title !== "" && <p className="url-summary-title">{String(title)}</p>}
      <div className="row">
        <UrlStatus row={facts} />
        {indexable === "Yes" && <Badge tone="ok">Indexable</Badge>}
        {indexable === "No" && <Badge tone="warn">Not indexable</Badge>}
        {errorDetail && <span className="muted">{String(errorDetail)}</span>}
        {type && <span className="muted">{String(type)}</span>}
        {typeof size === "number" && <span className="muted">{formatBytes(size)}</span>}
        {typeof time === "number" && <span className="muted">{formatDuration(time)}</span>}
      </div>
      {indexable === "No" && <p>{indexabilitySentence(String(indexability))}</p>}
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
