/** Checks a segment to its last byte: frame, index, every block, every record, and the proofs next to it. */

import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import type { CompressedCollection, RepoBlock } from "../format/block.ts";
import { BadBytes, compareBytewise, type Damage, reasonOf } from "../format/bytes.ts";
import { contentOf, recordsOf } from "../format/collection.ts";
import { decodeProof, type StoredProof } from "../format/proof.ts";
import { SegmentReader, type StoredRepo } from "../read/segment-reader.ts";
import { checkProof, type KnownKeys, type Unproven } from "./check-proof.ts";

export interface VerifyOptions {
  /** Also the `.rcx` next to the segment. */
  proofs: boolean;
  /** The signing keys of a DID; null when they are not known. Without this, no repo is proven. */
  keysOf?: (did: string) => KnownKeys | null;
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
  /** Repos whose every record is what was signed, by the account's key. */
  provenRepos: number;
  /** Repos without a mistake that are not proven, in total and by reason. */
  unprovableRepos: number;
  unproven: Partial<Record<Unproven, number>>;
  /** Records whose JSON is what their CID stands for. */
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

/** Of a segment that was not read. */
export const noCounts = (path: string): VerifyCounts => ({
  path,
  bytes: 0,
  indexed: false,
  repos: 0,
  records: 0,
  provenRepos: 0,
  unprovableRepos: 0,
  unproven: {},
  provenRecords: 0,
  problems: 0,
  torn: false,
});

/** What is wrong with the proof of a repo; null when it is valid. */
async function prove(
  repo: StoredRepo,
  keys: ReadonlySet<string>,
  proofs: SegmentReader,
  { keysOf }: VerifyOptions,
  counts: VerifyCounts,
): Promise<string | null> {
  try {
    const proof = await findProof(repo, proofs);
    if (proof === null) return "its proof is missing";
    const { unproven, provenRecords } = checkProof(repo, keys, proof, keysOf?.(repo.did) ?? null);
    counts.provenRecords += provenRecords;
    if (unproven === null) counts.provenRepos++;
    else {
      counts.unprovableRepos++;
      counts.unproven[unproven] = (counts.unproven[unproven] ?? 0) + 1;
    }
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

/** The proof of this crawl of a repo; null if there is none. */
export async function findProof(
  repo: Pick<StoredRepo, "did" | "crawledAt" | "rev">,
  proofs: SegmentReader,
): Promise<StoredProof | null> {
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
