/**
 * Whether a stored repo is what its account signed: every record is checked against its CID, the CIDs against the signed tree,
 * and the signature against the account's key. Whatever cannot be shown is reported, and does not count as proven.
 */
import { hash } from "node:crypto";
import { CborProblem, CborReader } from "../../repo/cbor-reader.ts";
import { type Commit, checkSignature, readCommit } from "../../repo/commit.ts";
import { JsonBuffer } from "../../repo/json-buffer.ts";
import { encodeCid } from "../../repo/multibase.ts";
import { type JsonForm, RepoParseError } from "../../repo/parsed-repo.ts";
import { RecordJson } from "../../repo/record-json.ts";
import type { RepoBlock } from "../format/block.ts";
import { BadBytes } from "../format/bytes.ts";
import { contentOf, recordsOf } from "../format/collection.ts";
import type { ProvenRecord, StoredProof } from "../format/proof.ts";
import { dagCborOfJson, mstRoot } from "./recompute-cids.ts";

/** The keys that an account is known to have or to have had. */
export interface KnownKeys {
  /** As did:key or multikey. */
  keys: readonly string[];
  /** When that was known, in Unix ms: a repo that was crawled before may be signed with an earlier key. */
  since: number;
  /** Keys that it had before: each counts for what was crawled until it was replaced. */
  earlier: readonly { signingKey: string; until: number }[];
}

/** Why a repo without mistakes is still not proven. */
export const UNPROVEN = {
  no_key: "the account's signing key is not known (--keys names it)",
  replaced_key: "signed with another key than the account has now, which may be an earlier one (--keys names it)",
  lossy_json: "only CIDs were kept, and the JSON of some records is not enough to compute them",
  undecodable: "some of their records are not valid CBOR, and only CIDs were kept",
} as const;

export type Unproven = keyof typeof UNPROVEN;

export interface ProofCheck {
  /** Null when it is proven. */
  unproven: Unproven | null;
  /** Records whose JSON is what their CID stands for. */
  provenRecords: number;
}

const DIGEST_BYTES = 32;

/** Throws BadBytes with what is wrong. `keys` are the `collection/rkey` of the archive's records. */
export function checkProof(
  repo: RepoBlock,
  keys: ReadonlySet<string>,
  proof: StoredProof,
  known: KnownKeys | null,
): ProofCheck {
  const commit = commitOf(repo, proof);
  if (proof.records.length !== keys.size || !proof.records.every(({ key }) => keys.has(key))) {
    throw new BadBytes("the proof is for different records than the archive has");
  }
  const hasTree = proof.hasBlocks || proof.undecodableCount === 0;
  if (hasTree) checkTree(proof, commit);
  const provenRecords = checkRecords(repo, proof);
  const unsigned = checkKey(repo, proof, commit, known);
  const isLossy = provenRecords < keys.size;
  return { unproven: !hasTree ? "undecodable" : isLossy ? "lossy_json" : unsigned, provenRecords };
}

function commitOf({ did, rev }: RepoBlock, proof: StoredProof): Commit {
  if (encodeCid(hash("sha256", proof.commit, "buffer"), 0) !== proof.commitCid) {
    throw new BadBytes("the commit in the proof does not have the CID stored next to it");
  }
  try {
    const commit = readCommit(new CborReader(proof.commit), 0, proof.commit.length);
    if (commit.did !== did || commit.rev !== rev) {
      throw new BadBytes(`the proof is for rev ${commit.rev} of ${commit.did}`);
    }
    return commit;
  } catch (error) {
    if (error instanceof RepoParseError) throw new BadBytes(error.message);
    throw error;
  }
}

function checkTree({ commit: bytes, records, undecodable }: StoredProof, { dataDigest }: Commit): void {
  const leaves = [
    ...records.map(({ key, cid }) => ({ key: Buffer.from(key), cid })),
    ...undecodable.map(({ key, cid }) => ({ key, cid })),
  ].sort((a, b) => Buffer.compare(a.key, b.key));
  if (!mstRoot(leaves).equals(bytes.subarray(dataDigest, dataDigest + DIGEST_BYTES))) {
    throw new BadBytes("the records do not make the tree that was signed");
  }
}

/** How many records are what their CID stands for. Those that are not lost something when they were converted, if only CIDs were kept. */
function checkRecords(repo: RepoBlock, proof: StoredProof): number {
  const proofs = new Map(proof.records.map((record) => [record.key, record]));
  let proven = 0;
  for (const collection of repo.collections) {
    for (const { rkey, value } of recordsOf(contentOf(collection), collection.recordCount)) {
      const key = `${collection.name}/${rkey}`;
      const record = proofs.get(key)!;
      if (isProven(record, value)) proven++;
      else if (record.block !== null) throw new BadBytes(`the record ${key} is not what was signed`);
    }
  }
  for (const { block, key } of proof.undecodable) {
    // A record that could be decoded would be missing from the archive.
    if (block !== null && jsonOf(block, "seed") !== null && isRecordKey(key.toString("latin1")))
      throw new BadBytes(`the record ${key} is left out of the archive, although it can be decoded`);
  }
  return proven;
}

const isRecordKey = (key: string): boolean =>
  /^[A-Za-z0-9_~:.-]+\/[A-Za-z0-9_~:.-]+$/.test(key) && !/(?:^|\/)\.{1,2}(?:$|\/)/.test(key);

/**
 * The JSON has to be, byte for byte, what the parser makes of the signed record: a key that is there twice would mean one thing to us and
 * another to the next reader.
 */
function isProven({ cid, block }: ProvenRecord, value: Buffer): boolean {
  const signed = block ?? dagCborOfJson(value);
  if (signed === null) return false;
  if (block === null && !hash("sha256", signed, "buffer").equals(cid.subarray(-DIGEST_BYTES))) return false;
  return FORMS.some((form) => jsonOf(signed, form)?.equals(value));
}

const FORMS: readonly JsonForm[] = ["seed", "lossless"];

/** The JSON of a record as the parser writes it; null when it cannot be decoded. */
function jsonOf(block: Buffer, form: JsonForm): Buffer | null {
  const json = new JsonBuffer(block.length * 2 + 64, Number.MAX_SAFE_INTEGER);
  try {
    new RecordJson(new CborReader(block), json, form).write(0, block.length);
  } catch (problem) {
    if (problem instanceof CborProblem) return null;
    throw problem;
  }
  return Buffer.from(json.bytes.buffer, 0, json.at);
}

/** Null when the account's key signed it. */
function checkKey(
  { crawledAt }: RepoBlock,
  { signingKey }: StoredProof,
  commit: Commit,
  known: KnownKeys | null,
): Unproven | null {
  const signer = signerOf(commit, known, Number(crawledAt) / 1000);
  if (signer === "account") return null;
  const isConsistent = signingKey !== null && isSignedBy(commit, signingKey);
  if (signingKey !== null && !isConsistent)
    throw new BadBytes("its signature was not made with the key it was crawled with");
  if (signer === "no_key" || (signer === "replaced_key" && isConsistent)) return signer;
  throw new BadBytes("its signature was not made with the account's key");
}

/** `replaced_key`: by another key than the account has now, which it may have had at the time. */
export type SignedBy = "account" | "no_key" | "replaced_key" | "another";

/** `at`: when the commit was fetched or seen, in Unix ms. */
export function signerOf(commit: Commit, known: KnownKeys | null, at: number): SignedBy {
  const valid = known?.earlier.filter(({ until }) => at < until).map((key) => key.signingKey) ?? [];
  if ([...(known?.keys ?? []), ...valid].some((key) => isSignedBy(commit, key))) return "account";
  if (known === null || known.keys.length === 0) return "no_key";
  return known.since > at ? "replaced_key" : "another";
}

function isSignedBy({ unsigned, signature }: Commit, key: string): boolean {
  try {
    checkSignature(unsigned, signature, key);
    return true;
  } catch (error) {
    if (error instanceof RepoParseError) return false;
    throw error;
  }
}
