/**
 * The proof of a repo, kept in the `.rcx` next to a segment: its signed commit, and every record as it stood in the CAR, or
 * only its CID. It is stored as a repo block with other values; what is not a record of the archive is in collections with
 * names that no NSID can have.
 */

import { hash } from "node:crypto";
import { CID_PREFIX } from "../../repo/multibase.ts";
import type { RepoBlock } from "./block.ts";
import { BadBytes } from "./bytes.ts";
import { type CollectionContent, compressCollections, contentOf, encodeRecords, recordsOf } from "./collection.ts";

export const COMMIT_COLLECTION = "#commit";
/** Records that are in the tree and not in the archive. Their rkey is the key in the tree, in hexadecimal. */
export const UNDECODABLE_COLLECTION = "#undecodable";
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

/** A collection as the parser returns it: its records, and in the same order their blocks, or their CIDs of 36 bytes each. */
export interface CollectionWithProof extends CollectionContent {
  cids: Uint8Array | null;
  blocks: Uint8Array | null;
}

export interface ProofContent extends RepoProof {
  collections: readonly CollectionWithProof[];
  undecodableBlocks: Uint8Array | null;
}

/** Pure, for a parse thread. The PDS stays empty: the repo's own block has it. `signingKey`: what the signature was checked with. */
export function proofBlock(
  { did, rev, crawledAt }: RepoIdentity,
  proof: ProofContent,
  level: number,
  signingKey: string | null = null,
): RepoBlock {
  const { undecodableBlocks, undecodableCount } = proof;
  const hasBlocks = undecodableBlocks !== null;
  const commit = [
    { rkey: "block", value: proof.commit },
    { rkey: "cid", value: Buffer.from(proof.commitCid) },
    ...(hasBlocks ? [{ rkey: "holds", value: Buffer.from("blocks") }] : []),
    ...(signingKey === null ? [] : [{ rkey: "key", value: Buffer.from(signingKey) }]),
    { rkey: "sig", value: proof.signature },
    { rkey: "undecodable", value: Buffer.from(String(undecodableCount)) },
  ];
  const contents: CollectionContent[] = [
    { name: COMMIT_COLLECTION, recordCount: commit.length, bytes: encodeRecords(commit) },
    ...(hasBlocks ? [{ name: UNDECODABLE_COLLECTION, recordCount: undecodableCount, bytes: undecodableBlocks }] : []),
    ...proof.collections.map((collection) => (hasBlocks ? blockContent(collection) : cidContent(collection))),
  ];
  return { did, pds: "", rev, crawledAt, collections: compressCollections(contents, level) };
}

function blockContent({ name, recordCount, blocks }: CollectionWithProof): CollectionContent {
  if (blocks === null) throw new Error(`${name} does not have the blocks of its records`);
  return { name, recordCount, bytes: blocks };
}

function cidContent({ name, recordCount, bytes, cids }: CollectionWithProof): CollectionContent {
  if (cids?.length !== recordCount * CID_BYTES) throw new Error(`${name} does not have one CID for each record`);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records = recordsOf(content, recordCount).map(({ rkey }, index) => ({
    rkey,
    value: cids.subarray(index * CID_BYTES, (index + 1) * CID_BYTES),
  }));
  return { name, recordCount, bytes: encodeRecords(records) };
}

export interface ProvenRecord {
  /** `collection/rkey`. */
  key: string;
  /** Binary. */
  cid: Buffer;
  /** DAG-CBOR, as it stood in the CAR; null when only the CID was kept. */
  block: Buffer | null;
}

export interface StoredProof extends RepoProof {
  /** Whether the records' blocks were kept, so that the CAR can be rebuilt. */
  hasBlocks: boolean;
  /** The key with which the signature was checked when it was crawled; null when it was not. */
  signingKey: string | null;
  /** As the tree orders them. */
  records: ProvenRecord[];
  /** Those that the archive does not have, if blocks were kept. Keys may be any bytes. */
  undecodable: (Omit<ProvenRecord, "key"> & { key: Buffer })[];
}

export function decodeProof(block: RepoBlock): StoredProof {
  const commit = new Map<string, Buffer>();
  const records: ProvenRecord[] = [];
  const undecodable: StoredProof["undecodable"] = [];
  const values = function* (name: string) {
    const collection = block.collections.find((one) => one.name === name);
    if (collection !== undefined) yield* recordsOf(contentOf(collection), collection.recordCount);
  };
  for (const { rkey, value } of values(COMMIT_COLLECTION)) commit.set(rkey, value);
  const hasBlocks = commit.get("holds")?.toString() === "blocks";
  const proven = (value: Buffer) => (hasBlocks ? { cid: cidOf(value), block: value } : { cid: value, block: null });
  for (const { rkey, value } of values(UNDECODABLE_COLLECTION)) {
    undecodable.push({ key: Buffer.from(rkey, "hex"), ...proven(value) });
  }
  for (const { name } of block.collections) {
    if (name === COMMIT_COLLECTION || name === UNDECODABLE_COLLECTION) continue;
    for (const { rkey, value } of values(name)) records.push({ key: `${name}/${rkey}`, ...proven(value) });
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
    hasBlocks,
    signingKey: commit.get("key")?.toString() ?? null,
    records,
    undecodable,
  };
}

const cidOf = (block: Buffer): Buffer => Buffer.concat([CID_PREFIX, hash("sha256", block, "buffer")]);
