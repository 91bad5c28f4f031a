/** A view of the Explorer: which columns, which rows, in which order. It lives in the address, so that it can be shared and undone with the back button. */

export interface UrlView {
  fields: string[];
  filter: string[];
  search: string | null;
  sort: string | null;
}

/** The view in the address. Fields that are the user's own choice are left out. */
export interface ExplorerSearch {
  fields?: string;
  filter?: string[];
  search?: string;
  sort?: string;
}

/** The default columns. */
export const DEFAULT_FIELDS: readonly string[] = [
  "url",
  "status",
  "indexable",
  "title",
  "depth",
  "contentType",
  "wordCount",
  "outlinks",
  "size",
  "timeTotal",
  "reason",
];

/** The search part of an address, whatever was typed there. */
export function readExplorerSearch(search: Record<string, unknown>): ExplorerSearch {
  const filter = [search["filter"]].flat().flatMap((one) => textOf(one) ?? []);
  return {
    fields: textOf(search["fields"]),
    filter: filter.length > 0 ? filter : undefined,
    search: textOf(search["search"]),
    sort: textOf(search["sort"]),
  };
}

export function viewOf({ fields, filter, search, sort }: ExplorerSearch, ownFields: readonly string[]): UrlView {
  const named = fields?.split(",").filter((name) => name !== "") ?? [];
  return {
    fields: named.length > 0 ? [...new Set(named)] : [...ownFields],
    filter: filter ?? [],
    search: search ?? null,
    sort: sort ?? null,
  };
}

export function searchOf({ fields, filter, search, sort }: UrlView, ownFields: readonly string[]): ExplorerSearch {
  return {
    fields: sameList(fields, ownFields) ? undefined : fields.join(","),
    filter: filter.length > 0 ? filter : undefined,
    search: search ?? undefined,
    sort: sort ?? undefined,
  };
}

/** The same rows in the same order, whatever the columns are. */
export const sameRows = (a: UrlView, b: UrlView): boolean =>
  a.search === b.search && a.sort === b.sort && sameList(a.filter, b.filter);

export const sameView = (a: UrlView, b: UrlView): boolean => sameRows(a, b) && sameList(a.fields, b.fields);

/** A click on a head: first the usual direction, then the other, then the order of the crawl. */
export function nextSort(sort: string | null, field: string, isNumber: boolean): string | null {
  const first = isNumber ? `-${field}` : field;
  const second = isNumber ? field : `-${field}`;
  return sort === first ? second : sort === second ? null : first;
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);

/** The router parses addresses as JSON: 404 arrives as a number, and is a text here. */
const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
