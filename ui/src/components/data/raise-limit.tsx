/** Leads from a crawl that reached its limit to the same crawl without it. */
import { Link } from "@tanstack/react-router";
import type { CrawlInfo } from "../../lib/contract.ts";

export type EndCause = NonNullable<CrawlInfo["ending"]>["cause"];

const SETTINGS: Partial<Record<EndCause, string>> = { host_url_limit: "maxUrlsPerHost", page_limit: "maxPages" };

export function RaiseLimit({ crawlId, cause }: { crawlId: number; cause: EndCause }) {
  return (
    <Link to="/new" search={{ from: crawlId, raise: SETTINGS[cause] ?? "maxUrls" }}>
      Crawl again without this limit
    </Link>
  );
}
