/** The last errors, newest first. */
import { Card } from "../../components/card.tsx";
import { InspectLink } from "../../components/crawl-links.tsx";
import { OpenLink, UrlText } from "../../components/url-text.tsx";
import type { LiveCrawl } from "../../lib/contract.ts";
import { formatClock, formatNumber } from "../../lib/format.ts";
import { reasonLabel } from "../../lib/live-figures.ts";

export function ErrorFeed({ errors, total }: { errors: LiveCrawl["errors"]; total: number }) {
  return (
    <Card
      isFlush
      title="Errors and bad answers"
      actions={
        total > errors.length && <span className="muted">{`last ${errors.length} of ${formatNumber(total)}`}</span>
      }
    >
      {errors.length === 0 ? (
        <p className="muted feed-none">None.</p>
      ) : (
        <ol className="feed" aria-label="Last errors">
          {errors.map(({ url, error, at }) => (
            <li key={`${at} ${url}`} className="feed-row">
              <span className="row feed-url">
                <InspectLink url={url}>
                  <UrlText url={url} />
                </InspectLink>
                <OpenLink url={url} />
              </span>
              <span className="feed-error">{reasonLabel(error)}</span>
              <span className="muted feed-time">{formatClock(at)}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
