/** The Explorer filters behind each figure: a link shows exactly what its figure counts. */

export const crawlFilters = {
  crawled: ["verdict=crawl", "state!=open"],
  open: ["state=open"],
  notCrawled: ["verdict!=crawl"],
  /** Only HTML has a count of titles, even if it is 0. */
  htmlPages: ["title_count!="],
  indexable: (value: string) => [`indexable=${value}`],
  indexability: (reason: string) => [`indexability=${reason}`],
  status: (status: number) => [`status=${status}`],
  statusClass: (name: string) => (name === "error" ? ["error!="] : [`status=${name}`]),
  badStatus: ["status>=400"],
  noAnswer: ["error!="],
  error: (code: string) => [`error=${code}`],
  /** No content type, but an answer: URLs without an answer are not included. */
  contentType: (type: string | null) => (type === null ? ["content_type=", "status!="] : [`content_type=${type}`]),
  depth: (from: number, isOpenEnded: boolean) => [
    "verdict=crawl",
    "state!=open",
    `depth${isOpenEnded ? ">=" : "="}${from}`,
  ],
  /** Above one and up to the other, like the bars of the overview. */
  serverTime: (aboveMs: number, upToMs: number | null) => [
    ...(aboveMs > 0 ? [`time_server>${aboveMs}`] : []),
    ...(upToMs === null ? [] : [`time_server<=${upToMs}`]),
  ],
  host: (host: string) => [`url~://${host}/`],
  /** Only good answers: the text of an error page does not count as a duplicate. */
  sameContent: (contentHash: string) => [`content_hash=${contentHash}`, "status<400"],
  reason: (reason: string) => [`reason=${reason}`],
  rule: (reason: string, rule: string | null, verdict: string) => [
    `reason=${reason}`,
    `rule=${rule ?? ""}`,
    `verdict=${verdict}`,
  ],
} as const;
