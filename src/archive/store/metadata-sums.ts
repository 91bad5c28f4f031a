/**
 * `crawl_metadata.jsonl.sums`: a sum for each line of the metadata, whose own format is fixed. The commits of the
 * ledgers record how far the metadata goes and its running sum at that point; the sums tell which line differs from
 * what was written.
 */
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { TrawlError } from "../../errors.ts";
import { align } from "../../storage/align.ts";
import { replaceFile } from "../../storage/durable.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { formatSum, parseSum, sumOf } from "../../storage/line-sums.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import type { MetadataRecord } from "./metadata-record.ts";

export const sumsPath = (metadataPath: string): string => `${metadataPath}.sums`;

/** What a ledger that writes to the metadata has committed. */
export interface Committed {
  /** Null when it has never committed. Without a sum in a ledger from before there were sums. */
  mark: { bytes: number; sum: number | null } | null;
  /** It was closed after its last commit, so nothing of its own follows that commit. */
  isClosed: boolean;
  /** Its last commits are lost: lines after the mark may be theirs. */
  isEndLost: boolean;
  /** Whether it wrote the line. */
  isOwn: (record: MetadataRecord) => boolean;
}

export interface MetadataDamage {
  file: string;
  line: number;
  what: string;
}

export interface MetadataCheck {
  /** What is wrong, in the metadata and in its sums. */
  damaged: MetadataDamage[];
  /** Line numbers in the metadata whose lines differ from what was written, … */
  bad: Set<number>;
  /** … and positions where a line is missing. */
  missing: number[];
  /** The first line after the last commit, where a crash left it and those after it; null if there is none. */
  tail: number;
  /** Where the lines that count end, and the running sum there. Valid when nothing is damaged. */
  bytes: number;
  running: number;
}

/** The last mark of any ledger; null when none of them has a sum. */
export function lastMark(ledgers: readonly Committed[]): { bytes: number; sum: number } | null {
  let last: { bytes: number; sum: number } | null = null;
  for (const { mark } of ledgers) {
    if (mark === null || mark.sum === null || (last !== null && mark.bytes <= last.bytes)) continue;
    last = { bytes: mark.bytes, sum: mark.sum };
  }
  return last;
}

/** Compares the metadata with its sums and with what the ledgers say. Changes nothing. */
export async function checkMetadata(path: string, ledgers: readonly Committed[]): Promise<MetadataCheck> {
  const last = lastMark(ledgers);
  const isOpenEnded = last === null || ledgers.some(({ isEndLost }) => isEndLost);
  const walk = await walkThrough(path, ledgers, isOpenEnded ? Number.POSITIVE_INFINITY : last.bytes);
  const { lines, bytes, running, differsAt } = walk;
  const check: MetadataCheck = { damaged: [], bad: new Set(), missing: [], tail: lines + 1, bytes, running };
  // Nothing vouches for the sums, so the metadata is taken as it is.
  if (last === null) return check;
  const mayHaveTail = isOpenEnded || ledgers.some(({ isClosed }) => !isClosed);
  if (!walk.isAsMarked || (isOpenEnded && differsAt !== null)) {
    return { ...check, ...(await locateDamage(path, isOpenEnded ? null : last.sum, mayHaveTail)) };
  }
  const [file, sums] = [basename(path), basename(sumsPath(path))];
  if (differsAt !== null) check.damaged.push({ file: sums, line: differsAt, what: "is damaged" });
  else if (walk.hasMoreSums && !mayHaveTail) check.damaged.push({ file: sums, line: lines + 1, what: "was added" });
  if (walk.hasMore && !mayHaveTail) {
    check.damaged.push({ file, line: lines + 1, what: "was added" });
    for await (const { number } of readLines(path)) if (number > lines) check.bad.add(number);
  }
  return check;
}

interface Walk {
  /** What was walked through. */
  lines: number;
  bytes: number;
  running: number;
  /** Whether the running sums match those that the ledgers have committed. */
  isAsMarked: boolean;
  /** The first line whose sum differs; null if there isn't one. */
  differsAt: number | null;
  hasMore: boolean;
  hasMoreSums: boolean;
}

/** Reads the metadata next to its sums, up to the last mark. */
async function walkThrough(path: string, ledgers: readonly Committed[], until: number): Promise<Walk> {
  const wanted = new Map<number, number | null>();
  for (const { mark } of ledgers) if (mark !== null && mark.sum !== null) wanted.set(mark.bytes, mark.sum);
  const walk: Walk = {
    lines: 0,
    bytes: 0,
    running: 0,
    isAsMarked: wanted.get(0) === undefined || wanted.get(0) === 0,
    differsAt: null,
    hasMore: false,
    hasMoreSums: false,
  };
  wanted.delete(0);
  const sums = readLines(sumsPath(path));
  for await (const { bytes, length, flaw } of readLines(path)) {
    if (walk.bytes >= until || flaw !== null) {
      walk.hasMore = true;
      break;
    }
    const sum = sumOf(bytes, walk.running);
    const stated = (await sums.next()).value as Line | undefined;
    walk.lines++;
    if (stated === undefined || stated.flaw !== null || stated.bytes.toString("latin1") !== formatSum(sum)) {
      walk.differsAt ??= walk.lines;
    }
    walk.bytes += length + 1;
    walk.running = sum.running;
    const marked = wanted.get(walk.bytes);
    if (marked === undefined) continue;
    wanted.delete(walk.bytes);
    if (marked !== sum.running) walk.isAsMarked = false;
  }
  if (wanted.size > 0) walk.isAsMarked = false;
  walk.hasMoreSums = !(await sums.next()).done;
  await sums.return(undefined);
  return walk;
}

/** The metadata is not as it was committed: finds out which lines are to blame. */
async function locateDamage(path: string, lastSum: number | null, mayHaveTail: boolean) {
  const file = basename(path);
  const counted = lastSum === null ? Number.POSITIVE_INFINITY : await countedSums(path, lastSum);
  const damaged: MetadataDamage[] = [];
  const bad = new Set<number>();
  const missing: number[] = [];
  const addBad = (line: number): void => {
    bad.add(line);
    damaged.push({ file, line, what: "is not as it was written" });
  };
  let extra: number[] = [];
  let lost = 0;
  let [entries, before, tail] = [0, 0, 0];
  const addMissing = (): void => {
    for (; lost > 0; lost--) {
      missing.push(before + 1);
      damaged.push({ file, line: before + 1, what: "is missing" });
    }
  };
  for await (const { entry, line, isSpoilt } of align(sumEntries(path), checkedLines(path))) {
    if (entry !== null) entries++;
    const counts = entries <= counted;
    if (line === null) {
      if (counts) lost++;
      continue;
    }
    // A line in the place of a lost one is that line, changed.
    if (entry === null && isSpoilt && lost > 0) lost--;
    else if (entry !== null) addMissing();
    before = line.number;
    if (entry !== null && counts) {
      for (const number of extra) addBad(number);
      [extra, tail] = [[], 0];
    } else if (entry === null && isSpoilt) addBad(before);
    else {
      tail ||= before;
      if (entry === null) extra.push(before);
    }
  }
  addMissing();
  if (!mayHaveTail) for (const number of extra) addBad(number);
  if (damaged.length === 0) {
    missing.push(before + 1);
    damaged.push({ file, line: before + 1, what: "is missing" });
  }
  return { damaged, bad, missing, tail: mayHaveTail && tail > 0 ? tail : before + 1 };
}

/** How many sums belong to what was committed; all of them when the last one cannot be found. */
async function countedSums(path: string, lastSum: number): Promise<number> {
  let counted = 0;
  for await (const { running, number } of sumEntries(path)) if (running === lastSum) counted = number;
  return counted === 0 ? Number.POSITIVE_INFINITY : counted;
}

interface SumEntry {
  number: number;
  check: number;
  running: number;
}

/** A sum that cannot be read belongs to no line. */
const NO_CHECK = -1;

async function* sumEntries(path: string): AsyncGenerator<SumEntry> {
  for await (const { number, bytes, flaw } of readLines(sumsPath(path))) {
    const sum = flaw === null ? parseSum(bytes.toString("latin1")) : null;
    yield { number, check: sum?.own ?? NO_CHECK, running: sum?.running ?? NO_CHECK };
  }
}

async function* checkedLines(path: string): AsyncGenerator<{ number: number; check: number }> {
  for await (const { number, bytes, flaw } of readLines(path)) {
    yield { number, check: flaw === null ? crc32(bytes) : NO_CHECK - 1 };
  }
}

/** Writes the sums of a metadata file that is known to be good. */
export async function writeSums(path: string, fs?: FileSystem): Promise<RecordsEnd> {
  const end = { bytes: 0, sum: 0 };
  await replaceFile(
    sumsPath(path),
    async (handle) => {
      let text = "";
      for await (const { bytes, length } of readLines(path)) {
        const sum = sumOf(bytes, end.sum);
        end.bytes += length + 1;
        end.sum = sum.running;
        text += `${formatSum(sum)}\n`;
        if (text.length < BLOCK) continue;
        await handle.writeFile(text);
        text = "";
      }
      await handle.writeFile(text);
    },
    { fs },
  );
  return end;
}

/** How far the metadata goes: its length, and its running sum. */
export interface RecordsEnd {
  bytes: number;
  sum: number;
}

const BLOCK = 1 << 20;

/** The error for metadata that is not as it was committed. */
export const metadataDamaged = (path: string, { file, line, what }: MetadataDamage): TrawlError =>
  new TrawlError("ARCHIVE_DAMAGED", `${join(dirname(path), file)} line ${line} ${what}.`);
