/** Chooses among fetched URLs by the line of their last fetch: failures, status, age, type or URL. */
import { TrawlError } from "../errors.ts";
import { compileFilter } from "../web/filter.ts";
import { isFailure } from "./failed-urls.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

/** Plain JSON, because the ledger remembers the choice until everything in it is queued. */
export interface Choice {
  /** Only URLs whose last fetch failed. */
  failed?: boolean;
  /** Only URLs that were last fetched before this time, in seconds since 1970. */
  before?: number;
  /** Only these statuses: from, to. 0 stands for no answer. */
  statuses?: [from: number, to: number][];
  /** Only these page types. */
  types?: string[];
  /** Only URLs that match one of these patterns: globs, or regular expressions between slashes. */
  match?: string[];
}

type LineFacts = Pick<
  MetadataRecord,
  "url" | "timestamp" | "http_status" | "page_type" | "content_sha256" | "metadata"
>;

/**
 * Whether a line is chosen. Statuses that were asked for count as failures, even those that usually do not, such as
 * 404.
 */
export function chooser({ failed, before, statuses, types, match }: Choice): (line: LineFacts) => boolean {
  const filters = match?.map(compileFilter);
  const hasStatus = ({ http_status }: LineFacts) =>
    statuses!.some(([from, to]) => from <= http_status && http_status <= to);
  return (line) =>
    (!failed || isFailure(line) || (statuses !== undefined && (line.http_status === 0 || line.http_status >= 400))) &&
    (before === undefined || line.timestamp < before) &&
    (statuses === undefined || hasStatus(line)) &&
    (types === undefined || types.includes(line.page_type)) &&
    (filters === undefined || filters.some((filter) => filter.matches(line.url)));
}

/** `503`, `5xx`, or `0` for no answer. */
export function parseStatuses(written: readonly string[]): [from: number, to: number][] {
  return written.map((text) => {
    const [, digit, rest] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? [];
    if (text === "0") return [0, 0];
    if (digit === undefined) {
      throw new TrawlError("BAD_USAGE", `"${text}" is not a status: write 503, 5xx, or 0 for no answer.`);
    }
    const from = Number(digit) * 100;
    return /x/i.test(rest!) ? [from, from + 99] : [Number(text), Number(text)];
  });
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds of an age such as `90s`, `30m`, `12h`, `7d` or `2w`. */
export function parseAge(written: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/i.exec(written) ?? [];
  if (unit === undefined) {
    throw new TrawlError("BAD_USAGE", `"${written}" is not an age: write a number and a unit, such as 12h, 7d or 2w.`);
  }
  return Number(number) * UNIT_SECONDS[unit.toLowerCase()]!;
}

/** The page types that these names mean: an exact name, or the beginning of exactly one. */
export function parseTypes(written: readonly string[], known: readonly string[]): string[] {
  const names = [...new Set(known)];
  return written.map((text) => {
    const meant = names.includes(text) ? [text] : names.filter((name) => name.startsWith(text));
    if (meant.length === 1) return meant[0]!;
    throw new TrawlError("BAD_USAGE", `"${text}" is not a page type of this archive: they are ${names.join(", ")}.`);
  });
}
