/** The operations of a PLC export, from a file (plain, gzip or zstd) or page by page from a directory. */
import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

export interface PlcBatch {
  lines: PlcLine[];
  /** Where to continue once these are stored; null when only the complete export counts. */
  cursor: string | null;
}

/** Lines stored in one transaction. */
const BATCH = 10_000;
/** The most that the directory returns per page. */
const PAGE_SIZE = 1_000;

/** A file is read as a whole; `from` is what was saved the last time, and shows whether it is the same file. */
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
    // All of the page is of one millisecond: continue from that time, because a millisecond earlier would repeat it forever.
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

const Line = z.object({
  did: z.string(),
  operation: z.object({
    type: z.string(),
    services: z.record(z.string(), z.object({ endpoint: z.unknown().optional() }).nullish()).nullish(),
    /** In the first format of operations. */
    service: z.unknown().optional(),
  }),
  nullified: z.boolean().nullish(),
  createdAt: z.string().nullish(),
  /** Newer exports number their lines. */
  seq: z.number().nullish(),
});

export interface PlcLine {
  did: string;
  /** Where its repo is from now on; null for nowhere. Undefined when the line changes nothing. */
  pds: string | null | undefined;
  seq: number | null;
  createdAt: string | null;
}

/** Null when the line is not an operation. */
export function parsePlcLine(text: string): PlcLine | null {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return null;
  }
  const line = Line.safeParse(written);
  if (!line.success) return null;
  const { did, operation, nullified, seq, createdAt } = line.data;
  // An operation that was nullified later does not count.
  const pds = nullified === true ? undefined : pdsOf(operation);
  return { did, pds, seq: seq ?? null, createdAt: createdAt ?? null };
}

function pdsOf({ type, services, service }: z.infer<typeof Line>["operation"]): string | null | undefined {
  if (type === "plc_tombstone") return null;
  const endpoint =
    type === "create" ? service : type === "plc_operation" ? services?.["atproto_pds"]?.endpoint : undefined;
  if (type !== "create" && type !== "plc_operation") return undefined;
  return typeof endpoint === "string" && endpoint !== "" ? endpoint : null;
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
