/** Rows in columns: as wide as they need, and when that is too wide for the terminal, the roomiest columns give way. */
import { cut, padEnd, padStart, widthOf, wrap } from "./width.ts";

export interface Column {
  title: string;
  align?: "right";
  /** May be cut, but not below this width; a column without it is always shown whole. */
  least?: number;
  /** Left out, the last one first, where the others would not fit beside it. */
  optional?: boolean;
  /** Broken over several lines instead of cut. For the last column only. */
  wrapped?: boolean;
}

export interface Cell {
  text: string;
  style?: (text: string) => string;
}

export interface TableOptions {
  columns: Column[];
  rows: (string | Cell)[][];
  /** Columns of the terminal; Infinity where nothing is cut. */
  width: number;
  indent?: number;
  /** Style of the titles; without it there are none. */
  heading?: (text: string) => string;
}

const GAP = 2;
/** Where nothing is cut, one long cell must not push all others away: it runs over instead. */
const WIDEST_UNCUT = 60;

export function table(options: TableOptions): string[] {
  const { columns, rows, width, indent = 0, heading } = options;
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)));
  const titles = heading === undefined ? [] : [columns.map(({ title }) => ({ text: title, style: heading }))];
  const room = width - indent - GAP * (columns.length - 1);
  const widths = fit(columns, [...titles, ...cells], room);
  const left = columns.findLastIndex(({ optional }) => optional === true);
  if (left >= 0 && sum(widths) > room) {
    return table({ ...options, columns: columns.toSpliced(left, 1), rows: rows.map((row) => row.toSpliced(left, 1)) });
  }
  return [...titles, ...cells].flatMap((row) => lines(row, columns, widths, indent, room !== Number.POSITIVE_INFINITY));
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Takes columns away from the widest one that may be cut, until all fit or none can give more. */
function fit(columns: Column[], rows: Cell[][], room: number): number[] {
  const widths = columns.map((_, index) => rows.reduce((most, row) => Math.max(most, widthOf(row[index]!.text)), 0));
  if (room === Number.POSITIVE_INFINITY) return widths.map((width) => Math.min(width, WIDEST_UNCUT));
  for (;;) {
    const over = sum(widths) - room;
    if (over <= 0) return widths;
    const spare = columns.map(({ least }, index) => (least === undefined ? 0 : Math.max(0, widths[index]! - least)));
    const most = Math.max(...spare);
    if (most === 0) return widths;
    const widest = spare.indexOf(most);
    const second = Math.max(...spare.filter((_, index) => index !== widest), 0);
    widths[widest]! -= Math.min(over, Math.max(1, most - second));
  }
}

function lines(row: Cell[], columns: Column[], widths: number[], indent: number, canCut: boolean): string[] {
  const shown = row.map(({ text, style = (same) => same }, index) => {
    const { align, wrapped } = columns[index]!;
    const width = widths[index]!;
    if (wrapped === true) return wrap(text, width).map(style);
    const fitting = canCut && columns[index]!.least !== undefined ? cut(text, width) : text;
    return [align === "right" ? padStart(style(fitting), width) : padEnd(style(fitting), width)];
  });
  const height = Math.max(...shown.map((parts) => parts.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = shown.map((cell, index) => cell[line] ?? " ".repeat(widths[index]!));
    return (" ".repeat(indent) + parts.join(" ".repeat(GAP))).trimEnd();
  });
}
