/** What stands around the blocks of a segment: header, footer, index; each read as far as it is whole. */
import type { FileHandle } from "node:fs/promises";
import { BadBytes, reasonOf } from "./bad-bytes.ts";
import { readAt } from "./file-window.ts";
import { FOOTER_SIZE, HEADER_SIZE, type SegmentKind } from "./layout.ts";
import { decodeFooter, decodeHeader, type SegmentFooter, type SegmentHeader } from "./segment-frame.ts";
import { StoredIndex } from "./stored-index.ts";

export interface SegmentFrame {
  header: SegmentHeader | null;
  /** Null while the segment is unfinished, or when it is damaged. */
  index: StoredIndex | null;
  problems: { offset: number; reason: string }[];
}

/** Null when neither end of the file is that of a segment. */
export async function readFrame(handle: FileHandle, size: number, kind: SegmentKind): Promise<SegmentFrame | null> {
  const problems: SegmentFrame["problems"] = [];
  const attempt = async <T>(offset: number, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      problems.push({ offset, reason: reasonOf(error) });
      return null;
    }
  };

  const header = await attempt(0, async () => {
    const found = decodeHeader(await readAt(handle, 0, HEADER_SIZE));
    return requireKind(found, kind);
  });
  const footerAt = Math.max(HEADER_SIZE, size - FOOTER_SIZE);
  // Without a footer an unfinished segment is as it should be.
  const unfinished = header?.indexOffset === 0n && header.repoCount === 0;
  const known = problems.length;
  const footer = await attempt(footerAt, async () => {
    const found = decodeFooter(await readAt(handle, footerAt, FOOTER_SIZE), size);
    return requireKind(found, kind);
  });
  if (footer === null && unfinished) problems.length = known;
  const index = footer && (await attempt(Number(footer.indexOffset), () => StoredIndex.open(handle, footer)));
  if (header === null && index === null) return null;
  if (header !== null && index !== null && !agree(header, footer!)) {
    problems.push({ offset: 0, reason: "header and footer differ" });
  }
  return { header, index, problems };
}

const agree = (header: SegmentHeader, footer: SegmentFooter): boolean =>
  header.repoCount === footer.repoCount && header.indexOffset === footer.indexOffset;

function requireKind<T extends { kind: SegmentKind }>(found: T, kind: SegmentKind): T {
  if (found.kind !== kind) throw new BadBytes(`this is an .${found.kind} segment, not an .${kind}`);
  return found;
}
