/** Checks a segment to its last byte: frame, index, every block, every record, and the proofs beside it. */

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { CborReader } from "../../repo/cbor-reader.ts";
import { checkSignature, readCommit } from "../../repo/commit.ts";
import { encodeCid } from "../../repo/multibase.ts";
import { RepoParseError } from "../../repo/parsed-repo.ts";
import type { CompressedCollection, RepoBlock } from "../format/block.ts";
import { BadBytes, compareBytewise, type Damage, reasonOf } from "../format/bytes.ts";
import { contentOf, recordsOf } from "../format/collection.ts";
import { decodeProof, type StoredProof } from "../format/proof.ts";
import { SegmentReader, type StoredRepo } from "../read/segment-reader.ts";
import { digestOfJson, mstRoot } from "./recompute-cids.ts";

export interface VerifyOptions {
  /** Also the `.rcx` beside the segment. */
  proofs: boolean;
  /** The signing key of a DID as did:key or multikey, or null when it is not known; without this, signatures are not checked. */
  signingKey?: (did: string) => Promise<string | null>;
  /** Called with each problem as it is found. */
  onDamage: (damage: Damage) => void;
  /** Called with the counts so far, after each repo. */
  onProgress?: (counts: VerifyCounts) => void;
  signal?: AbortSignal;
}

export interface VerifyCounts {
  path: string;
  /** Of the segment's file. */
  bytes: number;
  /** Whether there is an intact index; an unfinished segment has none, which is not damage. */
  indexed: boolean;
  /** Whole blocks, and the records in them. */
  repos: number;
  records: number;
  /** Repos whose tree was recomputed and is the one that was signed. */
  provenRepos: number;
  /** Repos with records that could not be decoded: their tree cannot be recomputed. */
  unprovableRepos: number;
  /** Records whose JSON yields their CID; with plain JSON these are few. */
  provenRecords: number;
  problems: number;
  /** The end of an unfinished segment is cut off, as a crash leaves it; not counted as a problem. */
  torn: boolean;
}

export async function verifySegment(path: string, options: VerifyOptions): Promise<VerifyCounts> {
  const counts = noCounts(path);
  const onDamage = (damage: Damage): void => {
    if (damage.torn) counts.torn = true;
    else counts.problems++;
    options.onDamage(damage);
  };
  const reader = await SegmentReader.open(path, { onDamage });
  let proofs: SegmentReader | null = null;
  try {
    counts.bytes = reader.size;
    counts.indexed = reader.indexed;
    await reader.checkCoverage();
    if (options.proofs) proofs = await openProofs(path, onDamage);
    for await (const repo of reader.repos()) {
      options.signal?.throwIfAborted();
      const { records, keys, problems } = checkRepo(repo);
      counts.repos++;
      counts.records += records;
      if (proofs !== null && problems.length === 0) {
        const problem = await prove(repo, keys, proofs, options, counts);
        if (problem !== null) problems.push(problem);
      }
      for (const reason of problems) onDamage({ path, offset: repo.offset, did: repo.did, reason, torn: false });
      options.onProgress?.(counts);
    }
  } finally {
    await proofs?.close();
    await reader.close();
  }
  return counts;
}

const noCounts = (path: string): VerifyCounts => ({
  path,
  bytes: 0,
  indexed: false,
  repos: 0,
  records: 0,
  provenRepos: 0,
  unprovableRepos: 0,
  provenRecords: 0,
  problems: 0,
  torn: false,
});

/** What is wrong with the proof of a repo; null when it is valid. */
async function prove(
  repo: StoredRepo,
  keys: ReadonlySet<string>,
  proofs: SegmentReader,
  { signingKey }: VerifyOptions,
  counts: VerifyCounts,
): Promise<string | null> {
  try {
    const proof = await findProof(repo, proofs);
    if (proof === null) return "its proof is missing";
    const key = (await signingKey?.(repo.did)) ?? null;
    if (checkProof(repo, keys, proof, key)) counts.provenRepos++;
    else counts.unprovableRepos++;
    counts.provenRecords += countProvenRecords(repo, proof);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

async function openProofs(path: string, onDamage: (damage: Damage) => void): Promise<SegmentReader | null> {
  const beside = path.replace(/\.rca(\.partial)?$/, ".rcx$1");
  // The proofs of a segment are finished before it is.
  const found = [beside, beside.replace(/\.partial$/, "")].find((name) => existsSync(name));
  if (found !== undefined) return SegmentReader.open(found, { onDamage }, "rcx");
  onDamage({ path: beside, offset: 0, did: null, reason: "the proofs of the segment are missing", torn: false });
  return null;
}

async function findProof(repo: StoredRepo, proofs: SegmentReader): Promise<StoredProof | null> {
  for (const entry of await proofs.find(repo.did)) {
    const block = await proofs.read(entry);
    if (block?.crawledAt === repo.crawledAt && block.rev === repo.rev) return decodeProof(block);
  }
  return null;
}

interface RepoCheck {
  /** Records of whole collections. */
  records: number;
  /** `collection/rkey` of those. */
  keys: Set<string>;
  /** The first problem of each collection. */
  problems: string[];
}

/** Checks a repo inside its frames: order, counts, and whether every record is JSON. */
function checkRepo(repo: RepoBlock): RepoCheck {
  const check: RepoCheck = { records: 0, keys: new Set(), problems: [] };
  let before: string | null = null;
  for (const collection of repo.collections) {
    const { name, recordCount } = collection;
    if (before !== null && compareBytewise(before, name) >= 0) check.problems.push(`${name} is out of order`);
    if (recordCount === 0) check.problems.push(`${name} has no records`);
    before = name;
    try {
      for (const key of keysOf(collection)) check.keys.add(key);
      check.records += recordCount;
    } catch (error) {
      check.problems.push(`${name}: ${reasonOf(error)}`);
    }
  }
  return check;
}

function keysOf(collection: CompressedCollection): string[] {
  const { name, recordCount } = collection;
  const keys: string[] = [];
  let before: string | null = null;
  for (const { rkey, value } of recordsOf(contentOf(collection), recordCount)) {
    if (before !== null && compareBytewise(before, rkey) >= 0) throw new BadBytes(`rkey ${rkey} is out of order`);
    if (!isJson(value)) throw new BadBytes(`the record ${rkey} is not JSON`);
    before = rkey;
    keys.push(`${name}/${rkey}`);
  }
  return keys;
}

function isJson(value: Buffer): boolean {
  if (!isUtf8(value)) return false;
  try {
    JSON.parse(value.toString());
    return true;
  } catch {
    return false;
  }
}

/** Checks the proof of a repo: its records are those of the archive, and their tree is the one that was signed. */
const DIGEST_BYTES = 32;

/**
 * Throws BadBytes with what is wrong. `keys` are the `collection/rkey` of the archive's records. False when the repo had
 * records that could not be decoded: without their CIDs its tree cannot be rebuilt.
 */
function checkProof(
  repo: Pick<RepoBlock, "did" | "rev">,
  keys: ReadonlySet<string>,
  proof: StoredProof,
  signingKey: string | null,
): boolean {
  if (encodeCid(hash("sha256", proof.commit, "buffer"), 0) !== proof.commitCid) {
    throw new BadBytes("the commit in the proof does not have the CID stored beside it");
  }
  const commit = commitOf(proof, signingKey);
  if (commit.did !== repo.did || commit.rev !== repo.rev) {
    throw new BadBytes(`the proof is for rev ${commit.rev} of ${commit.did}`);
  }
  if (proof.records.length !== keys.size || !proof.records.every(({ key }) => keys.has(key))) {
    throw new BadBytes("the proof is for other records than those of the archive");
  }
  if (proof.undecodableCount > 0) return false;
  const signedRoot = proof.commit.subarray(commit.dataDigest, commit.dataDigest + DIGEST_BYTES);
  if (!mstRoot(proof.records).equals(signedRoot)) {
    throw new BadBytes("the records' CIDs do not make the tree that was signed");
  }
  return true;
}

/** How many records have the CID of the proof when it is computed from their JSON. The others lost something in the conversion. */
function countProvenRecords(repo: RepoBlock, proof: StoredProof): number {
  const cids = new Map(proof.records.map(({ key, cid }) => [key, cid]));
  let proven = 0;
  for (const collection of repo.collections) {
    for (const { rkey, value } of recordsOf(contentOf(collection), collection.recordCount)) {
      const digest = digestOfJson(value);
      if (digest !== null && cids.get(`${collection.name}/${rkey}`)?.subarray(-DIGEST_BYTES).equals(digest)) proven++;
    }
  }
  return proven;
}

function commitOf(proof: StoredProof, signingKey: string | null) {
  try {
    const commit = readCommit(new CborReader(proof.commit), 0, proof.commit.length);
    if (signingKey !== null) checkSignature(commit.unsigned, commit.signature, signingKey);
    return commit;
  } catch (error) {
    if (error instanceof RepoParseError) throw new BadBytes(error.message);
    throw error;
  }
}
