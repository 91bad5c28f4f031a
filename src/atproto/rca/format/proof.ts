/**
 * What proves a repo, kept in the `.rcx` beside a segment: its signed commit, and the CID of every record. It is stored
 * as a repo block whose values are CIDs; the commit is a collection of its own, with a name that no NSID can have.
 */

import type { RepoBlock } from "./block.ts";
import { BadBytes } from "./bytes.ts";
import { type CollectionContent, compressCollections, contentOf, encodeRecords, recordsOf } from "./collection.ts";

export const COMMIT_COLLECTION = "#commit";
const CID_BYTES = 36;

export type RepoIdentity = Pick<RepoBlock, "did" | "rev" | "crawledAt">;

export interface RepoProof {
  /** The commit's block as it was in the CAR. */
  commit: Uint8Array;
  /** As text, `bafyrei…`. */
  commitCid: string;
  signature: Uint8Array;
  /** Records of the tree that the archive does not have. */
  undecodableCount: number;
}

/** A collection as the parser returns it: its records, and their CIDs in the same order, 36 bytes each. */
export interface CollectionWithCids extends CollectionContent {
  cids: Uint8Array | null;
}

/** Pure, for a parse thread. The PDS stays empty: the repo's own block has it. */
export function proofBlock(
  { did, rev, crawledAt }: RepoIdentity,
  proof: RepoProof & { collections: readonly CollectionWithCids[] },
  level: number,
): RepoBlock {
  const commit = encodeRecords([
    { rkey: "block", value: proof.commit },
    { rkey: "cid", value: Buffer.from(proof.commitCid) },
    { rkey: "sig", value: proof.signature },
    { rkey: "undecodable", value: Buffer.from(String(proof.undecodableCount)) },
  ]);
  const contents = [{ name: COMMIT_COLLECTION, recordCount: 4, bytes: commit }, ...proof.collections.map(cidContent)];
  return { did, pds: "", rev, crawledAt, collections: compressCollections(contents, level) };
}

function cidContent({ name, recordCount, bytes, cids }: CollectionWithCids): CollectionContent {
  if (cids?.length !== recordCount * CID_BYTES) throw new Error(`${name} does not have one CID for each record`);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records = recordsOf(content, recordCount).map(({ rkey }, index) => ({
    rkey,
    value: cids.subarray(index * CID_BYTES, (index + 1) * CID_BYTES),
  }));
  return { name, recordCount, bytes: encodeRecords(records) };
}

export interface StoredProof extends RepoProof {
  /** By `collection/rkey`, as the tree orders them; the CIDs are binary. */
  records: { key: string; cid: Buffer }[];
}

export function decodeProof(block: RepoBlock): StoredProof {
  const commit = new Map<string, Buffer>();
  const records: StoredProof["records"] = [];
  for (const collection of block.collections) {
    for (const { rkey, value } of recordsOf(contentOf(collection), collection.recordCount)) {
      if (collection.name === COMMIT_COLLECTION) commit.set(rkey, value);
      else records.push({ key: `${collection.name}/${rkey}`, cid: value });
    }
  }
  const field = (name: string): Buffer => {
    const value = commit.get(name);
    if (value === undefined) throw new BadBytes(`the proof has no ${name}`);
    return value;
  };
  // The tree compares whole keys, so `a.b.c/x` stands before `a.b/x`. Keys are ASCII.
  records.sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    commit: field("block"),
    commitCid: field("cid").toString(),
    signature: field("sig"),
    undecodableCount: Number(field("undecodable").toString()),
    records,
  };
}
