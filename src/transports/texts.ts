/** Texts that several transports use: foreign text made safe to show, counts, durations, sizes and times. */

import { domainToUnicode } from "node:url";

/**
 * C0 and C1 control characters, DEL, line separators, the marks that change the direction of text (CVE-2021-42574), and what cannot
 * be seen: zero-width marks, byte order marks, tags and fillers. Arabic and Indic signs that enclose numbers can be seen.
 */
export const UNSAFE =
  /[\p{Cc}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])\p{Cf}/gu;
const BLANK = /[\t\n\r\u0085\u2028\u2029]/;

/** Foreign text for a terminal: a title must not move the cursor, set a colour or reverse the line. */
export const clean = (text: string): string => text.replace(UNSAFE, (mark) => (BLANK.test(mark) ? " " : ""));

/** The same for readers that know what a joiner means: Persian words and families of emoji are written with them. */
export const cleanKeepingJoiners = (text: string): string =>
  text.replace(UNSAFE, (mark) => (mark === "\u200c" || mark === "\u200d" ? mark : BLANK.test(mark) ? " " : ""));

/** Hosts at the beginning of a text, after `//` or as words with a dot, in Unicode. A label that mixes look-alike alphabets stays in ASCII. */
export const unicodeHosts = (text: string): string =>
  text.replace(HOST, (host) => host.split(".").map(unicodeLabel).join("."));

const HOST = /(?<=^|\/\/)[a-z0-9.-]*xn--[a-z0-9.-]+|(?<=\s)(?=\S*xn--)[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;

function unicodeLabel(label: string): string {
  const shown = label.startsWith("xn--") ? domainToUnicode(label) : label;
  const isMixed = /\p{Script=Latin}/u.test(shown) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(shown);
  return shown === "" || isMixed ? label : shown;
}

/** `1,234,567`. Written by hand: the first `Intl.NumberFormat` of a process takes longer than most commands. */
export const count = (value: number): string => String(value).replace(/(?<!\..*)\B(?=(\d{3})+(?!\d))/g, ",");

/** `1 page`, `2 pages`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A code such as `robots_disallow` in words. JSON keeps the code, and so do filters. */
export const codeWords = (code: string): string => code.replaceAll("_", " ");

/** `999`, `1.2k`, `35k`, `4.1M`: at most four characters, where there is little room. */
export function roundCount(value: number): string {
  if (value < 999.5) return String(Math.round(value));
  const [scaled, unit] =
    value < 999_500 ? [value / 1e3, "k"] : value < 999_500_000 ? [value / 1e6, "M"] : [value / 1e9, "G"];
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** `340 ms`, `4.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${two(Math.floor((seconds % 3_600) / 60))} min`;
}

/** `0:07`, `12:45`, `3:02:10`: does not jump in a line that is rewritten. */
export function stopwatch(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** Powers of a thousand, as disks and networks count. */
export function bytes(value: number): string {
  let unit = 0;
  let scaled = value;
  while (scaled >= 999.5 && unit < UNITS.length - 1) {
    scaled /= 1_000;
    unit++;
  }
  return `${unit === 0 || scaled >= 99.5 ? Math.round(scaled) : scaled.toFixed(1)} ${UNITS[unit]}`;
}

/** A time in the user's time zone, to the minute, with the zone: `2026-03-01 09:30 +01:00`. */
export function moment(time: number | string): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())} ${zoneOf(date)}`;
}

/** How far the user's clock is from UTC at that time, as a label: `UTC`, `+05:30`. */
export function zoneOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const distance = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(distance / 60))}:${two(distance % 60)}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** One setting as YAML. JSON is YAML, and needs no rules about quotes. */
export const settingLine = (name: string, value: unknown): string =>
  `${name}: ${JSON.stringify(value).replaceAll('","', '", "')}`;
