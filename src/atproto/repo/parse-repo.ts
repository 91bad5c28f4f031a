/** From the bytes of a CAR to a repo's records, in one thread and without waiting. */
import { BlockIndex } from "./block-index.ts";
import { CborReader } from "./cbor-reader.ts";
import { checkSignature, readCommit } from "./commit.ts";
import { MstWalk } from "./mst-walk.ts";
import { encodeCid } from "./multibase.ts";
import type { ParsedRepo, ParseOptions } from "./parsed-repo.ts";
import { RepoParseError } from "./parsed-repo.ts";
import { RecordBlocks } from "./record-blocks.ts";

/**
 * Throws a `RepoParseError` when this is not a CAR, not a repo, or not the one that was asked for.
 * `random` keys the table of blocks (`BlockIndex`); nothing in the result depends on it.
 */
export function parseRepo(car: Uint8Array, options: ParseOptions, random: () => number): ParsedRepo {
  const index = new BlockIndex(car, { verify: options.verify !== "none", random });
  const reader = new CborReader(car);
  const block = index.find(index.rootDigest);
  const commitCid = encodeCid(car, index.rootDigest);
  if (block === 0) throw new RepoParseError("parse_error", `The block of the commit, ${commitCid}, is missing.`);
  const start = index.start(block);
  const end = index.end(block);
  const commit = readCommit(reader, start, end);
  if (commit.did !== options.did) {
    throw new RepoParseError("parse_error", `The commit is of ${JSON.stringify(commit.did)}, not of ${options.did}.`);
  }
  if (options.verify === "full") {
    if (!options.signingKey)
      throw new RepoParseError("parse_error", "There is no key to check the commit's signature with.");
    checkSignature(commit.unsigned, commit.signature, options.signingKey);
  }
  const blocks = new RecordBlocks(reader, index, options.json, options.cids);
  new MstWalk(reader, index, blocks).walk(commit.dataDigest);
  const collections = blocks.collections();
  return {
    did: commit.did,
    rev: commit.rev,
    commitVersion: commit.version,
    commitCid,
    commit: car.slice(start, end),
    signature: commit.signature,
    collections,
    recordCount: collections.reduce((sum, { recordCount }) => sum + recordCount, 0),
    undecodableCount: blocks.undecodableCount,
    undecodable: blocks.undecodable,
  };
}
