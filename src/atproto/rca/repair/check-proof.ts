/** Does the proof of a repo hold? Its records are those of the archive, and their tree is the one that was signed. */
import { hash } from "node:crypto";
import { CborReader } from "../../repo/cbor-reader.ts";
import { checkSignature, readCommit } from "../../repo/commit.ts";
import { encodeCid } from "../../repo/multibase.ts";
import { RepoParseError } from "../../repo/parsed-repo.ts";
import type { RepoBlock } from "../format/block.ts";
import { BadBytes } from "../format/bytes.ts";
import { contentOf, recordsOf } from "../format/collection.ts";
import type { StoredProof } from "../format/proof.ts";
import { digestOfJson, mstRoot } from "./recompute-cids.ts";

const DIGEST_BYTES = 32;

/**
 * Throws BadBytes with what is wrong. `keys` are the `collection/rkey` of the archive's records. False when the repo had
 * records that could not be decoded: without their CIDs its tree cannot be made again.
 */
export function checkProof(
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

/** How many records give the CID of the proof back from their JSON. The others lost something when they became JSON. */
export function countProvenRecords(repo: RepoBlock, proof: StoredProof): number {
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
