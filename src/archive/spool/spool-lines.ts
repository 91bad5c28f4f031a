/** A spool: files `discoveries-<unix time>.jsonl`, each line a page that was found. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isMissing } from "../../storage/durable.ts";
import { readLines } from "../../storage/read-lines.ts";
import type { Bookmark } from "./bookmark.ts";

const NAME = /^discoveries-(\d{1,15})\.jsonl$/;

export const spoolFileName = (timestamp: number): string => `discoveries-${timestamp}.jsonl`;

/** The time in a file's name; null when it is not a spool file. */
export function spoolTimestamp(name: string): number | null {
  const match = NAME.exec(name);
  return match === null ? null : Number(match[1]);
}

/** Oldest first. */
export async function spoolFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(emptyIfMissing);
  return names
    .filter((name) => NAME.test(name))
    .sort((a, b) => spoolTimestamp(a)! - spoolTimestamp(b)! || (a < b ? -1 : 1));
}

export async function spoolBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await spoolFiles(folder)) {
    // Somebody may be cleaning up.
    bytes += await stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

const Discovery = z.object({
  url: z.string(),
  page_type: z.string(),
  depth: z.int().min(0),
  referrer: z.string().nullable(),
  /** Unix time in seconds. Missing in older spools. */
  discovered_at: z.number().optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

export type Discovery = z.infer<typeof Discovery>;

export const formatDiscovery = (discovery: Discovery): string => `${JSON.stringify(discovery)}\n`;

/** Null for a line that is not a discovery. */
export function parseDiscovery(line: Buffer): Discovery | null {
  try {
    return Discovery.parse(JSON.parse(line.toString("utf8")));
  } catch {
    return null;
  }
}

export interface SpoolItem {
  /** Null for a damaged line, which is skipped. */
  discovery: Discovery | null;
  /** Where reading continues after this line. */
  next: Bookmark;
}

/**
 * Reads from a bookmark to the current end of the spool. A line that is still being written is left for the next time.
 */
export async function* readSpool(folder: string, from: Bookmark): AsyncGenerator<SpoolItem> {
  const files = await spoolFiles(folder);
  // A bookmark whose file is gone: either it was read to its end and then removed, or it belongs to another spool.
  const first = from.file === null ? 0 : Math.max(0, files.indexOf(from.file));
  for (const file of files.slice(first)) {
    const start = file === from.file ? from.offset : 0;
    for await (const { bytes, offset, length, flaw } of readLines(join(folder, file), { from: start })) {
      if (flaw === "torn") break;
      yield { discovery: parseDiscovery(bytes), next: { file, offset: offset + length + 1 } };
    }
  }
}
