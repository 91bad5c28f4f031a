/** What exports of WARCs share: `export warc`, and which pages of the archive the WARCs do not have. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TrawlError } from "../../../errors.ts";
import { SeenTable } from "../../../kernel/seen.ts";
import { readLines } from "../../../storage/read-lines.ts";
import { readMetadata } from "../metadata-record.ts";
import { parseCdxj, REVISIT_MIME } from "./cdxj.ts";
import { assertIntact } from "./verify-warcs.ts";
import { readChoice } from "./warc-choice.ts";
import { CDXJ_SUFFIX, namesIn, OPEN_SUFFIX, WARC_SUFFIX } from "./warc-file.ts";

export interface JoinedWarcs {
  warcs: number;
  bytes: number;
}

/**
 * `export warc`: the finished WARCs of a folder as one. A WARC is a sequence of gzip members, so they are concatenated.
 * Those still being written are left out; damaged ones are refused, before anything is written. Ends the stream.
 */
export async function joinWarcs(
  folder: string,
  output: Writable | ((pieces: AsyncIterable<Buffer>) => Promise<void>),
): Promise<JoinedWarcs> {
  const warcs = (await namesIn(folder)).filter((name) => name.endsWith(WARC_SUFFIX));
  if (warcs.length === 0) throw new TrawlError("NOTHING_TO_EXPORT", `There is no finished WARC in ${folder}.`);
  await assertIntact(folder);
  let bytes = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const name of warcs) {
      for await (const piece of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
        bytes += piece.length;
        yield piece;
      }
    }
  }
  await pipeline(pieces, output);
  return { warcs: warcs.length, bytes };
}

/**
 * How many stored pages the WARCs do not have, as they were last fetched: they were archived without `--warc`, or their records
 * were lost or damaged. An export leaves out files that are still being written. Memory: 16 to 20 bytes per capture and per URL.
 */
export async function missingPages(
  folder: string,
  metadataPath: string,
  suffixes: readonly string[] = [CDXJ_SUFFIX],
): Promise<number> {
  const captured = new SeenTable();
  const payloads = new SeenTable();
  for (const name of await namesIn(folder)) {
    if (!suffixes.some((suffix) => name.endsWith(suffix))) continue;
    for await (const { bytes } of readLines(join(folder, name))) {
      const entry = parseCdxj(bytes.toString())?.entry;
      if (entry === undefined) continue;
      captured.set(`${entry.digest} ${entry.url}`, 1);
      if (entry.mime !== REVISIT_MIME) payloads.set(entry.digest, 1);
    }
  }
  // A revisit without the record that it refers to shows nothing.
  const has = (url: string, digest: string): boolean =>
    captured.get(`${digest} ${url}`) !== 0 && payloads.get(digest) !== 0;
  const pages = new SeenTable();
  let missing = 0;
  for await (const { record } of readMetadata(metadataPath, () => {})) {
    const { url, content_sha256: sha256 } = record;
    if (sha256 === "") continue;
    const isMissing = !has(url, `sha256:${sha256}`);
    missing += Number(isMissing) - Number(pages.get(url) === MISSING);
    pages.set(url, isMissing ? MISSING : PRESENT);
  }
  return missing;
}

/** The same for a whole workspace, with files that are still being written. Null for one that has never written WARCs. */
export async function pagesNotInWarcs({ warc, warcChoice, metadata }: WarcPaths): Promise<number | null> {
  const isWithout = (await readChoice(warcChoice)) !== true && (await namesIn(warc)).length === 0;
  return isWithout ? null : missingPages(warc, metadata, [CDXJ_SUFFIX, CDXJ_SUFFIX + OPEN_SUFFIX]);
}

export interface WarcPaths {
  warc: string;
  warcChoice: string;
  metadata: string;
}

const PRESENT = 1;
const MISSING = 2;
