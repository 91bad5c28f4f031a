/**
 * Holds a commit of the stream against what was signed: every hash, the commit's DID and rev, its signature, and for each
 * operation that the signed tree says the same, and that undoing them all leads to the tree before. Relays, and whoever is between, are not believed.
 */
import { BlockIndex } from "../repo/block-index.ts";
import { CborProblem, CborReader } from "../repo/cbor-reader.ts";
import { type Commit, checkSignature, readCommit } from "../repo/commit.ts";
import { RepoParseError } from "../repo/parsed-repo.ts";
import { isRecordPath } from "../repo/record-path.ts";
import type { Action, CommitFrame, SyncFrame } from "./firehose-frame.ts";
import { NodeMissing, PartialTree } from "./mst-invert.ts";
import { ABSENT, findKey, NODE_MISSING } from "./mst-lookup.ts";

export interface VerifiedOp {
  action: Action;
  path: string;
  /** The record as it stood in the CAR, DAG-CBOR; null for a delete. */
  record: Buffer | null;
}

export interface VerifiedCommit {
  rev: string;
  /** The signed commit as it stood in the CAR. */
  commit: Buffer;
  /** Binary CID of the tree. */
  data: Buffer;
  /** Binary CID of the tree before, when undoing the operations led to it: none was left out then. Null when that cannot be shown. */
  before: Buffer | null;
  ops: VerifiedOp[];
}

const CID_BYTES = 36;
const DIGEST_BYTES = 32;

/** A commit that cannot be taken. `bad_signature` may pass with a newer document of the DID. */
export type CommitProblem = RepoParseError;

/** Throws a RepoParseError. `signingKey`: that of the identity table. `random` keys the table of blocks. */
export function verifyCommit(frame: CommitFrame, signingKey: string, random: () => number): VerifiedCommit {
  const slice = openSlice(frame.blocks, random);
  if (!frame.commit.subarray(CID_BYTES - DIGEST_BYTES).equals(digestAt(slice, slice.index.rootDigest))) {
    throw refused("its CAR has another root than its commit");
  }
  const commit = checkCommit(slice, frame, signingKey);
  const seen = new Set<string>();
  const ops = frame.ops.map(({ action, path, cid }): VerifiedOp => {
    if (!isRecordPath(path)) throw refused("it has an operation on a path that is not collection/rkey");
    if (seen.has(path)) throw refused("it has two operations on one record");
    seen.add(path);
    return { action, path, record: recordOf(slice, commit, path, cid) };
  });
  const before = treeBefore(slice, commit, frame);
  return { rev: commit.rev, commit: slice.commitBlock, data: cidAt(slice, commit.dataDigest), before, ops };
}

/** The commit of a `#sync` event: where the repo is now, without what changed. */
export function verifySync(frame: SyncFrame, signingKey: string, random: () => number): VerifiedCommit {
  const slice = openSlice(frame.blocks, random);
  const commit = checkCommit(slice, frame, signingKey);
  return { rev: commit.rev, commit: slice.commitBlock, data: cidAt(slice, commit.dataDigest), before: null, ops: [] };
}

interface Slice {
  car: Uint8Array;
  index: BlockIndex;
  reader: CborReader;
  commitBlock: Buffer;
  commit: Commit;
}

function openSlice(car: Uint8Array, random: () => number): Slice {
  const index = new BlockIndex(car, { verify: true, random });
  const reader = new CborReader(car);
  const block = index.find(index.rootDigest);
  if (block === 0) throw refused("its CAR does not have the commit");
  const [start, end] = [index.start(block), index.end(block)];
  const commit = readCommit(reader, start, end);
  return { car, index, reader, commit, commitBlock: Buffer.from(car.subarray(start, end)) };
}

function checkCommit({ commit }: Slice, { did, rev }: { did: string; rev: string }, signingKey: string): Commit {
  if (commit.did !== did) throw refused(`it is for another account, ${JSON.stringify(commit.did)}`);
  if (commit.rev !== rev) throw refused("its rev is not the one that was signed");
  checkSignature(commit.unsigned, commit.signature, signingKey);
  return commit;
}

function recordOf(slice: Slice, commit: Commit, path: string, cid: Buffer | null): Buffer | null {
  const { reader, index, car } = slice;
  let found: number;
  try {
    found = findKey(reader, index, commit.dataDigest, Buffer.from(path));
  } catch (problem) {
    if (problem instanceof CborProblem) throw refused(`it ${problem.reason}`);
    throw problem;
  }
  if (found === NODE_MISSING) throw refused(`the nodes of the tree that lead to ${path} are missing`);
  if (cid === null) {
    if (found !== ABSENT) throw refused(`${path} is called deleted, and the signed tree has it`);
    return null;
  }
  if (found === ABSENT) throw refused(`${path} is not in the signed tree`);
  if (!cid.subarray(CID_BYTES - DIGEST_BYTES).equals(digestAt(slice, found))) {
    throw refused(`${path} is another record in the signed tree`);
  }
  const block = index.find(found);
  if (block === 0) throw refused(`the record of ${path} is missing`);
  return Buffer.from(car.subarray(index.start(block), index.end(block)));
}

/**
 * Sync 1.1: undoes the operations, and holds the result against the tree that the commit says was before. Whether that is the tree that was
 * signed before, only the caller can tell.
 */
function treeBefore({ reader, index }: Slice, { dataDigest }: Commit, { prevData, ops }: CommitFrame): Buffer | null {
  if (prevData === null || ops.some(({ action, prev }) => action !== "create" && prev === null)) return null;
  try {
    const tree = new PartialTree(reader, index, dataDigest);
    for (const { action, path, prev } of ops) {
      const key = Buffer.from(path);
      if (action === "create") tree.remove(key);
      else if (action === "update") tree.replace(key, prev!);
      else tree.insert(key, prev!);
    }
    if (tree.digest().equals(prevData.subarray(CID_BYTES - DIGEST_BYTES))) return prevData;
  } catch (problem) {
    if (problem instanceof NodeMissing) return null;
    if (problem instanceof CborProblem) throw refused(`it ${problem.reason}`);
    throw problem;
  }
  throw refused("undoing its operations does not lead to the tree before: one is missing or wrong");
}

const digestAt = ({ car }: Slice, digest: number): Uint8Array => car.subarray(digest, digest + DIGEST_BYTES);

const cidAt = ({ car }: Slice, digest: number): Buffer =>
  Buffer.from(car.subarray(digest + DIGEST_BYTES - CID_BYTES, digest + DIGEST_BYTES));

export const refused = (reason: string): RepoParseError =>
  new RepoParseError("parse_error", `The commit was refused: ${reason}.`);
