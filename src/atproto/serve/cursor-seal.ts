/**
 * Cursors that clients hold are sealed: one that was made up would be read as a place in the files, and what is found there be
 * reported as damage. The key is in the archive, so that cursors hold after a restart, and where the folder is moved to.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { createFile, missingAsNull } from "../../storage/durable.ts";
import { decodeCursor, encodeCursor, type StreamCursor } from "./stream-cursor.ts";

export const KEY_FILE = "stream.key";
const KEY_BYTES = 32;
const PRIVATE = 0o600;

export class CursorSeal {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** Of this archive; made with its first stream. Where nothing can be written, it is that of this process. */
  static async of(folder: string): Promise<CursorSeal> {
    const path = join(folder, KEY_FILE);
    const stored = await readKey(path);
    if (stored !== null) return new CursorSeal(stored);
    const key = randomBytes(KEY_BYTES).toString("base64url");
    const isOurs = await createFile(path, `${key}\n`, PRIVATE).catch(() => true);
    return isOurs ? new CursorSeal(key) : CursorSeal.of(folder);
  }

  seal(cursor: StreamCursor): string {
    const text = encodeCursor(cursor);
    return `${text}.${this.#mark(text)}`;
  }

  /** Null when it was not sealed here. */
  open(sealed: string): StreamCursor | null {
    const [text = "", mark = "", ...more] = sealed.split(".");
    const [given, own] = [Buffer.from(mark), Buffer.from(this.#mark(text))];
    if (more.length > 0 || given.length !== own.length || !timingSafeEqual(given, own)) return null;
    return decodeCursor(text);
  }

  #mark(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}

async function readKey(path: string): Promise<string | null> {
  const text = await readFile(path, "utf8").catch(missingAsNull(path));
  if (text === null) return null;
  const key = text.trim();
  if (Buffer.from(key, "base64url").length === KEY_BYTES) return key;
  throw new TrawlError("STORE_FAILED", `${path} is not a key; delete it, and clients begin again.`);
}
