/** The HTML of pages, compressed: as sent, or as it was after rendering. Stored only with `storeHtml`. */
import { promisify } from "node:util";
import type { SiteReader } from "./reader.ts";

/** Loaded when HTML is stored or read, so that commands that do neither start sooner. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** HTML (UTF-8) as stored. Another thread compresses it, while this one reads pages. */
export const packHtml = (html: Buffer): Promise<Uint8Array> => promisify(zlib().zstdCompress)(html);

/** The HTML of a page; null when it was not stored. */
export function readHtml(reader: SiteReader, id: number): string | null {
  if (!hasBodies(reader.db)) return null;
  const row = reader.db.prepare("SELECT html FROM bodies WHERE id = ?").get(id);
  return row === undefined
    ? null
    : zlib()
        .zstdDecompressSync(row["html"] as Uint8Array)
        .toString("utf8");
}

/** Older databases lack this table, and readers cannot add it. */
export const hasBodies = (db: SiteReader["db"]): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'bodies'").get() !== undefined;
