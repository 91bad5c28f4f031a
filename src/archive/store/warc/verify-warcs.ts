/**
 * Checks WARC files record by record, and each index against its WARC, to the byte. What a crash leaves at the end of an
 * open file is not damage. Memory holds one record, and the index of one file.
 */
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { TrawlError } from "../../../errors.ts";
import { isMissing } from "../../../storage/durable.ts";
import { type Line, readLines } from "../../../storage/read-lines.ts";
import { parseCdxj } from "./cdxj.ts";
import { pagesNotInWarcs } from "./missing-pages.ts";
import { readChoice, type WarcBeginning } from "./warc-choice.ts";
import { CDXJ_SUFFIX, namesIn, OPEN_SUFFIX, WARC_SUFFIX } from "./warc-file.ts";
import { type IndexedRecord, type ReadWarc, readWarc } from "./warc-index.ts";

export const WARC_PROBLEMS = {
  damaged_state: "the file that says whether WARCs are written is damaged",
  damaged_record: "a record of a WARC is damaged or missing",
  changed_bytes: "a record reads well, but its bytes are not those that were indexed",
  damaged_index: "a line of an index is damaged, or names no record",
  unindexed_record: "a record is missing from its index",
  missing_index: "a WARC has no index",
  missing_warc: "an index has no WARC",
  missing_capture: "a page that was recorded while WARCs were written is in none",
  torn_warc: "a crash left an unfinished page; harmless",
} as const;

export interface WarcProblem {
  kind: keyof typeof WARC_PROBLEMS;
  /** Its name. */
  file: string;
  /** In bytes. */
  offset: number;
  why: string;
  url: string | null;
}

export interface WarcCounts {
  files: number;
  /** Responses and revisits that are whole. */
  captures: number;
  bytes: number;
  /** Stored pages that no WARC has as they were last fetched; null without WARCs. */
  missingPages: number | null;
  problems: Record<WarcProblem["kind"], number>;
}

export interface VerifyWarcsOptions {
  folder: string;
  /** The file that says whether WARCs are written, and the metadata of what should be in them. */
  of?: WarcBeginning;
  onProblem: (problem: WarcProblem) => void;
  onProgress?: (counts: WarcCounts) => void;
  signal?: AbortSignal;
}

/** A WARC and its index, by the names that they have at the moment. */
export interface WarcPair {
  base: string;
  warc: string | null;
  index: string | null;
  isOpen: boolean;
}

export async function verifyWarcs(options: VerifyWarcsOptions): Promise<WarcCounts> {
  const counts = noCounts();
  const report = (problem: WarcProblem): void => {
    counts.problems[problem.kind]++;
    options.onProblem(problem);
  };
  const { folder, of } = options;
  if (of !== undefined && (await readChoice(of.warcChoice)) === "damaged") {
    const file = basename(of.warcChoice);
    report({ kind: "damaged_state", file, offset: 0, why: "it says neither yes nor no", url: null });
  }
  for (const pair of await warcPairs(folder)) {
    const onRecord = (bytes: number): void => {
      options.signal?.throwIfAborted();
      counts.bytes += bytes;
      options.onProgress?.(counts);
    };
    counts.files++;
    counts.captures += await checkPair(folder, pair, report, onRecord).catch(async (error: unknown) => {
      if (!pair.isOpen || !isMissing(error)) throw error;
      // It was finished in the meantime.
      const finished = (await warcPairs(folder)).find(({ base }) => base === pair.base);
      return finished === undefined ? 0 : checkPair(folder, finished, report, onRecord);
    });
  }
  if (of !== undefined) {
    const file = basename(of.metadata);
    const { damaged_index, unindexed_record, missing_index } = counts.problems;
    // Pages are looked up in the indexes: what these lack may well be there.
    const areIndexed = damaged_index + unindexed_record + missing_index === 0;
    counts.missingPages = await pagesNotInWarcs({ ...of, warc: folder }, (url, { offset }) => {
      if (areIndexed) report({ kind: "missing_capture", file, offset, why: "no WARC has this page", url });
    });
  }
  return counts;
}

/** Throws at the first damage in a finished WARC or its index, because nothing damaged may be exported. */
export async function assertIntact(folder: string): Promise<void> {
  for (const pair of await warcPairs(folder)) {
    if (pair.isOpen) continue;
    await checkPair(folder, pair, ({ file, offset, why }) => {
      throw new TrawlError("ARCHIVE_DAMAGED", `${join(folder, file)} is damaged at byte ${offset}: ${why}.`);
    });
  }
}

/** Returns how many captures are whole. */
async function checkPair(
  folder: string,
  { base, warc, index, isOpen }: WarcPair,
  report: (problem: WarcProblem) => void,
  onRecord?: (bytes: number) => void,
): Promise<number> {
  if (warc === null) {
    // A crash leaves an empty file while a file without captures is being removed.
    if ((await stat(join(folder, index!))).size === 0) return 0;
    report({ kind: "missing_warc", file: index!, offset: 0, why: "there is no WARC of this name", url: null });
    return 0;
  }
  // The index first: while a run writes, a record is there before its line.
  const lines = index === null ? [] : await readIndex(join(folder, index), isOpen);
  const end = lines.reduce((most, { end: at }) => Math.max(most, at), 0);
  const { size } = await stat(join(folder, warc));
  const to = isOpen && index !== null ? end : undefined;
  const read = await readWarc(join(folder, warc), base + WARC_SUFFIX, { to, onRecord });
  if (to !== undefined && size > to) {
    report({ kind: "torn_warc", file: warc, offset: to, why: `${size - to} bytes of an unfinished page`, url: null });
  }
  reportDamage(warc, read, lines, report);
  if (index === null) {
    // A crash before the first record leaves neither.
    if (read.records.length > 0)
      report({ kind: "missing_index", file: warc, offset: 0, why: "it has no index", url: null });
  } else compare({ warc, index, isSorted: !isOpen, size }, read, lines, report);
  return read.records.length;
}

interface IndexLine extends Pick<Line, "number" | "offset" | "bytes" | "flaw"> {
  /** Where its record is; -1 when the line cannot be read. */
  at: number;
  /** Where its record ends. */
  end: number;
  url: string | null;
}

async function readIndex(path: string, isOpen: boolean): Promise<IndexLine[]> {
  const lines: IndexLine[] = [];
  for await (const { number, offset, bytes, flaw } of readLines(path)) {
    // A crash cut it short.
    if (isOpen && flaw === "torn") break;
    const entry = flaw === null ? parseCdxj(bytes.toString())?.entry : undefined;
    const at = entry === undefined ? -1 : Number(entry.offset);
    const end = entry === undefined ? 0 : at + Number(entry.length);
    lines.push({ number, offset, bytes, flaw, at, end, url: entry?.url ?? null });
  }
  return lines;
}

/** Names the page of a damaged record, if the index knows it. */
function reportDamage(
  file: string,
  { damaged }: ReadWarc,
  lines: readonly IndexLine[],
  report: (problem: WarcProblem) => void,
): void {
  for (const { offset, length, why } of damaged) {
    const url = lines.find(({ at }) => at >= offset && at < offset + length)?.url ?? null;
    report({ kind: "damaged_record", file, offset, why, url });
  }
}

interface Compared {
  warc: string;
  index: string;
  isSorted: boolean;
  /** Of the WARC. */
  size: number;
}

function compare(
  { warc, index, isSorted, size }: Compared,
  { records, damaged }: ReadWarc,
  lines: readonly IndexLine[],
  report: (problem: WarcProblem) => void,
): void {
  const wanted = new Map(records.map((record) => [record.offset, record]));
  const seen = new Set<number>();
  const hasDigests = lines.some(({ bytes }) => bytes.includes(DIGEST_FIELD));
  let previous = "";
  for (const line of lines) {
    const { number, offset, bytes, at, url } = line;
    const say = (why: string): void =>
      report({ kind: "damaged_index", file: index, offset, why: `line ${number}: ${why}`, url });
    const record = wanted.get(at);
    if (at === -1) say(line.flaw === "torn" ? "it is cut short" : "it is not an index line");
    else if (seen.has(at)) say("the record has another line");
    else if (record !== undefined) {
      const flaw = flawOf(bytes, record, hasDigests);
      if (flaw === "line") say("it does not match its record");
      else if (flaw !== null) report({ ...changed(flaw, record, records), file: warc, url });
      else if (isSorted && previous > bytes.toString()) say("it is not in order");
    } else if (at >= size) {
      const why = `it is missing: the file ends at byte ${size}`;
      report({ kind: "damaged_record", file: warc, offset: at, why, url });
    } else if (!damaged.some((piece) => at >= piece.offset && at < piece.offset + piece.length)) {
      say(`no record begins at byte ${at} of ${warc}`);
    }
    seen.add(at);
    previous = bytes.toString();
  }
  for (const { offset, url } of records) {
    if (!seen.has(offset)) report({ kind: "unindexed_record", file: warc, offset, why: "it is not in the index", url });
  }
}

const DIGEST_FIELD = ',"recordDigest":"';
const BEFORE_FIELD = ',"beforeDigest":"';

/** What a line gets wrong: the line itself, or a digest of bytes in the WARC. Null when it is right. */
function flawOf(bytes: Buffer, record: IndexedRecord, hasDigests: boolean): "line" | "record" | "before" | null {
  const wanted = record.line;
  const line = bytes.toString();
  const upTo = (text: string, field: string): string => text.slice(0, text.lastIndexOf(field));
  if (!hasDigests) return line === `${upTo(wanted, DIGEST_FIELD)}}` ? null : "line";
  if (bytes.equals(Buffer.from(wanted))) return null;
  if (upTo(line, DIGEST_FIELD) !== upTo(wanted, DIGEST_FIELD) || line.length !== wanted.length) return "line";
  if (upTo(line, BEFORE_FIELD) !== upTo(wanted, BEFORE_FIELD)) return "record";
  return record.isAfterDamage ? null : "before";
}

function changed(
  flaw: "record" | "before",
  record: IndexedRecord,
  records: readonly IndexedRecord[],
): Pick<WarcProblem, "kind" | "offset" | "why"> {
  const before = records[records.indexOf(record) - 1];
  const offset = flaw === "record" ? record.offset : before === undefined ? 0 : before.offset + before.length;
  return { kind: "changed_bytes", offset, why: "the bytes do not match their digest in the index" };
}

/** Every WARC and index of a folder, in order. */
export async function warcPairs(folder: string): Promise<WarcPair[]> {
  const names = new Set(await namesIn(folder));
  const bases = new Set<string>();
  for (const name of names) {
    const base = /^(.+?)(?:\.warc\.gz|\.cdxj)(?:\.open)?$/.exec(name)?.[1];
    if (base !== undefined) bases.add(base);
  }
  const first = (...wanted: string[]): string | null => wanted.find((name) => names.has(name)) ?? null;
  return [...bases].sort().map((base): WarcPair => {
    const [warc, index] = [base + WARC_SUFFIX, base + CDXJ_SUFFIX];
    const isOpen = names.has(warc + OPEN_SUFFIX);
    if (isOpen) return { base, warc: warc + OPEN_SUFFIX, index: first(index + OPEN_SUFFIX, index), isOpen };
    // A crash at the end leaves an open index beside a finished WARC.
    const openIndex = names.has(warc) ? [] : [index + OPEN_SUFFIX];
    return { base, warc: first(warc), index: first(index, ...openIndex), isOpen };
  });
}

const noCounts = (): WarcCounts => ({
  files: 0,
  captures: 0,
  bytes: 0,
  missingPages: null,
  problems: {
    damaged_state: 0,
    damaged_record: 0,
    changed_bytes: 0,
    damaged_index: 0,
    unindexed_record: 0,
    missing_index: 0,
    missing_warc: 0,
    missing_capture: 0,
    torn_warc: 0,
  },
});
