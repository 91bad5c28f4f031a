/** Numbers, sizes, times and dates as text in the user's locale. Pure: the current time is passed in. */

const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const wholePercent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "long" });

/** Shown where there is no value. */
export const NOTHING = "–";

export const formatNumber = (value: number | null | undefined): string =>
  isMissing(value) ? NOTHING : number.format(value);

/** Short enough for a tile or a badge: 12.3K. */
export const formatCompact = (value: number | null | undefined): string =>
  isMissing(value) ? NOTHING : Math.abs(value) < 10_000 ? number.format(value) : compact.format(value);

/** A share of a whole. More than nothing never shows as 0%, and less than everything never as 100%. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return NOTHING;
  const share = part / whole;
  if (part > 0 && share < 0.001) return `<${percent.format(0.001)}`;
  if (part < whole && share > 0.999) return `>${percent.format(0.999)}`;
  return share >= 0.1 ? wholePercentUnlessFull(share) : percent.format(share);
}

const wholePercentUnlessFull = (share: number): string =>
  wholePercent.format(share < 1 ? Math.min(share, 0.99) : share);

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** Bytes in decimal units, as disks and networks count. */
export function formatBytes(bytes: number | null | undefined): string {
  if (isMissing(bytes)) return NOTHING;
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = unit === 0 || Math.abs(value) >= 99.95 ? number.format(Math.round(value)) : oneDigit.format(value);
  return `${text} ${BYTE_UNITS[unit]}`;
}

/** A span of time: 340 ms, 4.2 s, 3 min 12 s, 2 h 5 min, 3 d 4 h. */
export function formatDuration(ms: number | null | undefined): string {
  if (isMissing(ms)) return NOTHING;
  if (ms < 1000) return `${number.format(Math.round(ms))} ms`;
  if (ms < 59_950) return `${oneDigit.format(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return pair(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  `${number.format(large)} ${largeUnit}${small === 0 ? "" : ` ${small} ${smallUnit}`}`;

export const formatRate = (perSecond: number | null | undefined): string =>
  isMissing(perSecond)
    ? NOTHING
    : `${perSecond >= 100 ? number.format(Math.round(perSecond)) : oneDigit.format(perSecond)}/s`;

/** As the server writes it, or in ms since 1970. */
export type Instant = string | number;
export const msOf = (time: Instant): number => (typeof time === "string" ? Date.parse(time) : time);

const written = (format: Intl.DateTimeFormat, time: Instant | null | undefined): string => {
  const ms = time === null || time === undefined ? Number.NaN : msOf(time);
  return Number.isNaN(ms) ? NOTHING : format.format(ms);
};

export const formatDateTime = (time: Instant | null | undefined): string => written(dateTime, time);
/** In another time zone, or in our own if there is no such zone. */
export function formatDateTimeIn(time: Instant, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone }).format(msOf(time));
  } catch {
    return formatDateTime(time);
  }
}
export const formatDate = (time: Instant | null | undefined): string => written(dateOnly, time);
export const formatClock = (time: Instant | null | undefined): string => written(clock, time);

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** How long ago, or how long until. */
export function formatRelative(time: Instant, now: number): string {
  const distance = msOf(time) - now;
  for (const [unit, size] of STEPS) {
    if (Math.abs(distance) >= size) return relative.format(Math.trunc(distance / size), unit);
  }
  return Math.abs(distance) < 10_000 ? "just now" : relative.format(Math.trunc(distance / 1000), "second");
}

/** One page, two pages. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`;

const isMissing = (value: number | null | undefined): value is null | undefined =>
  value === null || value === undefined || Number.isNaN(value);
