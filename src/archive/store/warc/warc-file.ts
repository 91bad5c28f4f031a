/**
 * One WARC file while it is written, and the index next to it. Both names end in `.open` until they are finished; then
 * the index is sorted and both get their final names. A record is durable before its index line, so the index of a file
 * that a crash left open says where its last whole record ends.
 */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppendFile } from "../../../storage/append-file.ts";
import { missingAsNull, replaceFile } from "../../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../../storage/file-system.ts";
import { readLines } from "../../../storage/read-lines.ts";
import { type CaptureAbout, parseCdxj } from "./cdxj.ts";
import { indexLine, readWarc } from "./warc-index.ts";

export const WARC_SUFFIX = ".warc.gz";
export const CDXJ_SUFFIX = ".cdxj";
export const OPEN_SUFFIX = ".open";

export class WarcFile {
  /** `<base>.warc.gz`, as in the index. */
  readonly name: string;
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #base: string;
  readonly #warc: AppendFile;
  readonly #index: AppendFile;
  readonly #warcinfo: Buffer;

  private constructor(folder: string, base: string, warcinfo: Buffer, files: [AppendFile, AppendFile], fs: FileSystem) {
    this.#fs = fs;
    this.#warcinfo = warcinfo;
    this.name = base + WARC_SUFFIX;
    this.#folder = folder;
    this.#base = base;
    [this.#warc, this.#index] = files;
  }

  static async create(folder: string, base: string, warcinfo: Buffer, fs = realFileSystem): Promise<WarcFile> {
    const warc = await AppendFile.open(join(folder, base + WARC_SUFFIX + OPEN_SUFFIX), fs);
    const index = await AppendFile.open(join(folder, base + CDXJ_SUFFIX + OPEN_SUFFIX), fs);
    await warc.append(warcinfo);
    return new WarcFile(folder, base, warcinfo, [warc, index], fs);
  }

  /** Adds the request first, so that the part that the index covers ends with a record that the index names. */
  async add(request: Buffer, record: Buffer, at: number, about: CaptureAbout): Promise<number> {
    const start = await this.#warc.append(Buffer.concat([request, record]));
    const offset = start + request.length;
    const isFirst = start === this.#warcinfo.length;
    const before = isFirst ? [this.#warcinfo, request] : [request];
    const line = indexLine(at, about, { filename: this.name, offset, record, before });
    await this.#index.append(Buffer.from(`${line}\n`));
    return offset;
  }

  /** Must not be called while something is being added. */
  async finish(): Promise<void> {
    await this.#warc.close();
    await this.#index.close();
    await finish(this.#folder, this.#base, (await openIndex(this.#folder, this.#base)).lines, this.#fs);
  }
}

/** Finishes what a crash left open. */
export async function recoverWarcs(
  folder: string,
  onNotice: (text: string) => void,
  fs = realFileSystem,
): Promise<void> {
  const names = await namesIn(folder);
  for (const name of names) {
    if (!name.endsWith(OPEN_SUFFIX)) continue;
    const closed = name.slice(0, -OPEN_SUFFIX.length);
    if (closed.endsWith(CDXJ_SUFFIX)) {
      const warc = closed.slice(0, -CDXJ_SUFFIX.length) + WARC_SUFFIX;
      if (names.includes(warc + OPEN_SUFFIX)) continue;
      // Its WARC and the sorted index have their final names already, or it never named anything.
      const isOver = names.includes(warc) || (await stat(join(folder, name))).size === 0;
      if (isOver) await fs.rm(join(folder, name));
    } else if (closed.endsWith(WARC_SUFFIX)) {
      await recover(folder, closed.slice(0, -WARC_SUFFIX.length), onNotice, fs);
    }
  }
}

/** The index of an open file: its whole lines, and the end of the last record that they name. */
interface OpenIndex {
  lines: string[];
  end: number;
  /** False when the index is missing, or a line in it is damaged. */
  isWhole: boolean;
}

/**
 * Whole records after the last indexed one are kept: the crash or damage lost their index lines. What follows them was
 * never settled.
 */
async function recover(folder: string, base: string, onNotice: (text: string) => void, fs: FileSystem): Promise<void> {
  const warc = join(folder, base + WARC_SUFFIX + OPEN_SUFFIX);
  const { size } = await stat(warc);
  const index = await openIndex(folder, base);
  const { records, damaged } = await readWarc(warc, base + WARC_SUFFIX, { from: index.isWhole ? index.end : 0 });
  // In a file whose index is lost, damage in the middle is left for `verify` to report.
  const cut = index.isWhole ? (damaged[0]?.offset ?? size) : size;
  const found = records.filter(({ offset }) => offset < cut);
  const last = found.at(-1);
  const end = last === undefined ? (index.isWhole ? index.end : 0) : last.offset + last.length;
  if (end < size) {
    onNotice(`${warc}: a crash left ${size - end} bytes of an unfinished page; they were dropped.`);
    // Durable before the file gets its final name, because nobody checks the end of a finished file.
    const file = await AppendFile.open(warc, fs);
    try {
      await file.truncate(end);
    } finally {
      await file.close();
    }
  }
  const lines = found.map(({ line }) => line);
  await finish(folder, base, index.isWhole ? [...index.lines, ...lines] : lines, fs);
}

async function finish(folder: string, base: string, lines: string[], fs: FileSystem): Promise<void> {
  const warc = join(folder, base + WARC_SUFFIX);
  const index = join(folder, base + CDXJ_SUFFIX);
  if (lines.length === 0) {
    await fs.rm(warc + OPEN_SUFFIX);
  } else {
    await writeIndex(index, lines, fs);
    await fs.rename(warc + OPEN_SUFFIX, warc);
  }
  await fs.syncFolder(folder);
  await fs.rm(index + OPEN_SUFFIX, { force: true });
}

/** About a hundred thousand lines for a file of one gigabyte. */
export const writeIndex = (path: string, lines: readonly string[], fs: FileSystem): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(`${lines.toSorted().join("\n")}\n`), { fs });

async function openIndex(folder: string, base: string): Promise<OpenIndex> {
  const path = join(folder, base + CDXJ_SUFFIX + OPEN_SUFFIX);
  const index: OpenIndex = { lines: [], end: 0, isWhole: (await stat(path).catch(missingAsNull(path))) !== null };
  for await (const { bytes, flaw } of readLines(path)) {
    if (flaw === "torn") break;
    const line = bytes.toString();
    const parsed = parseCdxj(line);
    if (parsed === null) index.isWhole = false;
    else {
      index.lines.push(line);
      index.end = Math.max(index.end, Number(parsed.entry.offset) + Number(parsed.entry.length));
    }
  }
  return index;
}

/** Sorted. Empty when the folder does not exist. */
export const namesIn = async (folder: string): Promise<string[]> =>
  ((await readdir(folder).catch(missingAsNull(folder))) ?? []).sort();
