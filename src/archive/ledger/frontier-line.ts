/**
 * A line of frontier.jsonl: a URL waiting to be fetched. A line of refused.jsonl is the same, with its verdict.
 *
 * The six keys of the format come first. What else the kernel needs follows; usual values are left out. The number of
 * the commit and the id come last, before the sum, so that the id can be read without parsing the line.
 */
import { ACTIONS, type Action, type Admitted } from "../../kernel/task.ts";
import { SUM_BYTES } from "../../storage/line-sums.ts";

export interface Row extends Omit<Admitted, "meta"> {
  /** The meta of the find, as numbers. */
  via: number;
  kind: number;
  pageType: string;
  referrer: string | null;
  /** Unix time in seconds, as in all files of a workspace. */
  discoveredAt: number;
  /** The commit that wrote it: a line of a commit that never ended does not count. */
  commit: number;
}

/** A row as stored in a file. */
export interface StoredRow extends Row {
  /** The length of its line, with the newline. */
  bytes: number;
}

interface FrontierLine {
  url: string;
  depth: number;
  score: number;
  page_type: string;
  referrer: string | null;
  discovered_at: number;
  lane?: string;
  place?: number;
  parent?: number;
  via?: number;
  kind?: number;
  hops?: number;
  refetch?: true;
  verdict?: Action;
  reason?: string;
  rule?: string;
  commit: number;
  id: number;
}

/** As a JSON object; its sum is added when it is written. */
export function encodeRow(row: Row): string {
  const { key, depth, id, place, lane, parent, via, kind, hops, verdict } = row;
  const line: FrontierLine = {
    url: key,
    depth,
    // Breadth first: shallower URLs come first.
    score: depth,
    page_type: row.pageType,
    referrer: row.referrer,
    discovered_at: row.discoveredAt,
    ...(lane !== "" && { lane }),
    ...(place !== id && { place }),
    ...(parent !== 0 && { parent }),
    ...(via !== 0 && { via }),
    ...(kind !== 0 && { kind }),
    ...(hops !== 0 && { hops }),
    ...(row.refetch && { refetch: true }),
    ...(verdict.action !== "crawl" && { verdict: verdict.action }),
    ...(verdict.reason !== null && { reason: verdict.reason }),
    ...(verdict.rule !== null && { rule: verdict.rule }),
    commit: row.commit,
    id,
  };
  return JSON.stringify(line);
}

/** Null when `encodeRow` did not write the line. */
export function decodeRow(bytes: Buffer): Row | null {
  const line = parse(bytes);
  if (line === null) return null;
  const { id, place = id, lane = "", parent = 0, via = 0, kind = 0, hops = 0, verdict = "crawl" } = line;
  return {
    key: line.url,
    depth: line.depth,
    pageType: line.page_type,
    referrer: line.referrer,
    discoveredAt: line.discovered_at,
    commit: line.commit,
    verdict: { action: verdict, reason: line.reason ?? null, rule: line.rule ?? null },
    id,
    place,
    lane,
    parent,
    via,
    kind,
    hops,
    ...(line.refetch === true && { refetch: true }),
  };
}

function parse(bytes: Buffer): FrontierLine | null {
  let line: Partial<FrontierLine> | null;
  try {
    line = JSON.parse(bytes.toString());
  } catch {
    return null;
  }
  if (typeof line !== "object" || line === null) return null;
  const { url, id, place = 1, commit, depth, lane = "", verdict = "crawl", parent = 0, reason = "", rule = "" } = line;
  const counts = [depth, parent, line.via ?? 0, line.kind ?? 0, line.hops ?? 0, commit];
  const texts = [url, line.page_type, lane, reason, rule, line.referrer ?? ""];
  const isGood =
    texts.every((text) => typeof text === "string") &&
    counts.every((count) => Number.isSafeInteger(count) && count! >= 0) &&
    [id, place].every((count) => Number.isSafeInteger(count) && count! > 0) &&
    typeof line.discovered_at === "number" &&
    ACTIONS.includes(verdict);
  return isGood ? (line as FrontierLine) : null;
}

const ZERO = 0x30;
const NINE = 0x39;
const ID_KEY = Buffer.from('"id":');
const SUM_KEY = Buffer.from(',"sum":"');

/** The id of a line without parsing it: the number before its sum, or before its end. 0 if there isn't one. */
export function idAtEnd(bytes: Buffer): number {
  let id = 0;
  const sumAt = bytes.length - SUM_BYTES;
  const hasSum = sumAt > 0 && bytes.subarray(sumAt, sumAt + SUM_KEY.length).equals(SUM_KEY);
  let at = hasSum ? sumAt - 1 : bytes.length - 2;
  for (let scale = 1; at >= 0 && bytes[at]! >= ZERO && bytes[at]! <= NINE; at--, scale *= 10) {
    id += (bytes[at]! - ZERO) * scale;
  }
  const key = bytes.subarray(Math.max(0, at + 1 - ID_KEY.length), at + 1);
  return key.equals(ID_KEY) ? id : 0;
}
