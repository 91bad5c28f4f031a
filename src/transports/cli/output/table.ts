/**
 * Text in columns: the width of a text in a terminal, cutting and wrapping it, and tables whose widest columns shrink
 * when the terminal is too narrow: sentences are cut; addresses and ids are broken into lines, so that they can be copied.
 */

import { unicodeHosts } from "../../texts.ts";

export interface Column {
  title: string;
  align?: "right";
  /** May shrink, but not below this width; a column without it never shrinks. */
  least?: number;
  /** Is broken into lines instead of cut, as every address and id is, because their ends tell them apart. */
  whole?: boolean;
  /** Left out if the others would not fit, starting with the last one. */
  optional?: boolean;
  /** Wrapped over several lines instead of cut. Only for the last column. */
  wrapped?: boolean;
}

export interface Cell {
  text: string;
  style?: (text: string) => string;
}

export interface TableOptions {
  columns: Column[];
  rows: (string | Cell)[][];
  /** Columns of the terminal; Infinity if nothing is to shrink. */
  width: number;
  indent?: number;
  /** Style of the titles; without it, there are no titles. */
  heading?: (text: string) => string;
}

const GAP = 2;
/** When nothing is cut, one long cell must not widen its column for all rows: it overflows instead. */
const WIDEST_UNCUT = 60;
/** In a narrower terminal, a cut cell would show little more than what all rows have in common: it is broken into lines. */
export const NARROW = 66;

export function table(options: TableOptions): string[] {
  const { columns, rows, width, indent = 0, heading } = options;
  const cells = rows.map((row) => row.map((cell) => withUnicodeHost(typeof cell === "string" ? { text: cell } : cell)));
  const titles = heading === undefined ? [] : [columns.map(({ title }) => ({ text: title, style: heading }))];
  const room = width - indent - GAP * (columns.length - 1);
  const widths = fit(columns, [...titles, ...cells], room);
  const left = columns.findLastIndex(({ optional }) => optional === true);
  if (left >= 0 && sum(widths) > room) {
    return table({ ...options, columns: columns.toSpliced(left, 1), rows: rows.map((row) => row.toSpliced(left, 1)) });
  }
  return [...titles, ...cells].flatMap((row) => lines(row, columns, widths, indent, width));
}

/** An internationalised host as people read it; the ASCII form is only in JSON and CSV. */
const withUnicodeHost = (cell: Cell): Cell =>
  cell.text.includes("xn--") ? { ...cell, text: unicodeHosts(cell.text) } : cell;

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Shrinks the widest column that may be cut, until all fit or none can shrink further. */
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

function lines(row: Cell[], columns: Column[], widths: number[], indent: number, terminal: number): string[] {
  const shown = row.map(({ text, style = (same) => same }, index) => {
    const { align, wrapped, whole = false } = columns[index]!;
    const width = widths[index]!;
    if (wrapped === true) return wrap(text, width).map(style);
    const mayBeCut = terminal !== Number.POSITIVE_INFINITY && columns[index]!.least !== undefined;
    const isWhole = whole || terminal < NARROW || !text.includes(" ");
    const fitting = mayBeCut ? (isWhole ? fold(text, width) : [cut(text, width)]) : [text];
    return fitting.map((part) => (align === "right" ? padStart(style(part), width) : padEnd(style(part), width)));
  });
  const height = Math.max(...shown.map((parts) => parts.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = shown.map((cell, index) => cell[line] ?? " ".repeat(widths[index]!));
    return (" ".repeat(indent) + parts.join(" ".repeat(GAP))).trimEnd();
  });
}

/** How many columns a text takes in a terminal, and cutting it to fit. Texts here are clean: no control characters. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO = /\p{Mn}|\p{Me}|\u200b|\u200c|\u200d/u;
const PLAIN = /^[\u0020-\u007e]*$/;
const STYLES = /\u001b\[\d+m/g;

/** Columns of a text; our own colours take none. */
export function widthOf(text: string): number {
  const bare = text.replace(STYLES, "");
  if (PLAIN.test(bare)) return bare.length;
  let width = 0;
  for (const character of bare) width += widthOfCharacter(character);
  return width;
}

/** Cuts a text without colours to a number of columns, and marks the cut. */
export function cut(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Breaks a text without colours into lines of at most that many columns: at a space if there is one, otherwise anywhere. */
export function fold(text: string, columns: number): string[] {
  return wrap(text, columns).flatMap((line) => {
    const parts = [""];
    for (const character of line) {
      if (widthOf(parts.at(-1)!) + widthOfCharacter(character) > columns) parts.push("");
      parts[parts.length - 1] += character;
    }
    return parts;
  });
}

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - widthOf(text)));
export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - widthOf(text))) + text;

/** Wraps a text at spaces; a word longer than a line stays in one piece, so that it can be copied. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function widthOfCharacter(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
