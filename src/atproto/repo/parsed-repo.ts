/** A parsed repo, the errors of parsing, and the limits on a CAR. */

export interface ParsedRepo {
  did: string;
  /** Empty in commits of version 2 that have none. */
  rev: string;
  commitVersion: 2 | 3;
  /** As text, `bafyrei…`. */
  commitCid: string;
  /** The commit's block as it stood in the CAR: with the signature in it, what an offline check needs. */
  commit: Uint8Array;
  signature: Uint8Array;
  /** Those with records, sorted bytewise by name. */
  collections: ParsedCollection[];
  /** In all collections together. */
  recordCount: number;
  /** Records that are in the tree but not in `collections`. */
  undecodableCount: number;
  /** The first of them. */
  undecodable: UndecodableRecord[];
  /** When blocks were asked for: all of them, laid out like those of a collection, under their key in hexadecimal. */
  undecodableBlocks: Uint8Array | null;
}

export interface ParsedCollection {
  name: string;
  recordCount: number;
  /**
   * The records one after the other, in the order of the tree: rkey with its length as u16 before it, JSON with its length
   * as u32 before it, both little-endian. The collections of a repo share one ArrayBuffer.
   */
  bytes: Uint8Array;
  /** When asked for: the CID of each record, 36 bytes each, in the same order. */
  cids: Uint8Array | null;
  /** When asked for: the records as they stood in the CAR, laid out like `bytes` with DAG-CBOR instead of JSON. */
  blocks: Uint8Array | null;
}

export interface UndecodableRecord {
  /** The key in the tree, `collection/rkey`; bytes that are not UTF-8 are replaced. */
  key: string;
  reason: string;
}

/** none: as it comes. blocks: the SHA-256 of every block. full: also the commit's signature. */
export type Verify = "none" | "blocks" | "full";

/** seed: keys named `cid` are dropped, bytes are base64 text. lossless: the AT Protocol's JSON, nothing dropped. */
export type JsonForm = "seed" | "lossless";

export interface ParseOptions {
  /** The repo that was asked for: a commit of another is refused. */
  did: string;
  verify: Verify;
  /** For `full`: the key of the DID document, as did:key or multikey. */
  signingKey?: string;
  json: JsonForm;
  /** Keep the records' CIDs. */
  cids: boolean;
  /** Keep the records as they stood in the CAR. */
  blocks?: boolean;
}

/**
 * invalid_car: the container is broken, cut off or not what its hashes say. parse_error: its contents are not a repo, or not
 * this one. bad_signature: it is not signed by the key that was given.
 */
export type RepoErrorClass = "invalid_car" | "parse_error" | "bad_signature";

/** For the log and the list of failed repos. */
export class RepoParseError extends Error {
  readonly class: RepoErrorClass;

  constructor(errorClass: RepoErrorClass, reason: string) {
    super(reason);
    this.name = "RepoParseError";
    this.class = errorClass;
  }
}

// The limits on a CAR. No repo of the network comes near any of them.

/** Offsets are 32-bit integers, and V8 is fastest while they are not negative. */
export const LARGEST_CAR_BYTES = 2 ** 31 - 1;

/** A header with one root has 59 bytes. More roots are allowed, but ignored. */
export const LARGEST_HEADER_BYTES = 4_096;

/** A key's layer is counted in pairs of zero bits of a SHA-256, so that a tree has at most this many layers. */
export const DEEPEST_TREE = 128;

/** What the reference implementation allows. */
export const LONGEST_KEY_BYTES = 1_024;

/** A block of an archive stores the number of collections in 16 bits. */
export const MOST_COLLECTIONS = 65_535;

/** Deeper than any lexicon, and far below what overflows the stack here or in a JSON parser. */
export const DEEPEST_RECORD = 128;

/** Keys out of order are kept as strings to find those that occur twice, at many times the memory of their bytes. */
export const MOST_UNORDERED_KEYS = 1_000;

/**
 * How many times the size of the CAR the records may take. Real ones take less than once; but a tree may name one large record a million
 * times, so that without a limit a few megabytes become terabytes.
 */
export const LARGEST_OUTPUT_RATIO = 8;

/** Beyond the ratio, so that a handful of small, equal records is never refused. */
export const OUTPUT_ALLOWANCE_BYTES = 1_048_576;

/** All undecodable records are counted; only this many are listed. */
export const MOST_UNDECODABLE_LISTED = 1_000;

/** A TID has 13 characters; revs of old commits may have another format. */
export const LONGEST_REV = 64;
