/** The few pieces of DAG-CBOR that making a tree or a record again needs. */

export const NULL = Buffer.from([0xf6]);
/** Tag 42, 37 bytes, the zero that stands before a CID. */
export const LINK_HEAD = Buffer.from([0xd8, 0x2a, 0x58, 0x25, 0x00]);

/** In its shortest form; what has more than 64 bits came from no CBOR, and is cut. */
export function head(major: number, value: number | bigint): Buffer {
  const first = major << 5;
  if (value < 24) return Buffer.from([first | Number(value)]);
  const power = value < 0x100 ? 0 : value < 0x1_0000 ? 1 : value < 0x1_0000_0000 ? 2 : 3;
  const bytes = Buffer.alloc(1 + (1 << power), first | (24 + power));
  if (power < 3) bytes.writeUIntBE(Number(value), 1, 1 << power);
  else bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), 1);
  return bytes;
}
