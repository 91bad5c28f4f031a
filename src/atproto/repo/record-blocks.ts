/** Writes the records of a tree one after the other, cut into collections, in the form that an archive's blocks have. */
import type { BlockIndex } from "./block-index.ts";
import { CborProblem, type CborReader } from "./cbor-reader.ts";
import { JsonBuffer } from "./json-buffer.ts";
import type { KeyVisitor } from "./mst-walk.ts";
import { CID_PREFIX } from "./multibase.ts";
import type { JsonForm, ParsedCollection, UndecodableRecord } from "./parsed-repo.ts";
import {
  LARGEST_OUTPUT_RATIO,
  MOST_COLLECTIONS,
  MOST_UNDECODABLE_LISTED,
  OUTPUT_ALLOWANCE_BYTES,
  RepoParseError,
} from "./parsed-repo.ts";
import { RecordJson } from "./record-json.ts";

const SLASH = 0x2f;
const DOT = 0x2e;
/** The characters in names of collections and records; the same set for both, as in the reference implementation. */
const ALLOWED = new Uint8Array(256);
for (const byte of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~-:."))
  ALLOWED[byte] = 1;
const DIGEST_BYTES = 32;
const CID_BYTES = CID_PREFIX.length + DIGEST_BYTES;
/** A small repo's JSON may be a little longer than its CAR. */
const SPARE_BYTES = 4_096;

/** The bytes of one collection: all its keys have the same prefix, so they are contiguous. */
interface Range {
  name: string;
  start: number;
  end: number;
  recordCount: number;
  /** Of its blocks, if they are kept. */
  blockStart: number;
  blockEnd: number;
}

export interface Kept {
  cids: boolean;
  blocks: boolean;
}

export class RecordBlocks implements KeyVisitor {
  readonly #index: BlockIndex;
  readonly #reader: CborReader;
  readonly #json: JsonBuffer;
  readonly #records: RecordJson;
  /** One CID after the other, or null when they are not wanted. */
  readonly #cids: JsonBuffer | null;
  /** The records as they stood in the CAR, or null when they are not wanted; and those that could not be decoded. */
  readonly #blocks: JsonBuffer | null;
  readonly #undecodableBlocks: JsonBuffer | null;
  readonly #ranges: Range[] = [];
  #range: Range | null = null;
  /** Where the collection of the last key ends; -1 when that key was not valid. */
  #slash = -1;
  readonly undecodable: UndecodableRecord[] = [];
  undecodableCount = 0;

  constructor(reader: CborReader, index: BlockIndex, form: JsonForm, { cids, blocks }: Kept) {
    const carBytes = reader.bytes.length;
    const limit = LARGEST_OUTPUT_RATIO * carBytes + OUTPUT_ALLOWANCE_BYTES;
    this.#reader = reader;
    this.#index = index;
    this.#json = new JsonBuffer(carBytes + SPARE_BYTES, limit);
    this.#records = new RecordJson(reader, this.#json, form);
    this.#cids = cids ? new JsonBuffer(SPARE_BYTES, limit) : null;
    this.#blocks = blocks ? new JsonBuffer(carBytes + SPARE_BYTES, limit) : null;
    this.#undecodableBlocks = blocks ? new JsonBuffer(SPARE_BYTES, limit) : null;
  }

  visit(key: Uint8Array, length: number, shared: number, block: number, digest: number): void {
    if (!this.#enter(key, length, shared)) {
      this.#slash = -1;
      this.#list(key, length, block, "its key is not collection/rkey");
      return;
    }
    const json = this.#json;
    const before = json.at;
    const place = json.name(key, this.#slash + 1, length);
    try {
      this.#records.write(this.#index.start(block), this.#index.end(block));
    } catch (problem) {
      if (!(problem instanceof CborProblem)) throw problem;
      json.at = before;
      this.#list(key, length, block, `it ${problem.reason}`);
      return;
    }
    json.setUnsigned32(place, json.at - place - 4);
    const range = this.#range!;
    range.end = json.at;
    range.recordCount++;
    if (this.#cids !== null) this.#keepCid(this.#cids, digest);
    if (this.#blocks !== null) {
      this.#keepBlock(this.#blocks, key, this.#slash + 1, length, block);
      range.blockEnd = this.#blocks.at;
    }
  }

  collections(): ParsedCollection[] {
    let cidsBefore = 0;
    const all = this.#ranges.map(({ name, start, end, recordCount, blockStart, blockEnd }): ParsedCollection => {
      const cids = this.#cids?.bytes.subarray(cidsBefore, (cidsBefore += recordCount * CID_BYTES)) ?? null;
      const blocks = this.#blocks?.bytes.subarray(blockStart, blockEnd) ?? null;
      return { name, recordCount, bytes: this.#json.bytes.subarray(start, end), cids, blocks };
    });
    // Names are ASCII, so code units are bytes. The tree's order is different: there, `a.b.c/x` comes before `a.b/x`.
    return all.filter(({ recordCount }) => recordCount > 0).sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Null when they are not wanted. */
  undecodableBlocks(): Uint8Array | null {
    return this.#undecodableBlocks?.bytes.subarray(0, this.#undecodableBlocks.at) ?? null;
  }

  /** How much memory was allocated for records, CIDs and blocks. */
  get capacity(): number {
    const buffers = [this.#json, this.#cids, this.#blocks, this.#undecodableBlocks];
    return buffers.reduce((sum, buffer) => sum + (buffer?.bytes.length ?? 0), 0);
  }

  /** Makes the key's collection the one that is written to; false when the key is not valid. */
  #enter(key: Uint8Array, length: number, shared: number): boolean {
    const sameCollection = this.#slash >= 0 && shared > this.#slash;
    const slash = sameCollection ? this.#slash : key.subarray(0, length).indexOf(SLASH);
    if (slash < 0 || !isName(key, 0, slash, sameCollection ? slash : 0)) return false;
    if (!isName(key, slash + 1, length, sameCollection ? shared : slash + 1)) return false;
    this.#slash = slash;
    if (!sameCollection) this.#open(Buffer.from(key.buffer, key.byteOffset, slash).toString("latin1"));
    return true;
  }

  #open(name: string): void {
    // The same collection again, after an invalid key.
    if (this.#range?.name === name) return;
    if (this.#ranges.length === MOST_COLLECTIONS) {
      throw new RepoParseError("parse_error", `The repo has more than ${MOST_COLLECTIONS} collections.`);
    }
    const [start, blockStart] = [this.#json.at, this.#blocks?.at ?? 0];
    this.#range = { name, start, end: start, recordCount: 0, blockStart, blockEnd: blockStart };
    this.#ranges.push(this.#range);
  }

  #keepCid(cids: JsonBuffer, digest: number): void {
    cids.raw(CID_PREFIX);
    cids.raw(this.#reader.bytes.subarray(digest, digest + DIGEST_BYTES));
  }

  #keepBlock(kept: JsonBuffer, name: Uint8Array, start: number, end: number, block: number): void {
    const place = kept.name(name, start, end);
    kept.copy(this.#reader.bytes, this.#index.start(block), this.#index.end(block));
    kept.setUnsigned32(place, kept.at - place - 4);
  }

  #list(key: Uint8Array, length: number, block: number, reason: string): void {
    this.undecodableCount++;
    if (this.#undecodableBlocks !== null) {
      // Such a key may be any bytes.
      const name = Buffer.from(Buffer.from(key.buffer, key.byteOffset, length).toString("hex"));
      this.#keepBlock(this.#undecodableBlocks, name, 0, name.length, block);
    }
    if (this.undecodable.length === MOST_UNDECODABLE_LISTED) return;
    this.undecodable.push({ key: Buffer.from(key.buffer, key.byteOffset, length).toString("utf8"), reason });
  }
}

/** `.` and `..` would name folders. The part before `unchecked` was checked with the previous key. */
function isName(key: Uint8Array, start: number, end: number, unchecked: number): boolean {
  if (start === end) return false;
  if (end - start <= 2 && key[start] === DOT && key[end - 1] === DOT) return false;
  for (let at = unchecked; at < end; at++) if (ALLOWED[key[at]!] === 0) return false;
  return true;
}
