/** One segment while it is written, as `.partial`. What was appended is durable; its index is in memory until the end. */
import { open, rm } from "node:fs/promises";
import { AppendFile } from "../../storage/append-file.ts";
import { notWritable } from "../../storage/durable.ts";
import { type FinishedSegment, finishSegment } from "./finish-segment.ts";
import { type IndexEntry, indexEntryOf } from "./index-section.ts";
import type { SegmentKind } from "./layout.ts";
import { encodeHeader } from "./segment-frame.ts";
import { PARTIAL_SUFFIX } from "./segment-names.ts";

export class SegmentFile {
  /** The name it will have. */
  readonly path: string;
  readonly #kind: SegmentKind;
  readonly #createdAt: bigint;
  readonly #file: AppendFile;
  readonly #entries: IndexEntry[] = [];

  private constructor(path: string, kind: SegmentKind, createdAt: bigint, file: AppendFile) {
    this.path = path;
    this.#kind = kind;
    this.#createdAt = createdAt;
    this.#file = file;
  }

  /** Null when the `.partial` is there already. */
  static async create(path: string, kind: SegmentKind, createdAt: bigint): Promise<SegmentFile | null> {
    const partial = path + PARTIAL_SUFFIX;
    try {
      await (await open(partial, "wx")).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
      throw notWritable(partial, error);
    }
    const file = await AppendFile.open(partial);
    try {
      await file.append(encodeHeader({ kind, createdAt, repoCount: 0, indexOffset: 0n }));
    } catch (error) {
      await file.close();
      await rm(partial, { force: true });
      throw error;
    }
    return new SegmentFile(path, kind, createdAt, file);
  }

  /** Resolves when the block is durable. */
  async append(did: string, block: Buffer): Promise<IndexEntry> {
    const entry = indexEntryOf(did, await this.#file.append(block), block);
    this.#entries.push(entry);
    return entry;
  }

  /** Not while something is appended. Null, and no file left, when nothing was. */
  async finish(): Promise<FinishedSegment | null> {
    await this.#file.close();
    const from = this.path + PARTIAL_SUFFIX;
    if (this.#entries.length === 0) {
      await rm(from);
      return null;
    }
    const { length: end } = this.#file;
    return finishSegment({
      from,
      to: this.path,
      kind: this.#kind,
      createdAt: this.#createdAt,
      entries: this.#entries,
      end,
    });
  }
}
