/** Finds where zstd frames end (RFC 8878 section 3.1), because node:zlib decodes the first and drops the rest silently. */

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;

/**
 * The frames of a zstd body, skippable ones left out. Bytes that are no frame end the list, as a decoder would stop
 * there; a frame that is cut off is the last piece. Null when there are more than `limit` frames.
 */
export function zstdFrames(bytes: Buffer, limit: number): Buffer[] | null {
  const frames: Buffer[] = [];
  let position = 0;
  while (position + 4 <= bytes.length) {
    const magic = bytes.readUInt32LE(position);
    if (magic >>> 4 === SKIPPABLE_MAGIC >>> 4) {
      if (position + 8 > bytes.length) break;
      position += 8 + bytes.readUInt32LE(position + 4);
      continue;
    }
    if (magic !== FRAME_MAGIC) {
      if (frames.length === 0) frames.push(bytes);
      break;
    }
    if (frames.length === limit) return null;
    const end = frameEnd(bytes, position);
    frames.push(bytes.subarray(position, end));
    position = end;
  }
  return frames.length === 0 ? [bytes] : frames;
}

function frameEnd(bytes: Buffer, start: number): number {
  const descriptor = bytes[start + 4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const contentSizeBytes = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  let position = start + 5 + (singleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes;
  for (;;) {
    if (position + 3 > bytes.length) return bytes.length;
    const header = bytes.readUIntLE(position, 3);
    const type = (header >> 1) & 3;
    // An RLE block holds one byte, to be repeated.
    position += 3 + (type === 1 ? 1 : header >> 3);
    if ((header & 1) === 1) break;
  }
  return Math.min(bytes.length, position + ((descriptor & 4) !== 0 ? 4 : 0));
}
