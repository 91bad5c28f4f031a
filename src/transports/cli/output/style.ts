/** The few colours of the output; none at all when nobody looks or nobody wants them (NO_COLOR). */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

const code = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
const same = (text: string) => text;

const COLOURED: Style = {
  bold: code(1, 22),
  dim: code(2, 22),
  good: code(32, 39),
  warn: code(33, 39),
  bad: code(31, 39),
};
const PLAIN: Style = { bold: same, dim: same, good: same, warn: same, bad: same };

export const createStyle = (coloured: boolean): Style => (coloured ? COLOURED : PLAIN);

/** The colour of a status: what works, what moved, what is broken. */
export function statusStyle(style: Style, status: number | null): (text: string) => string {
  if (status === null) return style.dim;
  if (status >= 400) return style.bad;
  return status >= 300 ? style.warn : style.good;
}
