/** What a repo is once its CAR was read: its commit, and its records as the blocks of an archive want them. */

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
}

export interface UndecodableRecord {
  /** The key in the tree, `collection/rkey`; bytes that are no UTF-8 are replaced. */
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
}
