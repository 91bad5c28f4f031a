/**
 * The pattern of a URL, so that pages of one template are counted together: `/calendar/2024/05?view=week` and
 * `/calendar/1999/12?view=day` are both `/calendar/N/N?view=*`. A limit per pattern ends endless calendars.
 *
 * N is a number, H a hexadecimal id (a UUID, or eight characters and more with a digit among them), D a date such as
 * 2024-05-17, * any other value of a parameter. Parameters are sorted by name and named once. The host is left out.
 */
import { pathAndQueryOf } from "./url.ts";

const DASH = 0x2d;
const PERCENT = 0x25;
const SHORTEST_HEX = 8;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

function isHex(code: number): boolean {
  return isDigit(code) || isHexLetter(code);
}

function isAlphanumeric(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/iy;
const DATE = /(?:19|20)\d\d([-_.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?!\d)/y;

/** Length of a sticky expression's match at `start`, or 0. */
function matchLength(expression: RegExp, text: string, start: number): number {
  expression.lastIndex = start;
  return expression.test(text) ? expression.lastIndex - start : 0;
}

/** Replaces what varies from page to page. Words without a digit stay, so that a slug remains readable. */
function shape(text: string): string {
  let output = "";
  let copied = 0;
  let index = 0;
  while (index < text.length) {
    const first = text.charCodeAt(index);
    if (!isAlphanumeric(first)) {
      // The digits of a percent-encoding are not numbers: otherwise titles in other scripts would all have one pattern.
      index += first === PERCENT && isHex(text.charCodeAt(index + 1)) && isHex(text.charCodeAt(index + 2)) ? 3 : 1;
      continue;
    }
    // One word: letters and digits up to the next other character.
    let digits = 0;
    let hexLetters = 0;
    let end = index;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (isDigit(code)) digits++;
      else if (isHexLetter(code)) hexLetters++;
      else if (!isAlphanumeric(code)) break;
    }
    const length = end - index;
    let mark = "";
    if (length === 8 && digits + hexLetters === 8 && text.charCodeAt(end) === DASH) {
      const uuid = matchLength(UUID, text, index);
      if (uuid > 0) {
        mark = "H";
        end = index + uuid;
      }
    }
    if (mark === "" && digits === length && length === 4) {
      const date = matchLength(DATE, text, index);
      if (date > 0) {
        mark = "D";
        end = index + date;
      }
    }
    if (mark === "" && digits > 0) {
      if (digits === length) mark = "N";
      else if (length >= SHORTEST_HEX && digits + hexLetters === length) mark = "H";
      else mark = text.slice(index, end).replace(/\d+/g, "N");
    }
    if (mark !== "") {
      output += text.slice(copied, index) + mark;
      copied = end;
    }
    index = end;
  }
  return copied === 0 ? text : output + text.slice(copied);
}

function valueClass(value: string): string {
  if (value === "") return "";
  const shaped = shape(value);
  return shaped === "N" || shaped === "H" || shaped === "D" ? shaped : "*";
}

function queryShape(query: string): string {
  const shapes = new Set<string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    if (equals < 0) shapes.add(shape(pair));
    else shapes.add(`${shape(pair.slice(0, equals))}=${valueClass(pair.slice(equals + 1))}`);
  }
  return [...shapes].sort().join("&");
}

export function urlPattern(url: string): string {
  const text = pathAndQueryOf(url);
  const question = text.indexOf("?");
  if (question < 0) return shape(text);
  return `${shape(text.slice(0, question))}?${queryShape(text.slice(question + 1))}`;
}
