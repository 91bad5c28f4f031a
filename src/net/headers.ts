/** What response headers say: values by name, and how long the server asks us to wait. */
import { parseHttpDate } from "./http-date.ts";

/** Raw pairs in the order they came, names in lower case. */
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
    // The reset comes with every answer; it asks for a pause only when nothing remains.
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
