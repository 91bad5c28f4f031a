/**
 * One WARC file while it is written, and the index beside it. Both names end in `.open` until they are finished; then
 * the index is sorted and both get their final names. A record is durable before its index line, so the index of a file
 * that a crash left open says where its last whole record ends.
 */

import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TrawlError } from "../../../errors.ts";
import { AppendFile } from "../../../storage/append-file.ts";
import { missingAsNull, replaceFile } from "../../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../../storage/file-system.ts";
import { readLines } from "../../../storage/read-lines.ts";
import { type CdxjEntry, formatCdxj, parseCdxj } from "./cdxj.ts";

export const WARC_SUFFIX = ".warc.gz";
export const CDXJ_SUFFIX = ".cdxj";
export const OPEN_SUFFIX = ".open";

export type CaptureAbout = Omit<CdxjEntry, "length" | "offset" | "filename">;

export class WarcFile {
  /** `<base>.warc.gz`, as in the index. */
  readonly name: string;
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #base: string;
  readonly #warc: AppendFile;
  readonly #index: AppendFile;

  private constructor(folder: string, base: string, warc: AppendFile, index: AppendFile, fs: FileSystem) {
    this.#fs = fs;
    this.name = base + WARC_SUFFIX;
    this.#folder = folder;
    this.#base = base;
    this.#warc = warc;
    this.#index = index;
  }

  static async create(folder: string, base: string, warcinfo: Buffer, fs = realFileSystem): Promise<WarcFile> {
    const warc = await AppendFile.open(join(folder, base + WARC_SUFFIX + OPEN_SUFFIX), fs);
    const index = await AppendFile.open(join(folder, base + CDXJ_SUFFIX + OPEN_SUFFIX), fs);
    await warc.append(warcinfo);
    return new WarcFile(folder, base, warc, index, fs);
  }

  /** Adds the request first, so that what the index covers ends with a record that it names. */
  async add(request: Buffer, record: Buffer, at: number, about: CaptureAbout): Promise<number> {
    const start = await this.#warc.append(Buffer.concat([request, record]));
    const offset = start + request.length;
    const place = { length: String(record.length), offset: String(offset), filename: this.name };
    await this.#index.append(Buffer.from(`${formatCdxj(at, { ...about, ...place })}\n`));
    return offset;
  }

  /** Must not be called while something is being added. */
  async finish(): Promise<void> {
    await this.#warc.close();
    await this.#index.close();
    await finish(this.#folder, this.#base, this.#fs);
  }
}

/** Finishes what a crash left open. Whatever follows the last indexed record was never settled, and is dropped. */
export async function recoverWarcs(
  folder: string,
  onNotice: (text: string) => void,
  fs = realFileSystem,
): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.endsWith(OPEN_SUFFIX)) continue;
    const closed = name.slice(0, -OPEN_SUFFIX.length);
    if (closed.endsWith(CDXJ_SUFFIX)) {
      // Its WARC and the sorted index have their final names already.
      const warc = join(folder, closed.slice(0, -CDXJ_SUFFIX.length) + WARC_SUFFIX + OPEN_SUFFIX);
      if ((await stat(warc).catch(missingAsNull(warc))) === null) await fs.rm(join(folder, name));
    } else if (closed.endsWith(WARC_SUFFIX)) {
      await recover(folder, closed.slice(0, -WARC_SUFFIX.length), onNotice, fs);
    }
  }
}

async function recover(folder: string, base: string, onNotice: (text: string) => void, fs: FileSystem): Promise<void> {
  const warc = join(folder, base + WARC_SUFFIX + OPEN_SUFFIX);
  const { size } = await stat(warc);
  let end = 0;
  for (const line of await indexLines(folder, base)) {
    const { offset, length } = parseCdxj(line)!.entry;
    end = Math.max(end, Number(offset) + Number(length));
  }
  if (end < size) {
    onNotice(`${warc}: a crash left ${size - end} bytes of an unfinished page; they were dropped.`);
    // Durable before the file gets its final name: nobody checks the end of a finished file.
    const file = await AppendFile.open(warc, fs);
    try {
      await file.truncate(end);
    } finally {
      await file.close();
    }
  }
  await finish(folder, base, fs);
}

async function finish(folder: string, base: string, fs: FileSystem): Promise<void> {
  const warc = join(folder, base + WARC_SUFFIX);
  const index = join(folder, base + CDXJ_SUFFIX);
  const lines = await indexLines(folder, base);
  if (lines.length === 0) {
    await fs.rm(warc + OPEN_SUFFIX);
  } else {
    // About a hundred thousand lines for a file of one gigabyte.
    lines.sort();
    await replaceFile(index, (handle) => handle.writeFile(`${lines.join("\n")}\n`), { fs });
    await fs.rename(warc + OPEN_SUFFIX, warc);
  }
  await fs.syncFolder(folder);
  await fs.rm(index + OPEN_SUFFIX, { force: true });
}

/** The whole lines of an open index. */
async function indexLines(folder: string, base: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { bytes, flaw } of readLines(join(folder, base + CDXJ_SUFFIX + OPEN_SUFFIX))) {
    const line = bytes.toString();
    if (flaw === null && parseCdxj(line) !== null) lines.push(line);
  }
  return lines;
}

/** Sorted. Empty when the folder does not exist. */
export const namesIn = async (folder: string): Promise<string[]> =>
  ((await readdir(folder).catch(missingAsNull(folder))) ?? []).sort();

export interface JoinedWarcs {
  warcs: number;
  bytes: number;
}

/**
 * `export warc`: the finished WARCs of a folder as one. A WARC is a sequence of gzip members, so they are concatenated.
 * Those still being written are left out. Ends the stream.
 */
export async function joinWarcs(
  folder: string,
  output: Writable | ((pieces: AsyncIterable<Buffer>) => Promise<void>),
): Promise<JoinedWarcs> {
  const warcs = (await namesIn(folder)).filter((name) => name.endsWith(WARC_SUFFIX));
  if (warcs.length === 0) throw new TrawlError("NOTHING_TO_EXPORT", `There is no finished WARC in ${folder}.`);
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
