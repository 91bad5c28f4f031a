/** Filters that are one click away. Each stands for one or more filters of the view, which it adds and removes together. */

export interface QuickFilter {
  id: string;
  label: string;
  filters: readonly string[];
  /** Columns that answer the next question about these rows; shown while it is on. */
  columns: readonly string[];
  /** Only one of a group can be on. */
  group?: "answer" | "place";
  info?: string;
  /** Shown only when there are such URLs: most crawls cannot have any. */
  isRare?: true;
}

/** An error page does not need a description. */
const IS_PAGE = "outcome=page";

const answer = (id: string, label: string, filter: string, columns: string[], info: string): QuickFilter => ({
  id,
  label,
  filters: [filter],
  columns,
  group: "answer",
  info,
});

/** The tabs of the Explorer; without one, all URLs are shown. */
export const PLACES: readonly QuickFilter[] = [
  {
    id: "internal",
    label: "Internal",
    filters: ["internal=true", "verdict=crawl"],
    columns: [],
    group: "place",
    info: "Crawled URLs of the site",
  },
  {
    id: "external",
    label: "External",
    filters: ["internal=false"],
    columns: ["foundOn"],
    group: "place",
    info: "URLs on other hosts, checked or only recorded",
  },
  {
    id: "not-crawled",
    label: "Not crawled",
    filters: ["verdict!=crawl"],
    columns: ["reason", "rule", "foundOn"],
    group: "place",
    info: "URLs that Trawl found but did not crawl",
  },
];

export const QUICK_FILTERS: readonly QuickFilter[] = [
  answer("2xx", "2xx", "status=2xx", [], "Successful answers"),
  answer("3xx", "3xx", "status=3xx", ["redirectTo", "foundOn"], "Redirects"),
  answer("4xx", "4xx", "status=4xx", ["foundOn"], "Client errors: not found, not allowed"),
  answer("5xx", "5xx", "status=5xx", ["foundOn"], "Server errors"),
  answer("error", "No answer", "error!=", ["error", "foundOn"], "Timeouts, DNS, TLS and the like"),
  {
    id: "not-indexable",
    label: "Not indexable",
    filters: [IS_PAGE, "indexable=false"],
    columns: ["indexability", "canonical"],
  },
  {
    id: "no-title",
    label: "No title",
    filters: [IS_PAGE, "title="],
    columns: ["h1"],
    info: "Pages without a title, or with an empty one",
  },
  { id: "no-description", label: "No description", filters: [IS_PAGE, "description="], columns: [] },
  { id: "no-h1", label: "No H1", filters: [IS_PAGE, "h1Count=0"], columns: ["h2"] },
  { id: "thin", label: "Under 100 words", filters: [IS_PAGE, "wordCount<100"], columns: ["wordCount"] },
  {
    id: "slow",
    label: "Over 1 s",
    filters: ["timeTotal>1000"],
    columns: ["timeTotal", "timeFirstByte", "timeDownload"],
    info: "From request to last byte",
  },
  {
    id: "changed-by-scripts",
    label: "Changed by scripts",
    filters: ["differs!="],
    columns: ["differs"],
    info: "Rendered pages whose title, links, directives or text differ from the HTML as sent",
    isRare: true,
  },
];

const isOn = ({ filters }: QuickFilter, filter: readonly string[]): boolean =>
  filters.every((one) => filter.includes(one));

export const quickFiltersOf = (filter: readonly string[]): QuickFilter[] =>
  [...PLACES, ...QUICK_FILTERS].filter((quick) => isOn(quick, filter));

export function toggleQuick(quick: QuickFilter, filter: readonly string[]): string[] {
  const on = quickFiltersOf(filter);
  const isAlreadyOn = on.includes(quick);
  const isGoing = (one: QuickFilter): boolean =>
    one === quick ? isAlreadyOn : !isAlreadyOn && quick.group !== undefined && one.group === quick.group;
  const going = on.filter(isGoing);
  // A filter that another quick filter needs stays.
  const staying = new Set(on.filter((one) => !isGoing(one)).flatMap(({ filters }) => filters));
  const left = filter.filter((one) => staying.has(one) || !going.some(({ filters }) => filters.includes(one)));
  return isAlreadyOn ? left : [...left, ...quick.filters.filter((one) => !left.includes(one))];
}

/** The columns to show with these filters: those of the quick filters behind the status, then the user's own. */
export function quickColumns(filter: readonly string[], ownFields: readonly string[]): string[] {
  const brought = [...new Set(quickFiltersOf(filter).flatMap(({ columns }) => columns))];
  const rest = ownFields.filter((name) => !brought.includes(name));
  const behind = Math.max(rest.indexOf("url"), rest.indexOf("status")) + 1;
  return [...rest.slice(0, behind), ...brought, ...rest.slice(behind)];
}

/** Filters that belong to no quick filter: these get a chip. */
export function otherFilters(filter: readonly string[]): string[] {
  const shown = new Set(quickFiltersOf(filter).flatMap(({ filters }) => filters));
  return filter.filter((one) => !shown.has(one));
}
