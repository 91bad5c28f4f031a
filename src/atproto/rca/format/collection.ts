/** A collection of a repo: its records one after another, packed into one zstd frame. Pure and synchronous, so that a parse thread can do it. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { zstdFrames } from "../../../net/decompress.ts";
import type { ArchivedRepo } from "../read/archive.ts";
import { type CompressedCollection, RepoNotStorable, textField } from "./block.ts";
import { BadBytes, ByteReader, type Damage, reasonOf } from "./bytes.ts";
import { MAX_CONTENT_SIZE } from "./frame.ts";

export interface CollectionContent {
  name: string;
  recordCount: number;
  /** The records one after another, as `record-list.ts` describes them. */
  bytes: Uint8Array;
}

/** libzstd's levels 20 to 22 need a lot of memory to unpack as well. */
export const ZSTD_LEVELS = { min: 1, max: 19, default: 3 } as const;

export function compressCollections(collections: readonly CollectionContent[], level: number): CompressedCollection[] {
  return collections
    .filter(({ recordCount }) => recordCount > 0)
    .map(({ name, recordCount, bytes }) => {
      if (bytes.length > MAX_CONTENT_SIZE) throw new RepoNotStorable(`${bytes.length} bytes in ${name}`);
      return { name, recordCount, frame: compress(bytes, level) };
    });
}

const compress = (bytes: Uint8Array, level: number): Uint8Array =>
  zstdCompressSync(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_checksumFlag]: 1,
      [constants.ZSTD_c_contentSizeFlag]: 1,
    },
    pledgedSrcSize: bytes.length,
  });

/** The unpacked bytes of a collection. */
export function contentOf({ frame }: CompressedCollection, limit = MAX_CONTENT_SIZE): Buffer {
  const bytes = asBuffer(frame);
  const frames = zstdFrames(bytes, 1);
  // node:zlib would unpack the first frame and be silent about the rest.
  if (frames === null || frames[0]!.length !== bytes.length) throw new BadBytes("not exactly one zstd frame");
  const size = contentSize(bytes);
  if (size !== null && size > limit) throw new BadBytes(`the zstd frame unpacks to ${size} bytes, over ${limit}`);
  try {
    return zstdDecompressSync(bytes, {
      maxOutputLength: Math.max(1, size ?? limit),
      // In one piece if the size is known.
      ...(size === null ? {} : { chunkSize: Math.max(MIN_CHUNK, size) }),
    });
  } catch (error) {
    throw new BadBytes(`the zstd frame cannot be unpacked: ${(error as Error).message}`);
  }
}

/** The minimum that node:zlib accepts. */
const MIN_CHUNK = 64;

/** The content size that a frame's header gives (RFC 8878 section 3.1.1.1); null when it gives none. */
export function contentSize(frame: Uint8Array): number | null {
  const bytes = asBuffer(frame);
  const descriptor = bytes[4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const position = 5 + (singleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  const length = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  if (length === 0 || position + length > bytes.length) return null;
  if (length === 8) return Number(bytes.readBigUInt64LE(position));
  return bytes.readUIntLE(position, length) + (length === 2 ? 256 : 0);
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** In the unpacked bytes of a collection: an rkey with a u16 length before it, and a value with a u32 length. */
export interface StoredRecord {
  rkey: string;
  /** JSON in an `.rca`, a binary CID in an `.rcx`; a view of the content. */
  value: Buffer;
}

export function* recordsOf(content: Buffer, recordCount: number): Generator<StoredRecord> {
  const reader = new ByteReader(content);
  for (let index = 0; index < recordCount; index++) {
    yield { rkey: reader.text(), value: reader.bytes(reader.u32()) };
  }
  if (reader.left > 0) throw new BadBytes(`${reader.left} bytes behind the last of ${recordCount} records`);
}

export function encodeRecords(records: Iterable<{ rkey: string; value: Uint8Array }>): Buffer {
  const parts: Uint8Array[] = [];
  for (const { rkey, value } of records) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(value.length);
    parts.push(textField(rkey), length, value);
  }
  return Buffer.concat(parts);
}

export interface ReadCollection {
  name: string;
  recordCount: number;
  /** Views of the unpacked collection. */
  records: StoredRecord[];
}

/** One collection is unpacked at a time; one that cannot be is reported and skipped. `wanted` chooses by name. */
export function* collectionsOf(
  repo: ArchivedRepo,
  onDamage: (damage: Damage) => void,
  wanted: (name: string) => boolean = () => true,
): Generator<ReadCollection> {
  for (const collection of repo.collections) {
    const { name, recordCount } = collection;
    if (!wanted(name)) continue;
    try {
      // Before the first record is returned, so that half of a damaged collection is not taken for all of it.
      const records = [...recordsOf(contentOf(collection), recordCount)];
      yield { name, recordCount, records };
    } catch (error) {
      const reason = `${name}: ${reasonOf(error)}`;
      onDamage({ path: repo.path, offset: repo.offset, did: repo.did, reason, torn: false });
    }
  }
}
