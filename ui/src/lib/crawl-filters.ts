/** The filters of the Explorer behind each figure: what a count counts is what its link shows. */

export const crawlFilters = {
  crawled: ["verdict=crawl", "state!=open"],
  open: ["state=open"],
  notCrawled: ["verdict!=crawl"],
  /** Only what was read as HTML has a count of titles, be it 0. */
  htmlPages: ["title_count!="],
  indexable: (value: string) => [`indexable=${value}`],
  indexability: (reason: string) => [`indexability=${reason}`],
  status: (status: number) => [`status=${status}`],
  statusClass: (name: string) => (name === "error" ? ["error!="] : [`status=${name}`]),
  badStatus: ["status>=400"],
  noAnswer: ["error!="],
  error: (code: string) => [`error=${code}`],
  /** Without a type there was still an answer: what gave none is not among them. */
  contentType: (type: string | null) => (type === null ? ["content_type=", "status!="] : [`content_type=${type}`]),
  depth: (from: number, isOpenEnded: boolean) => [
    "verdict=crawl",
    "state!=open",
    `depth${isOpenEnded ? ">=" : "="}${from}`,
  ],
  /** Above the one and up to the other, as the bars of the overview are cut. */
  serverTime: (aboveMs: number, upToMs: number | null) => [
    ...(aboveMs > 0 ? [`time_server>${aboveMs}`] : []),
    ...(upToMs === null ? [] : [`time_server<=${upToMs}`]),
  ],
  host: (host: string) => [`url~://${host}/`],
  /** Pages that answered well; the text of an error is not counted as a copy. */
  sameContent: (contentHash: string) => [`content_hash=${contentHash}`, "status<400"],
  reason: (reason: string) => [`reason=${reason}`],
  rule: (reason: string, rule: string | null, verdict: string) => [
    `reason=${reason}`,
    `rule=${rule ?? ""}`,
    `verdict=${verdict}`,
  ],
} as const;
