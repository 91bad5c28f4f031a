/** Rebuilds the CAR of a repo from its proof: commit, tree and records, as they were signed. */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { CID_PREFIX } from "../../repo/multibase.ts";
import type { Damage } from "../format/bytes.ts";
import type { StoredProof } from "../format/proof.ts";
import type { ArchivedRepo } from "../read/archive.ts";
import { isGone, SegmentReader } from "../read/segment-reader.ts";
import { LINK_HEAD, mstRoot } from "./recompute-cids.ts";
import { findProof } from "./verify-segments.ts";

/** Null when no blocks were kept for it. */
export const signedCar = (proof: StoredProof | null): Buffer | null => (proof?.hasBlocks ? carOf(proof) : null);

/** Null when there is none. */
export async function storedProof(repo: ArchivedRepo, onDamage: (damage: Damage) => void): Promise<StoredProof | null> {
  const path = repo.path.replace(/\.rca(\.partial)?$/, ".rcx$1");
  if (!existsSync(path)) return null;
  try {
    const reader = await SegmentReader.open(path, { onDamage }, "rcx");
    try {
      return await findProof(repo, reader);
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Commit first, then the tree, then the records, each block once. */
export function carOf({
  commit,
  records,
  undecodable,
}: Pick<StoredProof, "commit" | "records" | "undecodable">): Buffer {
  const leaves = [...records.map(({ key, ...rest }) => ({ key: Buffer.from(key), ...rest })), ...undecodable].sort(
    (a, b) => Buffer.compare(a.key, b.key),
  );
  const commitCid = cidOf(hash("sha256", commit, "buffer"));
  const blocks = new Map<string, [cid: Buffer, block: Uint8Array]>();
  const add = (cid: Buffer, block: Uint8Array) => blocks.set(cid.toString("latin1"), [cid, block]);
  add(commitCid, commit);
  mstRoot(leaves, (digest, node) => add(cidOf(digest), node));
  for (const { cid, block } of leaves) add(cid, block!);
  return carFrom([...blocks.values()]);
}

/** The first block is the root. */
export function carFrom(blocks: readonly (readonly [cid: Buffer, block: Uint8Array])[]): Buffer {
  const header = Buffer.concat([ROOTS, LINK_HEAD, blocks[0]![0], VERSION_1]);
  const parts: Uint8Array[] = [varint(header.length), header];
  for (const [cid, block] of blocks) parts.push(varint(cid.length + block.length), cid, block);
  return Buffer.concat(parts);
}

/** The header in DAG-CBOR, before and after the link to the commit: `{roots: [link], version: 1}`. */
const ROOTS = Buffer.from("\xa2eroots\x81", "latin1");
const VERSION_1 = Buffer.from("gversion\x01", "latin1");

const cidOf = (digest: Buffer): Buffer => Buffer.concat([CID_PREFIX, digest]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}
