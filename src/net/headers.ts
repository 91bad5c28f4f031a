/** Response headers: the pairs as received, values by name, dates, and how long the server asks us to wait. */
import { isUtf8 } from "node:buffer";
import { FetchError } from "./fetch-errors.ts";

/** Raw pairs in the order received, names in lower case. */
export type HeaderPairs = [name: string, value: string][];

/** The first value of that name; null when absent. `name` in lower case. */
export function headerValue(headers: HeaderPairs, name: string): string | null {
  for (const pair of headers) if (pair[0] === name) return pair[1];
  return null;
}

/** Every value of that name, for fields that may repeat (`x-robots-tag`, `link`, `set-cookie`). */
export function headerValues(headers: HeaderPairs, name: string): string[] {
  return headers.filter((pair) => pair[0] === name).map((pair) => pair[1]);
}

/** `Retry-After` (RFC 9110 section 10.2.3), seconds or a date, as ms from now; null when it says neither. */
export function parseRetryAfter(value: string, now: number): number | null {
  const text = value.trim();
  const seconds = readSeconds(text);
  if (seconds !== null) return seconds * 1000;
  const date = parseHttpDate(text, now);
  return date === null ? null : Math.max(0, date - now);
}

/**
 * A rate limit's reset as ms from now. Some servers send seconds to wait, some a Unix time, some that in
 * milliseconds; the sizes do not overlap: 1e9 seconds of waiting is 31 years, 1e11 as a Unix time is the year 5138.
 */
export function parseRateLimitReset(value: string, now: number): number | null {
  const seconds = readSeconds(value.trim());
  if (seconds === null) return null;
  if (seconds < 1e9) return seconds * 1000;
  return Math.max(0, (seconds < 1e11 ? seconds * 1000 : seconds) - now);
}

/** How long the server asks us to wait, in ms: `Retry-After` first, then the reset of a rate limit that is used up. */
export function serverDelay(headers: HeaderPairs, now: number): number | null {
  const retryAfter = headerValue(headers, "retry-after");
  const delay = retryAfter === null ? null : parseRetryAfter(retryAfter, now);
  if (delay !== null) return delay;
  for (const prefix of ["ratelimit", "x-ratelimit"]) {
    const reset = headerValue(headers, `${prefix}-reset`);
    // The reset is sent with every answer; it asks for a pause only when nothing remains.
    const remaining = headerValue(headers, `${prefix}-remaining`);
    if (reset === null || (remaining !== null && remaining.trim() !== "0")) continue;
    const wait = parseRateLimitReset(reset, now);
    if (wait !== null) return wait;
  }
  return null;
}

function readSeconds(text: string): number | null {
  return /^\d{1,16}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null;
}

/** RFC 9113 section 6.5.2 counts 32 bytes for each field besides its name and value. */
const FIELD_OVERHEAD = 32;

/** Roughly what headers use in memory: an answer may have 128 KB of them, and no body that counts. */
export const headerBytes = (headers: HeaderPairs): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + FIELD_OVERHEAD, 0);

const NOT_ASCII = /[^\0-\x7f]/;
const NOT_LATIN1 = /[^\0-\xff]/;

/** Response headers as undici gives them, turned into pairs, up to a limit. */
export function headerPairs(headers: Record<string, string | string[] | undefined>, limit: number): HeaderPairs {
  const pairs: HeaderPairs = [];
  let size = 0;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    for (const text of typeof value === "string" ? [value] : value) {
      size += name.length + text.length + FIELD_OVERHEAD;
      if (size > limit) throw new FetchError("too_many_headers");
      pairs.push([name, NOT_ASCII.test(text) ? fromBytes(text) : text]);
    }
  }
  return pairs;
}

/** Header bytes arrive as Latin-1 characters; servers that send more than ASCII (in `Location`) mostly mean UTF-8. */
function fromBytes(text: string): string {
  if (NOT_LATIN1.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : text;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const IMF = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const RFC850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/**
 * Reads the three date forms of RFC 9110 section 5.6.7 strictly; `Date.parse` also accepts prose and local time.
 * Epoch ms, or null. `now` decides the century of a two-digit year.
 */
export function parseHttpDate(text: string, now: number): number | null {
  const imf = IMF.exec(text);
  if (imf !== null) return toEpoch(Number(imf[3]), imf[2]!, imf[1]!, imf[4]!, imf[5]!, imf[6]!);
  const rfc850 = RFC850.exec(text);
  if (rfc850 !== null) {
    return toEpoch(century(Number(rfc850[3]), now), rfc850[2]!, rfc850[1]!, rfc850[4]!, rfc850[5]!, rfc850[6]!);
  }
  const asctime = ASCTIME.exec(text);
  if (asctime === null) return null;
  return toEpoch(Number(asctime[6]), asctime[1]!, asctime[2]!, asctime[3]!, asctime[4]!, asctime[5]!);
}

/** RFC 9110: a two-digit year that appears to be more than 50 years ahead is in the past. */
function century(year: number, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const full = current - (current % 100) + year;
  return full > current + 50 ? full - 100 : full;
}

function toEpoch(year: number, month: string, day: string, hour: string, minute: string, second: string) {
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex < 0 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const epoch = Date.UTC(year, monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  // Date.UTC rolls 31 February over into March: such a date is an error, not the 3rd.
  return Number.isNaN(epoch) || new Date(epoch).getUTCMonth() !== monthIndex ? null : epoch;
}
