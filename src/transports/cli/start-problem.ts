/** Why a crawl got nowhere: the start URL did not answer, or something forbade it. */
import type { CrawlRecord } from "../../app/crawls/registry.ts";
import { TrawlError } from "../../errors.ts";
import { FETCH_ERRORS, type FetchErrorCode } from "../../net/fetch-errors.ts";
import { findUrl } from "../../site/store/link-queries.ts";
import type { SiteReader } from "../../site/store/reader.ts";
import { fetchErrorMeaning, reasonMeaning } from "./output/meanings.ts";

/** What kept the start URL from being fetched; null when it was, or when a list has no start. */
export function startProblem(reader: SiteReader, { mode, startUrls }: CrawlRecord): TrawlError | null {
  const url = startUrls[0];
  if (mode !== "site" || url === undefined) return null;
  const { verdict, reason, rule } = findUrl(reader, url);
  if (reason === "robots_unreachable" && quotedError(rule) !== undefined) return unreachable(url, rule!);
  if (verdict !== "crawl") {
    return new TrawlError("START_SKIPPED", `${url} was not crawled: ${[reasonMeaning(reason), rule].join("\n")}`);
  }
  const asked = { filters: [`url=${url}`], search: null, sort: null, limit: 1, cursor: null };
  const page = reader.urls({ ...asked, fields: ["error", "error_detail"] }).rows[0];
  const error = page?.["error"];
  return typeof error === "string" ? unreachable(url, fetchErrorMeaning(error, page!["error_detail"])) : null;
}

/** robots.txt is asked for first, so a host that is out of reach may show there; a person cares about the host. */
function unreachable(url: string, why: string): TrawlError {
  const cause = why.replace(/^robots\.txt could not be read: /, "");
  const hint = FETCH_ERRORS[quotedError(why) ?? "failed"].hint;
  return new TrawlError("START_UNREACHABLE", `${url} did not answer. ${cause}`, { hint });
}

/** The error whose message a text quotes. */
function quotedError(text: string | null): FetchErrorCode | undefined {
  return (Object.keys(FETCH_ERRORS) as FetchErrorCode[]).find((code) => text?.includes(FETCH_ERRORS[code].message));
}
