/** All rows of a crawl as CSV or JSON lines, in pieces: the same for a file, a pipe and a download. */

import { TrawlError } from "../../errors.ts";
import { jsonLine } from "../../storage/json-line.ts";
import { FIELD_NAMES, FIELDS, fieldNamed } from "../facts/fact-fields.ts";
import { unknownField } from "../store/filter/unknown-field.ts";
import { LINK_FIELD_NAMES } from "../store/link-queries.ts";
import type { Row, SiteReader, UrlQuery } from "../store/reader.ts";
import { SiteView } from "../store/view.ts";
import { csvCell, jsonCell } from "./cells.ts";
import { eachFinding, FINDING_FIELD_NAMES } from "./finding-rows.ts";
import { type LinkForm, linkPieces, type Piece } from "./link-pieces.ts";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const EXPORT_ROWS = ["urls", "links", "issues"] as const;
export type ExportKind = (typeof EXPORT_ROWS)[number];

/** Rows per piece: passing on single rows would cost more than reading them. */
const CHUNK_ROWS = 256;

/** The default fields. */
const USUAL_FIELDS: Record<ExportKind, readonly string[]> = {
  urls: FIELDS.filter(({ isExported }) => isExported).map(({ name }) => name),
  links: LINK_FIELD_NAMES,
  issues: FINDING_FIELD_NAMES,
};

const KNOWN_FIELDS: Record<ExportKind, readonly string[]> = { ...USUAL_FIELDS, urls: FIELD_NAMES };

/** The fields to write; null means the default. Called first, so that a mistake does not empty an existing file. */
export function exportFields(what: ExportKind, wanted: string[] | null): string[] {
  const known = KNOWN_FIELDS[what];
  const unknown = wanted?.find((name) => !known.includes(what === "urls" ? (fieldNamed(name)?.name ?? name) : name));
  if (unknown === undefined) return wanted ?? [...USUAL_FIELDS[what]];
  throw unknownField(unknown, known, ` of ${what}`);
}

/** The name of a column on screen. */
export const exportLabel = (what: ExportKind, field: string): string =>
  (what === "urls" ? fieldNamed(field)?.label : undefined) ??
  `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;

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

export interface ExportQuery extends UrlQuery {
  what: ExportKind;
  /** For issues: only this rule. */
  rule?: string | null;
}

/** The whole export in pieces. Ending it early also ends the reading. */
export function exportPieces(reader: SiteReader, query: ExportQuery, form: ExportForm): Generator<Piece> {
  if (query.what === "urls") return urlPieces(exportRows(reader, query), form);
  if (query.sort !== null) {
    throw new TrawlError(
      "BAD_USAGE",
      `Only urls can be sorted; ${query.what} come in the order in which they were found.`,
    );
  }
  if (query.what === "issues") return urlPieces(eachFinding(reader, query), form);
  return withHead(headOf(form), linkPieces(reader, query, linkForm(form)));
}

const linkForm = ({ format, fields, raw }: ExportForm): LinkForm =>
  format === "csv"
    ? { fields, begin: "", between: ",", end: "\n", before: () => "", cell: csvCell(raw) }
    : {
        // An object has each key once.
        fields: [...new Set(fields)],
        ...{ begin: "{", between: ",", end: "}\n", before: (field) => `"${field}":`, cell: jsonCell },
      };

/** The first line of CSV. */
const headOf = ({ format, fields, labels = fields, raw }: ExportForm): string =>
  format === "csv" ? `${labels.map(csvCell(raw)).join(",")}\n` : "";

/** The first piece includes the head, after its rows were read: an invalid filter produces no head. */
function* withHead(head: string, pieces: Iterable<Piece>): Generator<Piece> {
  let before = Buffer.from(head);
  for (const { bytes, rows } of pieces) {
    yield { bytes: before.length === 0 ? bytes : Buffer.concat([before, bytes]), rows };
    before = before.subarray(0, 0);
  }
  if (before.length > 0) yield { bytes: before, rows: 0 };
}

/** The rows of URLs, as objects. */
export function exportRows(reader: SiteReader, { what: _, sort, ...query }: ExportQuery): Generator<Row> {
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
  /** The first line of CSV, if it is not the names of the fields. */
  labels?: readonly string[];
  /** Do not escape cells that a spreadsheet would run as a formula. */
  raw: boolean;
}

function* rowPieces(rows: Iterable<Row>, { format, fields, raw }: ExportForm): Generator<Piece> {
  const cell = csvCell(raw);
  const line =
    format === "csv" ? (row: Row) => `${fields.map((field) => cell(row[field] ?? null)).join(",")}\n` : jsonLine;
  let text = "";
  let count = 0;
  for (const row of rows) {
    text += line(row);
    if (++count < CHUNK_ROWS) continue;
    yield { bytes: Buffer.from(text), rows: count };
    text = "";
    count = 0;
  }
  if (count > 0) yield { bytes: Buffer.from(text), rows: count };
}

/** Rows as pieces of text. */
export const urlPieces = (rows: Iterable<Row>, form: ExportForm): Generator<Piece> =>
  withHead(headOf(form), rowPieces(rows, form));
