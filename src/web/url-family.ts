/**
 * Families of URLs: the sets that an endless part of a site stays within, whatever numbers and words its addresses
 * contain. A URL belongs to the family of its folder, such as `https://example.com/maze/**`. A URL with a query also
 * belongs to the family of its path, such as `https://example.com/list?*`, and so does one with a session id among its
 * folders.
 */
import { originOf, pathAndQueryOf, pathOf } from "./url.ts";

/** A folder named by a machine: a UUID, or letters and digits in a long row. Sites with session ids in paths have one. */
const TOKEN_FOLDER =
  /\/(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[^/]*\d[^/]*\d)(?=[^/]*[a-z])[0-9a-z]{12,128})(?=\/[^/])/gi;

/** The tokens among the folders of a URL; null when there are none. */
export const tokensOf = (url: string): string | null =>
  /\d/.test(url) ? (pathOf(url).match(TOKEN_FOLDER)?.join("") ?? null) : null;

/**
 * All variants of one path, which differ in the query or in a folder that is a token; null for a URL that has neither.
 */
export function variantFamily(url: string): string | null {
  const path = pathOf(url);
  const shape = /\d/.test(path) ? path.replace(TOKEN_FOLDER, "/*") : path;
  if (url.includes("?")) return `${originOf(url)}${shape}?*`;
  return shape === path ? null : originOf(url) + shape;
}

/** Everything below the first folder, or all pages directly below the host. */
export function folderFamily(url: string): string {
  const rest = pathAndQueryOf(url);
  const end = rest.slice(1).search(/[/?]/) + 1;
  // `/about`, `/about/` and `/?page=2` are pages of the host itself.
  const isDirect = end <= 1 || end === rest.length - 1;
  return `${originOf(url)}${isDirect ? "/*" : `${rest.slice(0, end)}/**`}`;
}

/** The family of all folders on a host that has too many. */
export const hostFamily = (url: string): string => `${originOf(url)}/**`;

const MONTH = "(?:0?[1-9]|1[0-2])";
const YEAR = "(?:1[89]|2\\d)\\d\\d";
const MONTH_NAME = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const DATED = new RegExp(
  `(?<!\\d)${YEAR}[-/_.](?:${MONTH}(?!\\d)|${MONTH_NAME}\\b|W\\d)` +
    `|[?&](?:year|yr|month|mon|week|day|date|ym|cal\\w*)=-?\\d` +
    `|[?&]y=${YEAR}(?!\\d)`,
  "i",
);

/** A date in the address: such pages are often generated for whatever date a link names. */
export const isDated = (url: string): boolean => DATED.test(pathAndQueryOf(url));

/** Days, hours, years; not amounts such as 12.5. */
const DATE_NUMBERS = /(?<![\d.,])(?:\d{1,2}(?::\d\d){0,2}|\d{4,6})(?!\d|[.,:]\d)/g;

/** A text without the parts that tell one calendar day from the next. */
export const withoutDates = (text: string): string => text.replace(DATE_NUMBERS, "0");

/** A text without the numbers in the page's own address and those next to them: "Page 7 of 9, next: page 8". */
export function withoutOwnNumbers(text: string, url: string): string {
  const own = new Set<string>();
  for (const [digits] of pathAndQueryOf(url).matchAll(/\d{1,15}/g)) {
    for (let step = -2; step <= 2; step++) own.add(String(Number(digits) + step));
  }
  return own.size === 0 ? text : text.replace(/\d+/g, (digits) => (own.has(digits) ? "0" : digits));
}
