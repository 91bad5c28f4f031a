/** Blocks that were appended to the segments of a folder since they were read last, in whichever segments they are. */
import { open } from "node:fs/promises";
import { isMissing } from "../../storage/durable.ts";
import { decodeBlock } from "../rca/format/block.ts";
import { BadBytes, type Damage, FileWindow, readAt } from "../rca/format/bytes.ts";
import { decodeHeader, HEADER_SIZE, MIN_BLOCK_SIZE } from "../rca/format/frame.ts";
import { readableSegments, type SegmentName } from "../rca/format/segment-names.ts";
import type { ArchivedRepo } from "../rca/read/archive.ts";

/** How far the segments were read: those below a number to their end, others up to a byte. */
export interface SegmentPositions {
  below: number;
  /** By number. A segment that was read to its end has -1. */
  at: Record<string, number>;
}

const READ_AHEAD = 2 ** 20;
const WHOLE = -1;

/** Where the next blocks will be. */
export async function endOfSegments(folder: string): Promise<SegmentPositions> {
  const positions: SegmentPositions = { below: 0, at: {} };
  for (const name of await segmentsOf(folder)) {
    const range = await rangeOf(name, HEADER_SIZE);
    if (range === null) continue;
    // What is torn now may be whole soon: a block that is being written begins at the end of the last whole one.
    let end = HEADER_SIZE;
    if (!range.isFinal) for await (const { next } of blocksOf(name, HEADER_SIZE, () => {})) end = next;
    positions.at[name.number] = range.isFinal ? WHOLE : end;
  }
  return compacted(positions);
}

/** Each block with how far the segments have been read when it has been dealt with. */
export async function* newBlocks(
  folder: string,
  from: SegmentPositions,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<{ repo: ArchivedRepo | null; positions: SegmentPositions }> {
  let positions = from;
  for (const name of await segmentsOf(folder)) {
    const { number } = name;
    const start = number < positions.below ? WHOLE : (positions.at[number] ?? HEADER_SIZE);
    if (start === WHOLE) continue;
    for await (const { repo, next } of blocksOf(name, start, onDamage)) {
      positions = { ...positions, at: { ...positions.at, [number]: next } };
      yield { repo, positions };
    }
    if (name.state !== "final") continue;
    positions = compacted({ ...positions, at: { ...positions.at, [number]: WHOLE } });
    yield { repo: null, positions };
  }
}

/** One file each: a segment that is being finished may have two names for a moment. */
async function segmentsOf(folder: string): Promise<SegmentName[]> {
  return [
    ...new Map((await readableSegments(folder)).toReversed().map((name) => [name.number, name])).values(),
  ].toReversed();
}

/** All segments that are wholly read, up to the first that is not, as one number. */
function compacted({ below, at }: SegmentPositions): SegmentPositions {
  const numbers = Object.keys(at)
    .map(Number)
    .sort((a, b) => a - b);
  const firstOpen = numbers.findIndex((number) => at[number] !== WHOLE);
  const whole = firstOpen < 0 ? numbers : numbers.slice(0, firstOpen);
  const left = firstOpen < 0 ? [] : numbers.slice(firstOpen);
  return {
    below: Math.max(below, (whole.at(-1) ?? -1) + 1),
    at: Object.fromEntries(left.map((number) => [number, at[number]!])),
  };
}

/** Where the blocks of a segment end; null when it is not there any more, or has no header yet. */
async function rangeOf({ path, state }: SegmentName, start: number): Promise<{ end: number; isFinal: boolean } | null> {
  const handle = await open(path, "r").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    if (size < HEADER_SIZE) return null;
    if (state !== "final") return { end: size, isFinal: false };
    const { indexOffset } = decodeHeader(await readAt(handle, 0, HEADER_SIZE));
    return { end: Math.max(start, Math.min(size, Number(indexOffset))), isFinal: true };
  } catch (error) {
    if (error instanceof BadBytes) return null;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Ends at the first block that is not whole: it is being written, or was left by a crash. */
async function* blocksOf(
  name: SegmentName,
  start: number,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<{ repo: ArchivedRepo | null; next: number }> {
  const range = await rangeOf(name, start);
  if (range === null || start >= range.end) return;
  const handle = await open(name.path, "r").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (handle === null) return;
  try {
    const window = new FileWindow(handle, range.end, READ_AHEAD);
    for (let offset = start; range.end - offset >= MIN_BLOCK_SIZE; ) {
      const size = (await window.read(offset, 4)).readUInt32LE(0);
      if (size < MIN_BLOCK_SIZE || size > range.end - offset) return;
      const bytes = await window.read(offset, size);
      let repo: ArchivedRepo | null = null;
      try {
        repo = { ...decodeBlock(bytes), path: name.path, offset, size };
      } catch (error) {
        if (!(error instanceof BadBytes)) throw error;
        // The last one of an unfinished segment is being written.
        if (!range.isFinal && offset + size === range.end) return;
        onDamage({ path: name.path, offset, did: null, reason: error.message, torn: false });
      }
      offset += size;
      yield { repo, next: offset };
    }
  } finally {
    await handle.close();
  }
}
