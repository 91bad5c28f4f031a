/** The unpacked bytes of a collection: records one after another, each an rkey (u16 length) and a value (u32 length). */
import { BadBytes } from "./bad-bytes.ts";
import { textField } from "./block.ts";
import { ByteReader } from "./byte-reader.ts";

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
