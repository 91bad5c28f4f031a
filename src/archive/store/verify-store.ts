/**
 * Checks whether the metadata is true: reads every line, compares every page it names with the bytes in the store, and
 * lists anything else in the store. Takes 16 to 20 bytes of memory per page, whatever its size.
 */
import { TrawlError } from "../../errors.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { isSystemError } from "../../storage/durable.ts";
import type { Line } from "../../storage/read-lines.ts";
import type { BlobStore } from "./blob-store.ts";
import { type MetadataRecord, readMetadata, urlOfLine } from "./metadata-record.ts";
import type { MetadataCheck } from "./metadata-sums.ts";

export type Problem =
  /** A line that is not a record, or not as it was written, with its URL where the URL can still be read. */
  | { kind: "damaged_line"; line: number; why: string; url: string | null }
  /** A line that should follow the one before this position. */
  | { kind: "missing_line"; line: number }
  /** The page of a line is not in the store, or its bytes do not match its name. */
  | { kind: "missing_blob" | "corrupt_blob"; line: number; url: string; depth: number; sha256: string }
  /** Counted as fetched, but no good line says so. The depth is that of the URL fetched before it. */
  | { kind: "lost_url"; url: string; depth: number }
  /** A line that a crash left before its URL counted as fetched. Harmless: the next run drops it. */
  | { kind: "unsettled_line"; line: number; url: string | null }
  /** A page that no line names, left by a crash between storing and recording. Harmless. */
  | { kind: "orphan"; sha256: string; file: string }
  /** A temporary file of a write that a crash interrupted. Harmless. */
  | { kind: "leftover"; sha256: string; file: string }
  /** The search index is damaged. It can be rebuilt. */
  | { kind: "damaged_search"; file: string };

export interface VerifyCounts {
  lines: number;
  /** Lines that name a page. */
  pages: number;
  /** Distinct pages that are intact, and their bytes. */
  blobs: number;
  bytes: number;
  problems: Record<Problem["kind"], number>;
}

export interface VerifyOptions {
  metadataPath: string;
  blobs: BlobStore;
  /** URLs that the ledger counts as fetched and recorded. If absent, lost lines cannot be noticed. */
  fetchedUrls?: AsyncIterable<string>;
  /** Whether a line was written but never settled; it may be torn. If absent, only a torn last line counts as such. */
  isUnsettled?: (record: MetadataRecord | null, line: Line) => boolean;
  /** Which lines are not as they were written. If absent, only lines that are not records are noticed. */
  check?: MetadataCheck;
  /** Called with each problem as it is found. */
  onProblem: (problem: Problem) => void;
  /** Called often with the counts so far. */
  onProgress?: (counts: VerifyCounts) => void;
  signal?: AbortSignal;
}

const WHOLE = 1;
const MISSING = 2;
const CORRUPT = 3;

export async function verifyArchive(options: VerifyOptions): Promise<VerifyCounts> {
  const { blobs, fetchedUrls } = options;
  const counts = noCounts();
  const checked = new SeenTable();
  const recorded = fetchedUrls === undefined ? null : new SeenTable();

  const report = (problem: Problem): void => {
    counts.problems[problem.kind]++;
    options.onProblem(problem);
  };
  const step = (): void => {
    options.signal?.throwIfAborted();
    options.onProgress?.(counts);
  };
  const check = async (sha256: string): Promise<number> => {
    const known = checked.get(sha256);
    if (known !== 0) return known;
    const bytes = await readBlob(blobs, sha256);
    const state = bytes === null ? MISSING : bytes === "corrupt" ? CORRUPT : WHOLE;
    checked.set(sha256, state);
    if (state === WHOLE) {
      counts.blobs++;
      counts.bytes += bytes!.length;
    }
    return state;
  };

  const records = readMetadata(options.metadataPath, ({ line, why }) => {
    counts.lines++;
    const url = urlOfLine(line.bytes);
    const isBad = options.check?.bad.has(line.number) ?? false;
    // A crash tore it while it was being written. If it had counted, its URL is reported missing below.
    if (!isBad && (line.flaw === "torn" || options.isUnsettled?.(null, line))) {
      report({ kind: "unsettled_line", line: line.number, url });
    } else report({ kind: "damaged_line", line: line.number, why, url });
  });
  for (const line of options.check?.missing ?? []) report({ kind: "missing_line", line });
  for await (const { record, line } of records) {
    counts.lines++;
    if (options.check?.bad.has(line.number)) {
      report({ kind: "damaged_line", line: line.number, why: "not as it was written", url: record.url });
      continue;
    }
    const { url, depth, content_sha256: sha256 } = record;
    let state = WHOLE;
    if (sha256 !== "") {
      counts.pages++;
      state = await check(sha256);
      if (state !== WHOLE) {
        report({ kind: state === MISSING ? "missing_blob" : "corrupt_blob", line: line.number, url, depth, sha256 });
      }
    }
    if (options.isUnsettled?.(record, line)) report({ kind: "unsettled_line", line: line.number, url });
    if (state === WHOLE) recorded?.set(url, depth + 1);
    step();
  }
  let depth = 0;
  for await (const url of fetchedUrls ?? []) {
    const found = recorded!.get(url);
    if (found === 0) report({ kind: "lost_url", url, depth });
    else depth = found - 1;
  }
  for await (const { kind, sha256, file } of blobs.each()) {
    if (kind === "leftover") report({ kind, sha256, file });
    else if (checked.get(sha256) === 0) report({ kind: "orphan", sha256, file });
    step();
  }
  return counts;
}

/** A page with other bytes, or on a failing disk, is corrupt; a page that we may not read is an error. */
async function readBlob(blobs: BlobStore, sha256: string): Promise<Buffer | "corrupt" | null> {
  try {
    return await blobs.read(sha256);
  } catch (error) {
    if (!(error instanceof TrawlError)) throw error;
    const { cause } = error;
    if (error.code === "ARCHIVE_DAMAGED" || (isSystemError(cause) && cause.code === "EIO")) return "corrupt";
    throw error;
  }
}

const noCounts = (): VerifyCounts => ({
  lines: 0,
  pages: 0,
  blobs: 0,
  bytes: 0,
  problems: {
    damaged_line: 0,
    missing_line: 0,
    missing_blob: 0,
    corrupt_blob: 0,
    lost_url: 0,
    unsettled_line: 0,
    orphan: 0,
    leftover: 0,
    damaged_search: 0,
  },
});
