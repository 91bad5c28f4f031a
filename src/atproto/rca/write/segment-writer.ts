/**
 * Writes repos into segments of a folder. Appends made during a sync share the next one. A segment that reaches its size is
 * finished in the background. No empty segment is left.
 */
import { type FileSystem, realFileSystem } from "../../../storage/file-system.ts";
import { encodeBlock, type RepoBlock } from "../format/block.ts";
import { indexEntrySize } from "../format/frame.ts";
import { type FinishedSegment, type OpenSegment, openSegment } from "./segment-file.ts";

export interface SegmentWriterOptions {
  folder: string;
  /** A segment that has reached this after a write is finished. */
  targetBytes: number;
  /** Keeps the proofs given to `append` in an `.rcx` next to each segment. */
  proofs: boolean;
  /** Unix milliseconds. */
  now: () => number;
  onFinished?: (segment: FinishedSegment) => void;
}

export interface WrittenRepo {
  /** The final name of the segment. */
  path: string;
  segment: number;
  offset: number;
  size: number;
  /** Of the whole block. */
  crc: number;
  rev: string;
  /** Unix microseconds. */
  crawledAt: bigint;
}

/** The index is written in one piece; only a very large `targetBytes` with very small repos comes near this. */
const MAX_INDEX_BYTES = 2 ** 30;

/** A segment, what is being appended to it, and how many bytes are reserved in it. */
interface Slot {
  segment: Promise<OpenSegment>;
  appending: Set<Promise<unknown>>;
  bytes: number;
  indexBytes: number;
}

export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #fs: FileSystem;
  #slot: Slot | null = null;
  /** Segments are opened one after the other, so that their numbers follow the order in which repos were appended. */
  #opening: Promise<unknown> = Promise.resolve();
  #finishing = new Set<Promise<void>>();
  #failure: Error | null = null;
  #closed = false;

  constructor(options: SegmentWriterOptions, fs: FileSystem = realFileSystem) {
    this.#options = options;
    this.#fs = fs;
  }

  /**
   * Resolves when the repo, and its proof, are durable. Rejects with `RepoNotStorable` for a repo that the format has no
   * room for. `proof` is what `proofBlock` makes.
   */
  async append(repo: RepoBlock, proof: RepoBlock | null = null): Promise<WrittenRepo> {
    if (this.#closed) throw new Error("the writer is closed");
    const block = encodeBlock(repo);
    const proofBytes = proof === null || !this.#options.proofs ? null : encodeBlock(proof);
    const slot = (this.#slot ??= this.#begin());
    slot.bytes += block.length;
    slot.indexBytes += indexEntrySize(repo.did);
    const appending = this.#append(slot, repo, block, proofBytes);
    slot.appending.add(appending);
    if (slot.bytes >= this.#options.targetBytes || slot.indexBytes >= MAX_INDEX_BYTES) this.#rotate();
    try {
      return await appending;
    } finally {
      slot.appending.delete(appending);
    }
  }

  /** Finishes the last segment. Throws if a segment could not be finished; its repos are durable in any case. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#rotate();
    await Promise.all(this.#finishing);
    if (this.#failure !== null) throw this.#failure;
  }

  #begin(): Slot {
    const createdAt = BigInt(Math.round(this.#options.now() * 1000));
    const { folder, proofs: withProofs } = this.#options;
    const segment = this.#opening.then(() => openSegment({ folder, createdAt, withProofs, fs: this.#fs }));
    this.#opening = segment.catch(() => undefined);
    const slot: Slot = { segment, appending: new Set(), bytes: 0, indexBytes: 0 };
    // The next append tries again: the disk may have room by then.
    segment.catch(() => {
      if (this.#slot === slot) this.#slot = null;
    });
    return slot;
  }

  async #append(slot: Slot, repo: RepoBlock, block: Buffer, proof: Buffer | null): Promise<WrittenRepo> {
    const segment = await slot.segment;
    try {
      const { did, rev, crawledAt } = repo;
      const { offset, size, crc } = await segment.append(did, block, proof);
      return { path: segment.path, segment: segment.number, offset, size, crc, rev, crawledAt };
    } catch (error) {
      slot.bytes -= block.length;
      throw error;
    }
  }

  #rotate(): void {
    const slot = this.#slot;
    if (slot === null) return;
    this.#slot = null;
    const finishing = this.#finish(slot).finally(() => this.#finishing.delete(finishing));
    this.#finishing.add(finishing);
  }

  async #finish(slot: Slot): Promise<void> {
    await Promise.allSettled(slot.appending);
    // The callers of append already know that it could not be created.
    const segment = await slot.segment.catch(() => null);
    if (segment === null) return;
    try {
      const finished = await segment.finish();
      if (finished !== null) this.#options.onFinished?.(finished);
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }
}
