/** Answers for agents: counts first, then tables as lines of tab-separated cells, cut to a budget of tokens. */

import { TrawlError } from "../../errors.ts";
import { BYTES_PER_TOKEN, bytesOf, fenceFor, foreign, foreignLines, startWithin } from "./model-text.ts";

export type Cell = string | number | boolean | null | undefined;

export interface Table {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** The total number of rows, if these are only some of them. */
  total?: number;
  /** Maximum characters per cell; less when the budget is small. */
  cellLimit?: number;
}

interface Head {
  /** What was found, in Trawl's own words and numbers: never text from a page. */
  counts: string;
  /** What to know, or to do next. */
  notes?: readonly string[];
  /** For programs, in addition to what the text and the tables say. */
  structured?: Record<string, unknown>;
}

export interface TableAnswer extends Head {
  tables: readonly Table[];
  /** The total number of rows, if the operation answers one page at a time. */
  total?: number;
  /** The operation's cursor for its next page. */
  next?: string | null;
  /** All text is Trawl's own, so no warning is needed. */
  isOwn?: boolean;
}

export interface TextAnswer extends Head {
  text: string;
}

export type Answer = TableAnswer | TextAnswer;

/** Enough to recognize a title or link text; url_detail gives longer ones. */
const CELL_LIMIT = 300;
/** The length of the mark for a cut: a shorter remainder is shown instead. */
const CUT_NOTE = "…(+10 chars)".length;
/** Fewer characters would be useless. */
const CELL_LEAST = 24;
/** Room for line ends, a longer fence, and numbers with more digits than expected. */
const SPARE_BYTES = 32;

/** The same answer twice: for a model, and for a program (`structuredContent`), with the same rows. */
export interface Rendered {
  text: string;
  structured: Record<string, unknown>;
}

/** The answer as text of at most `tokens`, from `position` on. */
export function renderAnswer(answer: Answer, position: Position, tokens: number): Rendered {
  const bytes = tokens * BYTES_PER_TOKEN;
  const { text, structured } =
    "text" in answer ? renderText(answer, position, bytes) : renderTables(answer, position, bytes);
  const { counts: summary, notes = [] } = answer;
  const said = { summary, ...(notes.length > 0 && { notes }), ...answer.structured };
  return { text: startWithin(text, bytes), structured: { ...said, ...structured } };
}

function renderTables(answer: TableAnswer, position: Position, bytes: number): Rendered {
  const rows = answer.tables.reduce((sum, table) => sum + table.rows.length, 0);
  const remaining = Math.max(0, rows - position.skip);
  // The head says how many rows follow, which depends on how much room the head leaves.
  const heads = [0, 1, remaining - 1, remaining].map((shown) => bytesOf(head(answer, position, rows, shown)));
  const reserve = Math.max(...heads);
  const { warning, open, close } = fenceFor("");
  const own = answer.isOwn === true;
  const room = bytes - reserve - SPARE_BYTES - (own ? 0 : bytesOf(warning + open + close));
  const { lines, parts, shown } = fitted(answer.tables, position.skip, room);
  const body = lines.join("\n");
  const top = head(answer, position, rows, shown);
  const text = lines.length === 0 || own ? [top, body].filter(Boolean).join("\n") : fenced(top, body);
  const next = nextPosition(answer, position, rows, shown);
  return { text, structured: lists(parts, next === null ? null : writePosition(next)) };
}

/** A single list like every list of Trawl; several with their titles; nothing if an answer has no rows. */
function lists(parts: readonly Part[], next: string | null): Record<string, unknown> {
  if (parts.length === 0) return {};
  if (parts.length > 1) return { tables: parts, next };
  const { total, rows } = parts[0]!;
  return { total, rows, next };
}

const fenced = (top: string, body: string): string => {
  const { warning, open, close } = fenceFor(body);
  return [top, warning, open, body, close].join("\n");
};

/** The visible part of a table, for programs. */
interface Part {
  title: string;
  total: number;
  rows: Record<string, Cell>[];
}

interface Fitted {
  lines: string[];
  parts: Part[];
  /** Rows of all tables. */
  shown: number;
}

/** As many rows as fit, after the first `skip`. A continued table repeats its heading. */
function fitted(tables: readonly Table[], skip: number, room: number): Fitted {
  const lines: string[] = [];
  const parts = tables.map(({ title, rows, total = rows.length }): Part => ({ title, total, rows: [] }));
  let left = room;
  let shown = 0;
  let passed = 0;
  for (const [place, table] of tables.entries()) {
    const from = Math.max(0, skip - passed);
    passed += table.rows.length;
    if (from >= table.rows.length) continue;
    const heading = headingOf(table);
    left -= bytesOf(heading) + 1;
    const limit = cellLimit(table, room);
    for (let index = from; index < table.rows.length; index++) {
      const cells = table.rows[index]!.map((cell) => cellValue(cell, limit));
      const line = cells.map((cell) => cell ?? "").join("\t");
      left -= bytesOf(line) + 1;
      if (left < 0) return { lines, parts, shown };
      if (index === from) lines.push(heading);
      lines.push(line);
      parts[place]!.rows.push(Object.fromEntries(table.columns.map((name, column) => [name, cells[column]])));
      shown++;
    }
  }
  return { lines, parts, shown };
}

/** A row of full cells takes a quarter of the room, so that several fit. */
const cellLimit = (table: Table, room: number): number =>
  Math.max(CELL_LEAST, Math.min(table.cellLimit ?? CELL_LIMIT, Math.floor(room / 4 / table.columns.length)));

const headingOf = ({ title, columns, rows, total = rows.length }: Table): string =>
  `# ${title} (${total > rows.length ? `${rows.length} of ` : ""}${total})\n${columns.map((column) => cellValue(column, CELL_LIMIT)).join("\t")}`;

/** A value as one cell: on one line, without tabs, cut if it is long, and without meaningless digits. */
export function cellValue(value: Cell, limit: number): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return rounded(value);
  const text = foreign(value);
  if (text.length <= limit + CUT_NOTE) return text;
  // Half of a surrogate pair is not a character.
  const end = /[\ud800-\udbff]/.test(text[limit - 1]!) ? limit - 1 : limit;
  return `${text.slice(0, end)}…(+${text.length - end} chars)`;
}

/** Three digits after the point, or three in all below 1: a pace of 0.00033 requests a second is not 0. */
function rounded(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  return Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(3));
}

function head(answer: TableAnswer, position: Position, rows: number, shown: number): string {
  const total = Math.max(answer.total ?? rows, position.before + shown);
  const next = nextPosition(answer, position, rows, shown);
  const lines = [answer.counts];
  if (shown === 0 && rows > position.skip) {
    lines.push("max_tokens is too small for one row: increase it, or request fewer fields.");
  } else if (next !== null) {
    const last = position.before + shown;
    lines.push(`Rows ${position.before + 1}–${last} of ${total} follow; ${total - last} are left out.`);
    lines.push(`To continue: cursor ${JSON.stringify(writePosition(next))}`);
  } else if (position.before > 0) {
    lines.push(`Rows ${position.before + 1}–${position.before + shown} of ${total} follow: the last ones.`);
  }
  return [...lines, ...(answer.notes ?? [])].join("\n");
}

function nextPosition(answer: TableAnswer, position: Position, rows: number, shown: number): Position | null {
  const before = position.before + shown;
  const skip = position.skip + shown;
  if (skip < rows) return { before, skip, cursor: position.cursor };
  return answer.next == null ? null : { before, skip: 0, cursor: answer.next };
}

function renderText(answer: TextAnswer, position: Position, bytes: number): Rendered {
  const whole = foreignLines(answer.text);
  const rest = whole.slice(position.before);
  const cursorAt = (end: number): string | null =>
    end < whole.length ? writePosition({ before: end, skip: 0, cursor: null }) : null;
  const top = (end: number): string => {
    const lines = [answer.counts];
    const cursor = cursorAt(end);
    if (cursor !== null) {
      lines.push(
        `Characters ${position.before + 1}–${end} of ${whole.length} follow; ${whole.length - end} are left out.`,
      );
      lines.push(`To continue: cursor ${JSON.stringify(cursor)}`);
    }
    return [...lines, ...(answer.notes ?? [])].join("\n");
  };
  const { warning, open, close } = fenceFor("");
  // The longest head is the one that names a place within the text.
  const overhead = bytesOf(top(whole.length - 1)) + bytesOf(warning + open + close) + SPARE_BYTES;
  const part = atLineEnd(startWithin(rest, bytes - overhead), rest.length);
  const end = part === "" ? whole.length : position.before + part.length;
  const text = part === "" ? top(end) : fenced(top(end), part);
  return { text, structured: { text: part, next: cursorAt(end) } };
}

/** Ends the part at the end of a line, if there is one nearby. */
function atLineEnd(part: string, length: number): string {
  if (part.length === length) return part;
  const end = part.lastIndexOf("\n") + 1;
  return end > part.length * 0.75 ? part.slice(0, end) : part;
}

/** A time as every transport writes it: ISO 8601, in UTC. */
export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Where an answer begins: the cursor that agents send back, which contains the operation's cursor and what was shown. */
export interface Position {
  /** Rows, or characters of a text, that earlier answers showed. */
  before: number;
  /** Rows of the operation's page that were already shown, if the budget ended within the page. */
  skip: number;
  /** The operation's own cursor. */
  cursor: string | null;
}

export const START: Position = { before: 0, skip: 0, cursor: null };

export const writePosition = ({ before, skip, cursor }: Position): string => `${before}.${skip}:${cursor ?? ""}`;

export function readPosition(text: string | null): Position {
  if (text === null) return START;
  const match = /^(\d{1,15})\.(\d{1,15}):(.*)$/s.exec(text);
  if (match === null) {
    throw new TrawlError("BAD_USAGE", "cursor: not a valid cursor; pass it exactly as the previous answer gave it.");
  }
  const [, before, skip, cursor] = match as unknown as [string, string, string, string];
  return { before: Number(before), skip: Number(skip), cursor: cursor === "" ? null : cursor };
}
