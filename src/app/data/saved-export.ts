/**
 * An export as a file in the crawl's own folder, for agents and programs that cannot take a download. It is deleted
 * with the crawl.
 */
import { createHash } from "node:crypto";
import { createWriteStream, readdirSync, renameSync, rmSync } from "node:fs";
import { join, parse } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { TrawlError } from "../../errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../kernel/sqlite/private-files.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import { isProcessAlive } from "../../storage/process-alive.ts";
import type { Home } from "../home.ts";
import type { ExportQuestion, SavedExport } from "../operations/urls.ts";
import type { CrawlData } from "./crawl-data.ts";

/** Exports that this process has begun; the same export may be requested twice at once. */
let begun = 0;

export async function writeExport(
  data: Pick<CrawlData, "download">,
  home: Pick<Home, "crawlFolder">,
  question: ExportQuestion,
  left?: AbortSignal,
): Promise<SavedExport> {
  const broken = new AbortController();
  const signal = left === undefined ? broken.signal : AbortSignal.any([broken.signal, left]);
  const { fileName, body } = await data.download(question, () => broken.abort());
  const folder = join(home.crawlFolder(question.id), "exports");
  const path = join(folder, nameOf(fileName, question));
  const partial = `${path}.${process.pid}-${++begun}.partial`;
  const counter = new RowCounter(question.format);
  try {
    ensureFolder(folder, PRIVATE_FOLDER);
    removeLeft(folder);
    const file = createWriteStream(partial, { mode: PRIVATE_FILE });
    await pipeline(Readable.fromWeb(body as ReadableStream<Uint8Array>), counter, file, { signal });
    // A file with this name is complete.
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new TrawlError("FILE_NOT_WRITABLE", `${path} could not be written. ${(error as Error).message}`);
  }
  const total = counter.lines - (question.format === "csv" ? 1 : 0);
  return { path, total, bytes: counter.bytes };
}

/**
 * The name depends on the question too: a different export must not replace a file that was handed out, and the same
 * question finds its file again.
 */
function nameOf(fileName: string, question: ExportQuestion): string {
  const { name, ext } = parse(fileName);
  const digest = createHash("sha256").update(JSON.stringify(question)).digest("hex");
  return `${name}-${digest.slice(0, 8)}${ext}`;
}

/** Removes what exports by killed processes have left. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.(\d+)-\d+\.partial$/.exec(name) ?? [];
    if (pid !== undefined && !isProcessAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

const QUOTE = '"'.charCodeAt(0);
const LINE_END = "\n".charCodeAt(0);

/** Counts lines of rows: in CSV, a line end inside quotes is part of a cell; in JSON lines, each ends a row. */
class RowCounter extends Transform {
  lines = 0;
  bytes = 0;
  readonly #isCsv: boolean;
  #isQuoted = false;

  constructor(format: ExportQuestion["format"]) {
    super();
    this.#isCsv = format === "csv";
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    for (const byte of chunk) {
      if (byte === QUOTE) this.#isQuoted = this.#isCsv && !this.#isQuoted;
      else if (byte === LINE_END && !this.#isQuoted) this.lines++;
    }
    this.bytes += chunk.length;
    done(null, chunk);
  }
}
