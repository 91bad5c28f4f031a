/** How a crawl is called in a line: by where it started. */
import type { CrawlRecord } from "../../../app/crawls/registry.ts";
import { clean, counted } from "../../texts.ts";

export function startText({ mode, startUrls }: Pick<CrawlRecord, "mode" | "startUrls">): string {
  const first = clean(startUrls[0] ?? "");
  if (mode === "site") return first;
  return `a list: ${first}${startUrls.length > 1 ? ` and ${counted(startUrls.length - 1, "more host")}` : ""}`;
}
