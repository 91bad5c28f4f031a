/** Texts that several transports write: foreign text made safe to show, and numbers with their nouns. */

/** C0 and C1 control characters, DEL, line separators, and the marks that change the direction of text (CVE-2021-42574). */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const BLANK = /[\t\n\r\u0085\u2028\u2029]/;

/** Foreign text for a terminal or an agent: a title must not move the cursor, set a colour or turn the line around. */
export const clean = (text: string): string => text.replace(UNSAFE, (mark) => (BLANK.test(mark) ? " " : ""));

/** `1,234,567`. By hand: the first `Intl.NumberFormat` of a process takes longer than most commands do. */
export const count = (value: number): string => String(value).replace(/(?<!\..*)\B(?=(\d{3})+(?!\d))/g, ",");

/** `1 page`, `2 pages`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A code such as `robots_disallow` in words. JSON keeps the code, and so do filters. */
export const codeWords = (code: string): string => code.replaceAll("_", " ");
