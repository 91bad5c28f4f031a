/**
 * URL → its last line in the metadata that names a page (a failed fetch after it says nothing of the page), at 16 to 20 bytes a URL whatever the lines hold. A place is kept as the number
 * of the 64-byte block in which the line begins, so that 32 bits reach 256 GB: a line has over 250 bytes of keys alone,
 * so two good lines never begin in one block.
 */
import { SeenTable } from "../../kernel/seen.ts";
import { readLines } from "../../storage/read-lines.ts";
import { isDamage, type MetadataRecord, parseRecord, urlOfLine } from "./metadata-record.ts";

const BLOCK_BYTES = 64;

/** In a line of a fetch that gave no page. */
const NO_PAGE = Buffer.from('"content_sha256":""');

export class LineIndex {
  readonly #blocks = new SeenTable();

  get size(): number {
    return this.#blocks.size;
  }

  /** The later line wins, in whatever order they are told. */
  add(url: string, offset: number): void {
    const block = Math.floor(offset / BLOCK_BYTES) + 1;
    if (block > this.#blocks.get(url)) this.#blocks.set(url, block);
  }

  async addFile(path: string, to: number): Promise<void> {
    for await (const { bytes, offset } of readLines(path, { to })) {
      const url = bytes.includes(NO_PAGE) ? null : urlOfLine(bytes);
      if (url !== null) this.add(url, offset);
    }
  }

  /** Reads the line back. Null when there is none, or it is damaged. */
  async find(url: string, path: string): Promise<MetadataRecord | null> {
    const block = this.#blocks.get(url);
    if (block === 0) return null;
    const start = (block - 1) * BLOCK_BYTES;
    // One byte earlier: a newline there says that a line begins with the block. At the start of the file one does.
    for await (const { bytes, offset } of readLines(path, { from: Math.max(0, start - 1), chunk: 4096 })) {
      if (offset >= start + BLOCK_BYTES) return null;
      if (offset < start) continue;
      const parsed = parseRecord(bytes);
      // A short damaged line may begin in the same block, and two URLs may share a fingerprint.
      if (!isDamage(parsed) && parsed.url === url) return parsed;
    }
    return null;
  }
}
