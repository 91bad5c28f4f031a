/** Filters that are one click away. Each stands for one or more filters of the view, which it adds and removes together. */

export interface QuickFilter {
  id: string;
  label: string;
  filters: readonly string[];
  /** Only one of a group can be on. */
  group?: "answer";
  info?: string;
}

/** Titles are only counted in HTML. */
const IS_HTML = "title_count>=0";

export const QUICK_FILTERS: readonly QuickFilter[] = [
  { id: "2xx", label: "2xx", filters: ["status=2xx"], group: "answer", info: "Successful answers" },
  { id: "3xx", label: "3xx", filters: ["status=3xx"], group: "answer", info: "Redirects" },
  { id: "4xx", label: "4xx", filters: ["status=4xx"], group: "answer", info: "Client errors: not found, not allowed" },
  { id: "5xx", label: "5xx", filters: ["status=5xx"], group: "answer", info: "Server errors" },
  { id: "error", label: "No answer", filters: ["error!="], group: "answer", info: "Timeouts, DNS, TLS and the like" },
  {
    id: "not-crawled",
    label: "Not crawled",
    filters: ["verdict!=crawl"],
    group: "answer",
    info: "Found, but not crawled; the reason has its own column",
  },
  { id: "not-indexable", label: "Not indexable", filters: ["indexable=No"] },
  {
    id: "no-title",
    label: "No title",
    filters: [IS_HTML, "title="],
    info: "HTML without a title, or with an empty one",
  },
  { id: "no-description", label: "No description", filters: [IS_HTML, "description="] },
  { id: "no-h1", label: "No H1", filters: ["h1_count=0"] },
  { id: "thin", label: "Under 100 words", filters: ["word_count<100"] },
  { id: "slow", label: "Over 1 s", filters: ["time_total>1000"], info: "From request to last byte" },
];

const isOn = ({ filters }: QuickFilter, filter: readonly string[]): boolean =>
  filters.every((one) => filter.includes(one));

export const quickFiltersOf = (filter: readonly string[]): QuickFilter[] =>
  QUICK_FILTERS.filter((quick) => isOn(quick, filter));

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

/** Filters that belong to no quick filter: these get a chip. */
export function otherFilters(filter: readonly string[]): string[] {
  const shown = new Set(quickFiltersOf(filter).flatMap(({ filters }) => filters));
  return filter.filter((one) => !shown.has(one));
}
