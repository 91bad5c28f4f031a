/**
 * Reads blocks without an index, by walking their sizes: an unfinished segment, or one whose index is gone. A block that
 * is not whole becomes a gap. Where its size cannot be trusted the walk ends there, or with `resync` looks for the next
 * whole block.
 */

import { decodeBlock, decodeHead, type RepoBlock } from "../format/block.ts";
import { BadBytes, type FileWindow, reasonOf } from "../format/bytes.ts";
import { HEADER_SIZE, MIN_BLOCK_SIZE } from "../format/frame.ts";

export interface WalkedBlock {
  kind: "block";
  offset: number;
  bytes: Buffer;
  repo: RepoBlock;
}

export interface Gap {
  kind: "gap";
  offset: number;
  size: number;
  reason: string;
  /** No intact block follows: it was left by a crash, or is the index. */
  last: boolean;
}

export interface WalkOptions {
  window: FileWindow;
  /** The latest point at which the blocks can end. */
  end: number;
  resync: boolean;
}

const SCAN_BYTES = 1024 * 1024;
/** Longer than a head whose strings are real ones. */
const HEAD_BYTES = 4096;
const DID_MARK = Buffer.from("did:");
const DID = /^did:[a-z0-9]+:[\w.:%-]+$/;

/**
 * A search checks the CRC of every place that looks like a block. Hostile records can hold many such places with great
 * sizes; so it reads at most this many times the file.
 */
const RESYNC_WORK = 4;

export async function* walkBlocks({ window, end, resync }: WalkOptions): AsyncGenerator<WalkedBlock | Gap> {
  const budget = { bytes: RESYNC_WORK * window.size };
  let offset = Math.min(HEADER_SIZE, end);
  while (offset < end) {
    let reason: string;
    try {
      const block = await blockAt(window, offset, end);
      yield block;
      offset += block.bytes.length;
      continue;
    } catch (error) {
      reason = reasonOf(error);
    }
    const next =
      (await afterDamaged(window, offset, end)) ?? (resync ? await findBlock(window, offset + 1, end, budget) : null);
    yield { kind: "gap", offset, size: (next ?? end) - offset, reason, last: next === null };
    offset = next ?? end;
  }
}

async function blockAt(window: FileWindow, offset: number, end: number): Promise<WalkedBlock> {
  if (end - offset < MIN_BLOCK_SIZE) throw new BadBytes("the block is cut off");
  const size = (await window.read(offset, 4)).readUInt32LE(0);
  if (size < MIN_BLOCK_SIZE) throw new BadBytes(`no block has ${size} bytes`);
  if (size > end - offset) throw new BadBytes(`a block of ${size} bytes is cut off after ${end - offset}`);
  const bytes = await window.read(offset, size);
  return { kind: "block", offset, bytes, repo: decodeBlock(bytes) };
}

/** Where a damaged block ends, if its size is true: then a whole block begins there. */
async function afterDamaged(window: FileWindow, offset: number, end: number): Promise<number | null> {
  if (end - offset < MIN_BLOCK_SIZE) return null;
  const next = offset + (await window.read(offset, 4)).readUInt32LE(0);
  return next > offset && next < end && (await isBlock(window, next, end)) ? next : null;
}

async function findBlock(
  window: FileWindow,
  from: number,
  end: number,
  budget: { bytes: number },
): Promise<number | null> {
  for (let at = from; at < end; ) {
    const bytes = await window.read(at, Math.min(SCAN_BYTES, end - at));
    for (let mark = bytes.indexOf(DID_MARK); mark !== -1; mark = bytes.indexOf(DID_MARK, mark + 1)) {
      // Size and the length of the DID stand before it.
      const offset = at + mark - 6;
      if (offset < from || !(await looksLikeBlock(window, offset, end, budget))) continue;
      if (await isBlock(window, offset, end)) return offset;
    }
    if (at + bytes.length === end) break;
    // A mark may be split between two pieces.
    at += bytes.length - DID_MARK.length + 1;
  }
  return null;
}

async function looksLikeBlock(
  window: FileWindow,
  offset: number,
  end: number,
  budget: { bytes: number },
): Promise<boolean> {
  try {
    const head = decodeHead(await window.read(offset, Math.min(HEAD_BYTES, end - offset)));
    if (head.size > end - offset || head.crawledAt <= 0n || !DID.test(head.did)) return false;
    budget.bytes -= head.size;
    return budget.bytes >= 0;
  } catch (error) {
    reasonOf(error);
    return false;
  }
}

async function isBlock(window: FileWindow, offset: number, end: number): Promise<boolean> {
  try {
    await blockAt(window, offset, end);
    return true;
  } catch (error) {
    reasonOf(error);
    return false;
  }
}
