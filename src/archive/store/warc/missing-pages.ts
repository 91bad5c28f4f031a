/**
 * Stored pages that no WARC has: they were archived without WARCs, or their records were lost or damaged. What was recorded
 * while WARCs were written must be in one, so its absence is damage. Memory: 16 to 20 bytes per capture and per URL.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { SeenTable } from "../../../kernel/seen.ts";
import { isMissing as isNoFile } from "../../../storage/durable.ts";
import { type Line, readLines } from "../../../storage/read-lines.ts";
import { readMetadata } from "../metadata-record.ts";
import { parseCdxj, REVISIT_MIME } from "./cdxj.ts";
import { readChoice, type WarcBeginning, warcsBeganAt } from "./warc-choice.ts";
import { CDXJ_SUFFIX, namesIn, OPEN_SUFFIX } from "./warc-file.ts";

export interface MissingPagesOptions {
  /** An export leaves out files that are still being written. */
  suffixes?: readonly string[];
  /** Called with each line of the metadata whose page is in no WARC. */
  onMissing?: (url: string, line: Line) => void;
}

/** How many stored pages the WARCs do not have as they were last fetched. */
export async function missingPages(
  folder: string,
  metadataPath: string,
  { suffixes = [CDXJ_SUFFIX], onMissing = () => {} }: MissingPagesOptions = {},
): Promise<number> {
  // The metadata before the indexes: what a run records in the meantime may not be in what was read of them.
  const end = await sizeOf(metadataPath);
  const has = await capturesIn(folder, suffixes);
  const pages = new SeenTable();
  let missing = 0;
  for await (const { record, line } of readMetadata(metadataPath, () => {})) {
    if (line.offset >= end) break;
    const { url, content_sha256: sha256 } = record;
    if (sha256 === "") continue;
    const isMissing = !has(url, `sha256:${sha256}`);
    missing += Number(isMissing) - Number(pages.get(url) === MISSING);
    pages.set(url, isMissing ? MISSING : PRESENT);
    if (isMissing) onMissing(url, line);
  }
  return missing;
}

export interface WarcPaths extends WarcBeginning {
  warc: string;
}

/**
 * The same for a whole workspace, with files that are still being written. Null for one that has never written WARCs. `onLost`
 * gets the pages that were in a WARC once.
 */
export async function pagesNotInWarcs(
  paths: WarcPaths,
  onLost: (url: string, line: Line) => void = () => {},
): Promise<number | null> {
  const { warc, warcChoice, metadata } = paths;
  const isWithout = (await readChoice(warcChoice)) !== true && (await namesIn(warc)).length === 0;
  if (isWithout) return null;
  const from = (await warcsBeganAt(paths)) ?? Number.POSITIVE_INFINITY;
  return missingPages(warc, metadata, {
    suffixes: [CDXJ_SUFFIX, CDXJ_SUFFIX + OPEN_SUFFIX],
    onMissing: (url, line) => {
      if (line.offset >= from) onLost(url, line);
    },
  });
}

async function capturesIn(folder: string, suffixes: readonly string[]) {
  const captured = new SeenTable();
  const payloads = new SeenTable();
  const indexes = async () => (await namesIn(folder)).filter((name) => suffixes.some((end) => name.endsWith(end)));
  let names: string[];
  do {
    names = await indexes();
    for (const name of names) {
      for await (const { bytes } of readLines(join(folder, name))) {
        const entry = parseCdxj(bytes.toString())?.entry;
        if (entry === undefined) continue;
        captured.set(`${entry.digest} ${entry.url}`, 1);
        if (entry.mime !== REVISIT_MIME) payloads.set(entry.digest, 1);
      }
    }
    // A file that was finished in the meantime has got another name.
  } while ((await indexes()).join() !== names.join());
  // A revisit without the record that it refers to shows nothing.
  return (url: string, digest: string): boolean => captured.get(`${digest} ${url}`) !== 0 && payloads.get(digest) !== 0;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isNoFile(error)) return 0;
    throw error;
  }
}

const PRESENT = 1;
const MISSING = 2;
