/** The operations of a PLC export, from a file (plain, gzip or zstd) or page by page from a directory. */
import { createReadStream, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { TrawlError } from "../../errors.ts";
import { CursorCircle } from "../sources/cursor-circle.ts";
import { type SourceClient, SourceError } from "../sources/source-client.ts";

export interface PlcBatch {
  lines: PlcLine[];
  /** Where to continue once these are stored; null when only the complete export counts. */
  cursor: string | null;
}

/** Lines passed on at once. */
const BATCH = 10_000;
/** An operation has less than 8 KB. */
const LONGEST_LINE = 1_000_000;
const READ_BYTES = 1 << 20;
/** The most that the directory returns per page. */
const PAGE_SIZE = 1_000;

/** A file is read as a whole; `from` is what was saved the last time, and shows whether it is the same file. */
export async function* readPlcFile(path: string, from: string | null): AsyncGenerator<PlcBatch> {
  const mark = fileMark(path);
  if (mark === from) return;
  let lines: PlcLine[] = [];
  try {
    for await (const texts of linesOf(openExport(path))) {
      for (const text of texts) {
        const line = parsePlcLine(text);
        if (line !== null) lines.push(line);
      }
      if (lines.length < BATCH) continue;
      yield { lines, cursor: null };
      lines = [];
    }
  } catch (error) {
    if (error instanceof TrawlError) throw error;
    throw new TrawlError("SOURCE_FAILED", `plc:${path} cannot be read: ${(error as Error).message}.`);
  }
  yield { lines, cursor: mark };
}

/** Those of each piece of the file at once: a hundred thousand per second must be read. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string[]> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + decoder.write(piece as Buffer)).split("\n");
    rest = lines.pop()!;
    if (rest.length > LONGEST_LINE) throw new Error(`a line has more than ${LONGEST_LINE} characters`);
    yield lines;
  }
  yield [rest + decoder.end()];
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
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
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
  const circle = new CursorCircle();
  for (let after = from; ; ) {
    const query = new URLSearchParams({ count: `${PAGE_SIZE}`, ...(after === null ? {} : { after }) });
    const texts = (await ask(`${exportUrl}?${query}`, client)).split("\n").filter((text) => text.trim() !== "");
    const lines = texts.map(parsePlcLine).filter((line) => line !== null);
    const last = lines.at(-1);
    const next = last === undefined ? after : cursorAfter(last);
    yield { lines, cursor: next };
    // The end is a page without a line: a directory may give fewer than it was asked for.
    if (last === undefined || next === null) return;
    // All of the page is of one millisecond: continue from that time, because a millisecond earlier would repeat it forever.
    after = next === after ? last.createdAt : next;
    if (after !== null && circle.closes(after))
      throw new TrawlError("SOURCE_FAILED", `${exportUrl} repeats its pages.`);
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

export interface PlcLine {
  did: string;
  /** Where its repo is from now on; null for nowhere. Undefined when the line changes nothing. */
  pds: string | null | undefined;
  /** The key that signs its repo, as did:key; null when the operation names none. */
  signingKey: string | null;
  /** Newer exports number their lines. */
  seq: number | null;
  createdAt: string | null;
}

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Null when the line is not an operation. Checked by hand: a schema would take longer than parsing. */
export function parsePlcLine(text: string): PlcLine | null {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return null;
  }
  const line = fieldsOf(written);
  const operation = fieldsOf(line?.["operation"]);
  const [did, type] = [line?.["did"], operation?.["type"]];
  if (line === null || operation === null || typeof did !== "string" || typeof type !== "string") return null;
  const { seq, createdAt, nullified } = line;
  const key = type === "create" ? operation["signingKey"] : fieldsOf(operation["verificationMethods"])?.["atproto"];
  return {
    did,
    // An operation that was nullified later does not count.
    pds: nullified === true ? undefined : pdsOf(type, operation),
    signingKey: textOf(key),
    seq: typeof seq === "number" ? seq : null,
    createdAt: textOf(createdAt),
  };
}

function pdsOf(type: string, operation: Fields): string | null | undefined {
  if (type === "plc_tombstone") return null;
  // The first format of operations.
  if (type === "create") return textOf(operation["service"]);
  if (type !== "plc_operation") return undefined;
  return textOf(fieldsOf(fieldsOf(operation["services"])?.["atproto_pds"])?.["endpoint"]);
}

/**
 * The `after` that reads on behind a line. By time, a millisecond earlier: operations of the same millisecond may stand
 * behind it, and reading one twice changes nothing.
 */
export function cursorAfter({ seq, createdAt }: Pick<PlcLine, "seq" | "createdAt">): string | null {
  if (seq !== null) return `${seq}`;
  const time = createdAt === null ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(time) ? null : new Date(time - 1).toISOString();
}
