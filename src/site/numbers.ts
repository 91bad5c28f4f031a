/**
 * Every number that is reported about a crawl, defined once: what it counts, in words, and the filters that list
 * exactly that. Counts are made from the filters, so a figure and the list it opens cannot disagree.
 */
import type { PageRow } from "./facts/fact-rows.ts";
import { parseFilter } from "./store/filter/filter.ts";
import { from, type SiteReader, values } from "./store/reader.ts";

interface NumberDefinition {
  label: string;
  meaning: string;
  /** A counted URL matches all of them; see `store/filter.ts`. */
  filter: readonly string[];
  /** The number that a percentage of it is a share of. */
  of: string | null;
}

export const NUMBERS = {
  found: { label: "URLs found", meaning: "Every distinct URL that the crawl found.", filter: [], of: null },
  crawled: {
    label: "Crawled",
    meaning: "URLs that were fetched, whatever the answer: pages, files, redirects and broken URLs.",
    filter: ["verdict=crawl", "state!=open"],
    of: "found",
  },
  queued: {
    label: "Queued",
    meaning: "URLs that are waiting to be fetched.",
    filter: ["state=open"],
    of: "found",
  },
  notCrawled: {
    label: "Not crawled",
    meaning: "URLs that were found but not fetched, each with its reason.",
    filter: ["verdict!=crawl"],
    of: "found",
  },
  pages: {
    label: "Pages",
    meaning:
      "HTML documents of the site that answered 2xx, now or, if the server said that they were not modified, in the earlier crawl.",
    filter: ["outcome=page"],
    of: "crawled",
  },
  files: {
    label: "Files",
    meaning: "URLs that answered 2xx with something other than HTML, and links to other hosts that answered 2xx.",
    filter: ["outcome=file"],
    of: "crawled",
  },
  notModified: {
    label: "Not modified",
    meaning: "URLs that did not have to be downloaded, because the server said that they had not changed.",
    filter: ["notModified=true"],
    of: "crawled",
  },
  redirects: {
    label: "Redirects",
    meaning: "URLs that answered 3xx.",
    filter: ["outcome=redirect"],
    of: "crawled",
  },
  broken: {
    label: "Broken",
    meaning:
      "URLs that answered 4xx or 5xx, with a bot check instead of the page, or not at all. Pages that answer 200 but say that they do not exist count as soft 404s instead.",
    filter: ["outcome=broken"],
    of: "crawled",
  },
  errors: {
    label: "Errors",
    meaning:
      "URLs that did not answer (timeouts, DNS, TLS and the like) or sent a bot check. They are included in the broken URLs.",
    filter: ["error!="],
    of: "crawled",
  },
  indexable: {
    label: "Indexable",
    meaning: "Pages that a search engine may list.",
    filter: ["outcome=page", "indexable=true"],
    of: "pages",
  },
  notIndexable: {
    label: "Not indexable",
    meaning: "Pages that a search engine may not list, each with its reason.",
    filter: ["outcome=page", "indexable=false"],
    of: "pages",
  },
  external: {
    label: "External",
    meaning: "URLs on hosts that are not part of the site, checked or only recorded.",
    filter: ["internal=false"],
    of: "found",
  },
} as const satisfies Record<string, NumberDefinition>;

export type NumberName = keyof typeof NUMBERS;
export const NUMBER_NAMES = Object.keys(NUMBERS) as NumberName[];
export type Numbers = Record<NumberName, number>;

/** All numbers in one pass. */
export function countNumbers(reader: SiteReader): Numbers {
  return count(reader, NUMBER_NAMES) as Numbers;
}

export const countNumber = (reader: SiteReader, name: NumberName): number => count(reader, [name])[name]!;

function count({ db }: SiteReader, names: readonly NumberName[]): Partial<Numbers> {
  const wanted = names.map((name) => ({ name, conditions: NUMBERS[name].filter.map(parseFilter) }));
  const sums = wanted.map(({ name, conditions }) =>
    conditions.length === 0
      ? `count(*) AS ${name}`
      : `coalesce(sum(${conditions.map(({ sql }) => `coalesce(${sql}, 0)`).join(" AND ")}), 0) AS ${name}`,
  );
  return db
    .prepare(`SELECT ${sums.join(", ")} ${from([])}`)
    .get(...wanted.flatMap(({ conditions }) => values(conditions))) as Partial<Numbers>;
}

/** What `outcome=page` means for a record that is being written, so that a running crawl can count pages. */
export const isPage = ({ status, title_count }: Pick<PageRow, "status" | "title_count">): boolean =>
  title_count !== null && status !== null && ((status >= 200 && status < 300) || status === 304);
