/**
 * The overview of a crawl, in addition to the summary. It takes 0.4 s for 100,000 URLs and ten times
 * that for a million: callers should cache the answer for a crawl that has ended.
 */
import { fieldNamed } from "../facts/fact-fields.ts";
import { truthOf } from "../facts/field-names.ts";
import { NUMBERS } from "../numbers.ts";
import { from, type SiteReader } from "./reader.ts";
import { type CountOf, type SiteSummary, summarize } from "./summary.ts";

/** Answers by class. "Not modified" counts as 200. */
export interface StatusClasses {
  ok: number;
  redirect: number;
  clientError: number;
  serverError: number;
  noAnswer: number;
}

export interface HostCounts {
  host: string;
  /** URLs that were found there, … */
  urls: number;
  /** … and how many of these were fetched, are broken, or did not answer, with the bytes of the answers. */
  crawled: number;
  broken: number;
  errors: number;
  bytes: number;
  filter: string[];
}

export interface Overview {
  summary: SiteSummary;
  /** Fetched documents by their distance from the start. A resource has the depth of a page, and a sitemap has none. */
  depths: ({ depth: number; crawled: number; filter: string[] } & StatusClasses)[];
  contentTypes: (CountOf<string | null> & { bytes: number })[];
  /** Pages by whether search engines may list them and, if not, why. */
  indexability: { indexable: string; reason: string | null; count: number; filter: string[] }[];
  /** The hosts with the most URLs, and the total number of hosts. */
  hosts: HostCounts[];
  hostsTotal: number;
  /** Answers by the server's time in ms, up to each limit; null for slower ones. */
  responseTimes: { upTo: number | null; count: number; filter: string[] }[];
  duplicates: {
    /** Contents that several pages share, and how many pages these are. */
    groups: number;
    pages: number;
    filter: string[];
    largest: { contentHash: string; count: number; example: string; filter: string[] }[];
  };
}

/** Under 200 ms is fast, over a second is slow, and ten seconds do occur. */
const TIME_LIMITS = [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;

const CLASSES = `
  coalesce(sum(p.status BETWEEN 200 AND 299 OR p.status = 304), 0) AS ok,
  coalesce(sum(p.status BETWEEN 300 AND 399 AND p.status <> 304), 0) AS redirect,
  coalesce(sum(p.status BETWEEN 400 AND 499), 0) AS clientError,
  coalesce(sum(p.status >= 500), 0) AS serverError,
  sum(p.status IS NULL) AS noAnswer`;

const sqlOf = (field: string): string => fieldNamed(field)!.sql;

const DUPLICATES = `SELECT p.content_hash AS content_hash, count(*) AS count, min(p.id) AS first FROM pages p
  WHERE ${sqlOf("duplicate")} = 'Yes' GROUP BY 1`;

/** `listed`: how many rows each open-ended list has at most. */
export function overview(reader: SiteReader, listed = 20): Overview {
  const all = <T>(sql: string): T[] => reader.db.prepare(sql).all() as unknown as T[];
  /** With the filters that list what a row counts. */
  const withFilter = <T extends object>(sql: string, filter: (row: T) => string[]): (T & { filter: string[] })[] =>
    all<T>(sql).map((row) => ({ ...row, filter: filter(row) }));
  const hosts = withFilter<Omit<HostCounts, "filter">>(
    `SELECT ${sqlOf("host")} AS host, count(*) AS urls, sum(u.verdict = 'crawl' AND u.state <> 'open') AS crawled,
       sum(${sqlOf("outcome")} = 'broken') AS broken, count(p.error) AS errors, coalesce(sum(p.size_wire), 0) AS bytes
     ${from([])} GROUP BY 1 ORDER BY 2 DESC, 1`,
    ({ host }) => [`host=${host}`],
  );
  return {
    summary: summarize(reader, listed),
    depths: withFilter(
      `SELECT u.depth AS depth, count(*) AS crawled, ${CLASSES} FROM pages p JOIN urls u ON u.id = p.id
       WHERE ${sqlOf("role")} = 'document' GROUP BY 1 ORDER BY 1`,
      ({ depth }) => [...NUMBERS.crawled.filter, "role=document", `depth=${depth}`],
    ),
    contentTypes: withFilter(
      `SELECT content_type AS value, count(*) AS count, coalesce(sum(size_wire), 0) AS bytes FROM pages
       WHERE status IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${listed}`,
      ({ value }) => [`contentType=${value ?? ""}`, "status!="],
    ),
    indexability: withFilter(
      `SELECT p.indexable AS indexable, p.indexability AS reason, count(*) AS count ${from([])}
       WHERE ${sqlOf("outcome")} = 'page' GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
      ({ indexable, reason }) => [
        "outcome=page",
        `indexable=${truthOf(indexable) ?? indexable}`,
        `indexability=${reason ?? ""}`,
      ],
    ),
    hosts: hosts.slice(0, listed),
    hostsTotal: hosts.length,
    responseTimes: responseTimes(reader),
    duplicates: duplicates(reader, listed),
  };
}

function responseTimes({ db }: SiteReader): Overview["responseTimes"] {
  const limits = [...TIME_LIMITS, null];
  const counts = limits.map((limit, index) => {
    const above = index === 0 ? "" : `ms > ${TIME_LIMITS[index - 1]}`;
    const upTo = limit === null ? "" : `ms <= ${limit}`;
    return `coalesce(sum(${[above, upTo].filter((part) => part !== "").join(" AND ")}), 0) AS c${index}`;
  });
  const row = db
    .prepare(`SELECT ${counts.join(", ")} FROM (SELECT ${fieldNamed("time_server")!.sql} AS ms FROM pages p)`)
    .get()!;
  return limits.map((upTo, index) => ({
    upTo,
    count: Number(row[`c${index}`]),
    filter: [
      ...(index === 0 ? [] : [`timeServer>${TIME_LIMITS[index - 1]}`]),
      ...(upTo === null ? [] : [`timeServer<=${upTo}`]),
    ],
  }));
}

function duplicates({ db }: SiteReader, listed: number): Overview["duplicates"] {
  const groups = db
    .prepare(
      `SELECT content_hash AS contentHash, count, first, count(*) OVER () AS groups, sum(count) OVER () AS pages
       FROM (${DUPLICATES}) ORDER BY count DESC, first LIMIT ?`,
    )
    .all(listed);
  const url = db.prepare("SELECT url FROM urls WHERE id = ?");
  return {
    groups: Number(groups[0]?.["groups"] ?? 0),
    pages: Number(groups[0]?.["pages"] ?? 0),
    filter: ["duplicate=true"],
    largest: groups.map(({ contentHash, count, first }) => ({
      contentHash: String(contentHash),
      count: Number(count),
      example: String(url.get(first!)?.["url"]),
      filter: ["duplicate=true", `contentHash=${contentHash}`],
    })),
  };
}
