/** The line under the title: where the crawl began, when, and for how long it has run. */

import { RelativeTime } from "../../components/time.tsx";
import { OpenLink } from "../../components/url-text.tsx";
import type { CrawlProgress } from "../../lib/contract.ts";
import { formatDuration } from "../../lib/format.ts";

export function CrawlSubtitle({ progress: { url, startedAt, durationMs, state } }: { progress: CrawlProgress }) {
  return (
    <>
      <span className="row live-url">
        <span className="cut">{url}</span>
        <OpenLink url={url} />
      </span>
      <span>
        began <RelativeTime at={startedAt} />
      </span>
      <span>
        {state === "running"
          ? `running for ${formatDuration(Math.floor(durationMs / 1000) * 1000)}`
          : `ran for ${formatDuration(durationMs)}`}
      </span>
    </>
  );
}
