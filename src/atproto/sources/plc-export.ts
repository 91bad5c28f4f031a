/** The lines of a PLC export, from a file (plain, gzip or zstd) or page by page from a directory. */
import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { TrawlError } from "../../errors.ts";
import { cursorAfter, type PlcLine, parsePlcLine } from "./plc-operation.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

export interface PlcBatch {
  lines: PlcLine[];
  /** Where to read on when these are taken over; null when only the whole counts. */
  cursor: string | null;
}

/** Lines taken over in one transaction. */
const BATCH = 10_000;
/** The most that the directory gives. */
const PAGE_SIZE = 1_000;

/** A file is read as a whole; `from` is what was saved when that was done last, and tells whether it is the same file. */
export async function* readPlcFile(path: string, from: string | null): AsyncGenerator<PlcBatch> {
  const mark = fileMark(path);
  if (mark === from) return;
  let lines: PlcLine[] = [];
  try {
    for await (const text of createInterface({ input: openExport(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = parsePlcLine(text);
      if (line === null) continue;
      if (lines.push(line) < BATCH) continue;
      yield { lines, cursor: null };
      lines = [];
    }
  } catch (error) {
    throw new TrawlError("SOURCE_FAILED", `plc:${path} cannot be read: ${(error as Error).message}.`);
  }
  yield { lines, cursor: mark };
}

function fileMark(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `plc: ${path} cannot be read (${(error as Error).message})`);
  }
}

function openExport(path: string): NodeJS.ReadableStream {
  const file = createReadStream(path);
  const unpacked = path.endsWith(".gz") ? createGunzip() : path.endsWith(".zst") ? createZstdDecompress() : null;
  if (unpacked === null) return file;
  file.on("error", (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}

export async function* readPlcDirectory(
  exportUrl: string,
  client: SourceClient,
  from: string | null,
): AsyncGenerator<PlcBatch> {
  for (let after = from; ; ) {
    const query = new URLSearchParams({ count: `${PAGE_SIZE}`, ...(after === null ? {} : { after }) });
    const texts = (await ask(`${exportUrl}?${query}`, client)).split("\n").filter((text) => text.trim() !== "");
    const lines = texts.map(parsePlcLine).filter((line) => line !== null);
    const last = lines.at(-1);
    const next = last === undefined ? after : cursorAfter(last);
    yield { lines, cursor: next };
    // The end is a page without a line: a directory may give fewer than it was asked for.
    if (last === undefined || next === null) return;
    // A page of one millisecond and no more: on from its very time, for a millisecond earlier would be read for ever.
    after = next === after ? last.createdAt : next;
  }
}

async function ask(url: string, client: SourceClient): Promise<string> {
  try {
    return await client.text(url);
  } catch (error) {
    if (error instanceof SourceError) throw new TrawlError("SOURCE_FAILED", `${error.message}.`);
    throw error;
  }
}
