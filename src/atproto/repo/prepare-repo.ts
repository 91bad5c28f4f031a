/** Everything that costs processor time between a CAR and a segment: parsing, compressing, and the proof. Pure, for any thread. */

import { collectionFilter } from "../collection-filter.ts";
import { type RepoBlock, RepoNotStorable } from "../rca/format/block.ts";
import { compressCollections } from "../rca/format/collection.ts";
import { proofBlock } from "../rca/format/proof.ts";
import { BlockIndex } from "./block-index.ts";
import { CborReader } from "./cbor-reader.ts";
import { checkSignature, readCommit } from "./commit.ts";
import { MstWalk } from "./mst-walk.ts";
import { encodeCid } from "./multibase.ts";
import { type ParsedCollection, type ParsedRepo, type ParseOptions, RepoParseError } from "./parsed-repo.ts";
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
    throw new RepoParseError("parse_error", `The commit is for ${JSON.stringify(commit.did)}, not for ${options.did}.`);
  }
  if (options.verify === "full") {
    if (!options.signingKey)
      throw new RepoParseError("bad_signature", "There is no key to check the commit's signature with.");
    checkSignature(commit.unsigned, commit.signature, options.signingKey);
  }
  const blocks = new RecordBlocks(reader, index, options.json, { cids: options.cids, blocks: options.blocks ?? false });
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
    undecodableBlocks: blocks.undecodableBlocks(),
  };
}

export interface PrepareOptions extends ParseOptions {
  pds: string;
  /** Unix microseconds. */
  crawledAt: bigint;
  zstdLevel: number;
  /** Names of collections to keep, such as `app.bsky.feed.*`; all of them when empty. */
  collections?: readonly string[];
}

/** A repo that is ready to be appended to a segment, without its parsed form. */
export interface PreparedRepo extends Omit<ParsedRepo, "collections" | "undecodableBlocks"> {
  collections: Omit<ParsedCollection, "bytes" | "cids" | "blocks">[];
  /** How large the CAR was. */
  carBytes: number;
  block: RepoBlock;
  /** When CIDs or blocks were asked for. */
  proof: RepoBlock | null;
}

/** Throws a `RepoParseError` like `parseRepo`. */
export function prepareRepo(car: Uint8Array, options: PrepareOptions, random: () => number): PreparedRepo {
  const parsed = withCollections(parseRepo(car, options, random), options.collections ?? []);
  const { did, rev } = parsed;
  const { undecodableBlocks: _, ...rest } = parsed;
  const isProved = options.cids || options.blocks === true;
  const { pds, crawledAt, zstdLevel } = options;
  try {
    const block = compact({
      did,
      pds,
      rev,
      crawledAt,
      collections: compressCollections(parsed.collections, zstdLevel),
    });
    const key = options.verify === "full" ? (options.signingKey ?? null) : null;
    const proof = isProved ? compact(proofBlock({ did, rev, crawledAt }, parsed, zstdLevel, key)) : null;
    const collections = parsed.collections.map(({ name, recordCount }) => ({ name, recordCount }));
    return { ...rest, collections, carBytes: car.length, block, proof };
  } catch (error) {
    if (error instanceof RepoNotStorable) {
      throw new RepoParseError("parse_error", `A segment has no room for the repo: ${error.message}.`);
    }
    throw error;
  }
}

/** The whole repo was checked; the rest of it is left out. */
function withCollections(parsed: ParsedRepo, patterns: readonly string[]): ParsedRepo {
  if (patterns.length === 0) return parsed;
  const { wants } = collectionFilter(patterns);
  const collections = parsed.collections.filter(({ name }) => wants(name));
  return { ...parsed, collections, recordCount: collections.reduce((sum, { recordCount }) => sum + recordCount, 0) };
}

/** The memory of the frames, which can be transferred between threads. */
export function frameBuffers({ block, proof }: PreparedRepo): ArrayBuffer[] {
  const frames = [...block.collections, ...(proof?.collections ?? [])];
  return [...new Set(frames.map(({ frame }) => frame.buffer as ArrayBuffer))];
}

/** Copies the frames into one buffer: zlib returns each in a buffer of at least 16 KiB, and most have a few hundred bytes. */
function compact(block: RepoBlock): RepoBlock {
  const all = new Uint8Array(block.collections.reduce((sum, { frame }) => sum + frame.length, 0));
  let at = 0;
  const collections = block.collections.map((collection) => {
    const frame = all.subarray(at, (at += collection.frame.length));
    frame.set(collection.frame);
    return { ...collection, frame };
  });
  return { ...block, collections };
}
