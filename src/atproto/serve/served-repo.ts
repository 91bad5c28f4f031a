/**
 * A repo as it was signed last, as far as the archive knows: the blocks of its newest crawl, with the commits that were recorded since. What is
 * rebuilt is checked against the signed commit, so what is served is what the account signed, or the crawl before.
 */
import { hash } from "node:crypto";
import { findProven } from "../catalogue/find-repo.ts";
import type { CommitEvent } from "../follow/event-format.ts";
import { findKey } from "../follow/mst-lookup.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { StoredProof } from "../rca/format/proof.ts";
import { mstRoot } from "../rca/repair/recompute-cids.ts";
import { carFrom, carOf } from "../rca/repair/signed-car.ts";
import { BlockIndex } from "../repo/block-index.ts";
import { CborReader } from "../repo/cbor-reader.ts";
import { readCommit } from "../repo/commit.ts";
import { CID_PREFIX, encodeCid } from "../repo/multibase.ts";
import type { CommitIndex } from "./commit-index.ts";

export interface ServedRepo {
  did: string;
  rev: string;
  /** The signed commit, DAG-CBOR. */
  commit: Uint8Array;
  /** In the order of the tree. */
  records: ServedRecord[];
}

export interface ServedRecord {
  /** `collection/rkey`. */
  key: Buffer;
  /** Binary. */
  cid: Buffer;
  /** DAG-CBOR. */
  block: Buffer;
}

export const commitCid = ({ commit }: ServedRepo): string => cidText(cidOf(commit));
export const cidText = (cid: Buffer): string => encodeCid(cid, cid.length - DIGEST_BYTES);
export const repoCar = ({ commit, records }: ServedRepo): Buffer =>
  carOf({ commit, records: [], undecodable: records });

/** The commit, the nodes of the tree that lead to a record, and the record: proof that it is there, or that it is not. */
export function recordProof(repo: ServedRepo, path: string): Buffer {
  const car = repoCar(repo);
  const index = new BlockIndex(car, { verify: false, random: Math.random });
  const reader = new CborReader(car);
  const root = index.find(index.rootDigest);
  const { dataDigest } = readCommit(reader, index.start(root), index.end(root));
  const wanted = new Set([root]);
  const found = findKey(reader, index, dataDigest, Buffer.from(path), (node) => wanted.add(node));
  if (found >= 0) wanted.add(index.find(found));
  const blocks = [...wanted].map((block) => Buffer.from(car.subarray(index.start(block), index.end(block))));
  return carFrom(blocks.map((block) => [cidOf(block), block]));
}

/** Null when the archive does not have it, or not the blocks of its records. */
export async function servedRepo(
  folder: string,
  commits: CommitIndex,
  did: string,
  onDamage: (damage: Damage) => void,
): Promise<ServedRepo | null> {
  const { repo, proof = null } = (await findProven(folder, did, onDamage)) ?? {};
  const base = proof?.hasBlocks ? { did, rev: repo!.rev, commit: proof.commit, records: leavesOf(proof) } : null;
  const later = chainAfter(await commits.after(did, base?.rev ?? ""), base?.rev ?? "");
  if (later.length === 0) return base;
  return applied(did, base?.records ?? [], later) ?? base;
}

/** Records that cannot be decoded are part of the tree all the same. Their keys may be any bytes, so all are bytes here. */
const leavesOf = ({ records, undecodable }: StoredProof): ServedRecord[] =>
  [...records.map(({ key, ...rest }) => ({ key: Buffer.from(key), ...rest })), ...undecodable]
    .filter((record): record is ServedRecord => record.block !== null)
    .sort((a, b) => Buffer.compare(a.key, b.key));

/** Each commit names the one before: after a gap nothing can be said. */
function chainAfter(events: readonly CommitEvent[], rev: string): CommitEvent[] {
  const chain: CommitEvent[] = [];
  let before = rev;
  for (const event of events) {
    if (event.since !== before || event.commit.length === 0) break;
    chain.push(event);
    before = event.rev;
  }
  return chain;
}

/** Null when the tree is not the one that was signed. */
function applied(did: string, records: readonly ServedRecord[], later: readonly CommitEvent[]): ServedRepo | null {
  const byKey = new Map(records.map((record) => [record.key.toString("latin1"), record]));
  for (const { ops } of later) {
    for (const { path, record } of ops) {
      const key = Buffer.from(path);
      if (record === null) byKey.delete(key.toString("latin1"));
      else byKey.set(key.toString("latin1"), { key, cid: cidOf(record), block: record });
    }
  }
  const { rev, commit } = later.at(-1)!;
  const leaves = [...byKey.values()].sort((a, b) => Buffer.compare(a.key, b.key));
  const root = mstRoot(leaves);
  const { dataDigest } = readCommit(new CborReader(commit), 0, commit.length);
  if (!root.equals(commit.subarray(dataDigest, dataDigest + DIGEST_BYTES))) return null;
  return { did, rev, commit, records: leaves };
}

const DIGEST_BYTES = 32;
const cidOf = (block: Uint8Array): Buffer => Buffer.concat([CID_PREFIX, hash("sha256", block, "buffer")]);
