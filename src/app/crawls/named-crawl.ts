/** Which crawl the user means by a number, a site or `last`. */
import { TrawlError } from "../../errors.ts";
import { didYouMean } from "../../settings/did-you-mean.ts";
import type { App } from "../app.ts";
import { projectName } from "../url-input.ts";

/**
 * A crawl to look at. `last`, or nothing, means the newest crawl that did not fail. A failed crawl has little to show,
 * so it is chosen only by its number, or when there is no other.
 */
export function crawlId(app: App, typed = "last"): number {
  const found = numbered(typed) ?? candidates(app, typed);
  if (typeof found === "number") return found;
  return (found.find(({ state }) => state !== "failed" && state !== "blocked") ?? found[0]!).id;
}

/** A crawl to resume, stop or delete: `last` means the newest, failed or not. */
export function newestCrawlId(app: App, typed: string): number {
  const found = numbered(typed) ?? candidates(app, typed);
  return typeof found === "number" ? found : found[0]!.id;
}

const numbered = (typed: string): number | null => (/^[1-9]\d{0,14}$/.test(typed) ? Number(typed) : null);

/** Newest first; at least one. */
function candidates(app: App, typed: string): ReturnType<App["crawls"]["list"]> {
  const all = app.crawls.list();
  const found = typed === "last" ? all : ofSite(all, typed);
  if (found.length > 0) return found;
  if (typed === "last") throw new TrawlError("CRAWL_NOT_FOUND", "There are no crawls on this machine yet.");
  throw new TrawlError("CRAWL_NOT_FOUND", `There is no crawl of "${typed}"${nearSite(all, typed) || "."}`);
}

/** The same host on another port, or a name that is nearly the same. */
function nearSite(all: readonly { domain: string }[], typed: string): string {
  const domains = [...new Set(all.map(({ domain }) => domain))];
  const onPort = domains.find((domain) => domain.startsWith(`${typed.toLowerCase()}:`));
  return onPort === undefined ? didYouMean(typed, domains) : `; did you mean ${onPort}?`;
}

/**
 * Those of the site that was typed, as a domain or a URL. A crawl of the host itself comes before a crawl of its whole
 * domain.
 */
export function ofSite<T extends { domain: string }>(all: readonly T[], typed: string): T[] {
  const names = [
    typed.toLowerCase(),
    ...[false, true].map((includeSubdomains) => projectName(typed, { includeSubdomains })),
  ];
  return names.map((name) => all.filter(({ domain }) => domain === name)).find(({ length }) => length > 0) ?? [];
}
