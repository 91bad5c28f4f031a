/**
 * Which payloads the WARCs already hold, and where, for revisit records to refer to. Takes 24 to 28 bytes per payload;
 * the record itself says the rest when it is needed.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { SeenTable } from "../../../kernel/seen.ts";
import { isMissing } from "../../../storage/durable.ts";
import { readLines } from "../../../storage/read-lines.ts";
import { type CdxjEntry, parseCdxj, REVISIT_MIME } from "./cdxj.ts";
import { CDXJ_SUFFIX, namesIn, OPEN_SUFFIX } from "./warc-file.ts";
import { parseHeaders } from "./warc-record.ts";

export interface Original {
  id: string;
  url: string;
  /** As in the record. */
  date: string;
  digest: string;
}

/** Enough for the headers of a record, whose URL may be long. */
const HEADER_BYTES = 16 << 10;

/**
 * A place is the number of the file and the offset in it, which fits into 32 bits because files are rotated far below 4
 * GB.
 */
const OFFSETS = 2 ** 32;

export class Originals {
  readonly #folder: string;
  readonly #files: string[] = [];
  readonly #numbers = new SeenTable();
  #places = new Float64Array(1 << 10);

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads the finished indexes of a folder. */
  static async read(folder: string): Promise<Originals> {
    const originals = new Originals(folder);
    for (const name of await namesIn(folder)) {
      if (!name.endsWith(CDXJ_SUFFIX)) continue;
      for await (const { bytes } of readLines(join(folder, name))) {
        const line = parseCdxj(bytes.toString());
        if (line !== null) originals.add(line.entry, Number(line.entry.offset));
      }
    }
    return originals;
  }

  /** Pages only: a revisit of an error page would mean nothing, and revisits must not refer to revisits. */
  add({ mime, status, digest, filename }: Omit<CdxjEntry, "length" | "offset">, offset: number): void {
    if (mime === REVISIT_MIME || status !== "200" || this.#numbers.get(digest) !== 0) return;
    let file = this.#files.lastIndexOf(filename);
    if (file === -1) file = this.#files.push(filename) - 1;
    const number = this.#numbers.size + 1;
    if (number === this.#places.length) {
      const grown = new Float64Array(this.#places.length * 2);
      grown.set(this.#places);
      this.#places = grown;
    }
    this.#places[number] = file * OFFSETS + offset;
    this.#numbers.set(digest, number);
  }

  has(digest: string): boolean {
    return this.#numbers.get(digest) !== 0;
  }

  async find(digest: string): Promise<Original | null> {
    const number = this.#numbers.get(digest);
    if (number === 0) return null;
    const place = this.#places[number]!;
    const file = this.#files[Math.floor(place / OFFSETS)]!;
    const headers = await this.#headersAt(file, place % OFFSETS);
    const [id, url, date] = ["warc-record-id", "warc-target-uri", "warc-date"].map((name) => headers?.get(name));
    // The record itself says what it holds: an index next to the wrong file must not lead to a wrong revisit.
    if (headers?.get("warc-payload-digest") !== digest) return null;
    return id === undefined || url === undefined || date === undefined ? null : { id, url, date, digest };
  }

  async #headersAt(file: string, offset: number): Promise<Map<string, string> | null> {
    const path = join(this.#folder, file);
    // The open name first: a file is renamed from it, never to it.
    for (const name of [path + OPEN_SUFFIX, path]) {
      try {
        const handle = await open(name, "r");
        try {
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, offset);
          const finishFlush = constants.Z_SYNC_FLUSH;
          return parseHeaders(gunzipSync(buffer.subarray(0, bytesRead), { finishFlush }).toString());
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (!isMissing(error)) return null;
      }
    }
    return null;
  }
}
