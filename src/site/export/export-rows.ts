/** All rows of a crawl as CSV or JSON lines, in pieces: the same for a file, a pipe and a download. */
import { stringify } from "csv-stringify/sync";
import { TrawlError } from "../../errors.ts";
import { jsonLine } from "../../storage/json-line.ts";
import { FIELD_NAMES, FIELDS, fieldNamed } from "../facts/fact-fields.ts";
import { eachLink, LINK_FIELD_NAMES } from "../store/link-queries.ts";
import type { Row, SiteReader, UrlQuery } from "../store/reader.ts";
import { SiteView } from "../store/view.ts";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_ROWS = ["urls", "links"] as const;
export type ExportKind = (typeof EXPORT_ROWS)[number];

/** Rows per piece: passing on single rows would cost more than reading them. */
const CHUNK_ROWS = 256;

/** The default fields. */
const USUAL_FIELDS: Record<ExportKind, readonly string[]> = {
  urls: FIELDS.filter(({ isExported }) => isExported).map(({ name }) => name),
  links: LINK_FIELD_NAMES,
};

/** The fields to write; null means the default. Called first: a mistake must not empty an existing file. */
export function exportFields(what: ExportKind, wanted: string[] | null): string[] {
  const known = what === "links" ? LINK_FIELD_NAMES : FIELD_NAMES;
  const unknown = wanted?.find((name) => !known.includes(name));
  if (unknown === undefined) return wanted ?? [...USUAL_FIELDS[what]];
  throw new TrawlError("BAD_USAGE", `There is no field "${unknown}" of ${what}. Fields: ${known.join(", ")}.`);
}

/** What a column is called on screen. */
export const exportLabel = (what: ExportKind, field: string): string =>
  (what === "urls" ? fieldNamed(field)?.label : undefined) ??
  `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll("_", " ")}`;

/** `example.com-broken-2026-11-17.csv`: the site, what the rows are, and the day of the crawl. */
export function exportFileName(domain: string, name: string, startedAt: number, format: ExportFormat): string {
  const words = (text: string): string =>
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}.]+/gu)
      ?.join("-") ?? "";
  const day = new Date(startedAt).toISOString().slice(0, 10);
  return `${[domain, name].map(words).filter(Boolean).join("-")}-${day}.${format}`;
}

export interface ExportQuery extends Pick<UrlQuery, "fields" | "filters" | "search" | "sort"> {
  what: ExportKind;
}

export function exportRows(reader: SiteReader, { what, sort, ...query }: ExportQuery): Generator<Row> {
  if (what === "links") {
    if (sort !== null)
      throw new TrawlError("BAD_USAGE", "Only urls can be sorted; links come in the order in which they were found.");
    return eachLink(reader, query);
  }
  return sort === null ? reader.each(query) : eachSorted(reader, { ...query, sort });
}

/** Sorts a list of ids: the database would sort complete rows, which takes far more memory. */
function* eachSorted(reader: SiteReader, { fields, ...query }: Omit<ExportQuery, "what">): Generator<Row> {
  const view = SiteView.open(reader, query);
  for (let offset = 0; offset < view.total; offset += CHUNK_ROWS) yield* view.rows(fields, offset, CHUNK_ROWS);
}

export interface ExportForm {
  format: ExportFormat;
  fields: string[];
  /** The first line of CSV, where it is not the names of the fields. */
  labels?: readonly string[];
  /** Do not escape cells that a spreadsheet would run as a formula. */
  raw: boolean;
}

/** Pieces of text; the first comes after the first row was read. Ending it early also ends the reading. */
export function* exportChunks(
  rows: Iterable<Row>,
  { format, fields, labels = fields, raw }: ExportForm,
): Generator<string> {
  const columns = fields.map((key, at) => ({ key, header: labels[at]! }));
  const csv = (input: Row[], header: boolean): string => stringify(input, { header, columns, escape_formulas: !raw });
  const write = format === "csv" ? (batch: Row[]) => csv(batch, false) : (batch: Row[]) => batch.map(jsonLine).join("");
  let head = format === "csv" ? csv([], true) : "";
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < CHUNK_ROWS) continue;
    yield head + write(batch);
    head = "";
    batch = [];
  }
  if (head !== "" || batch.length > 0) yield head + write(batch);
}
