/** The Explorer filters behind links whose figures do not carry their own. Most figures do: they come from the server with them. */

export const crawlFilters = {
  crawled: ["verdict=crawl", "state!=open"],
  notCrawled: ["verdict!=crawl"],
  broken: ["outcome=broken"],
  statusClass: (name: string) => (name === "error" ? ["error!="] : [`status=${name}`]),
  reason: (reason: string) => [`reason=${reason}`],
  rule: (reason: string, rule: string | null, verdict: string) => [
    `reason=${reason}`,
    `rule=${rule ?? ""}`,
    `verdict=${verdict}`,
  ],
} as const;
