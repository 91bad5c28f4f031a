/**
 * Whether recorded records are those that were signed: with the records of the stored repo they have to make the tree that the last commit of
 * the account signed. What a later commit or a fetched repo replaced does not count any more, and is not looked at.
 */
import { hash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { findProven } from "../catalogue/find-repo.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { StoredProof } from "../rca/format/proof.ts";
import { mstRoot, type TreeLeaf } from "../rca/repair/recompute-cids.ts";
import { CID_PREFIX } from "../repo/multibase.ts";
import type { CommitEvent } from "./event-format.ts";

export interface ProvenChanges {
  /** Records that commits created or updated, and that are in the tree that was signed. */
  proven: number;
  /** Those for which that cannot be shown: the stored repo, or a commit in between, is missing. */
  unproven: number;
}

const TABLES = `
  CREATE TABLE commits (did TEXT, rev TEXT, since TEXT, root BLOB, PRIMARY KEY (did, rev)) STRICT, WITHOUT ROWID;
  CREATE TABLE changes (did TEXT, path TEXT, rev TEXT, digest BLOB, PRIMARY KEY (did, path)) STRICT, WITHOUT ROWID;
  BEGIN`;

interface CommitRow {
  rev: string;
  since: string;
  /** The digest of its tree; null when it was not signed by a known key. */
  root: Uint8Array | null;
}

export class RecordedChanges implements Disposable {
  /** In a temporary file of SQLite's own. */
  readonly #db = new DatabaseSync("");
  readonly #putCommit: StatementSync;
  readonly #putChange: StatementSync;

  constructor() {
    this.#db.exec(TABLES);
    this.#putCommit = this.#db.prepare("INSERT OR IGNORE INTO commits VALUES (?, ?, ?, ?)");
    this.#putChange = this.#db.prepare(
      `INSERT INTO changes VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET rev = excluded.rev, digest = excluded.digest
       WHERE excluded.rev >= rev`,
    );
  }

  /** `root`: of its tree, when the account signed it. */
  add({ did, rev, since, ops }: CommitEvent, root: Uint8Array | null): void {
    this.#putCommit.run(did, rev, since, root);
    for (const { path, record } of ops) {
      this.#putChange.run(did, path, rev, record === null ? null : hash("sha256", record, "buffer"));
    }
  }

  /** `onDamage` gets accounts whose records do not make the tree. */
  async prove(folder: string, onDamage: (damage: Damage) => void, signal?: AbortSignal): Promise<ProvenChanges> {
    const counts: ProvenChanges = { proven: 0, unproven: 0 };
    for (const { did } of this.#db.prepare("SELECT DISTINCT did FROM commits").iterate() as Iterable<{ did: string }>) {
      signal?.throwIfAborted();
      const { changes, isProven, problem } = await this.#proveOne(folder, did);
      if (problem !== null) onDamage({ path: folder, offset: 0, did, reason: problem, torn: false });
      counts[isProven ? "proven" : "unproven"] += changes;
    }
    return counts;
  }

  async #proveOne(
    folder: string,
    did: string,
  ): Promise<{ changes: number; isProven: boolean; problem: string | null }> {
    const stored = await findProven(folder, did, ignored);
    const base = stored?.repo.rev ?? "";
    const commits = this.#db
      .prepare("SELECT rev, since, root FROM commits WHERE did = ? AND rev > ? ORDER BY rev")
      .all(did, base) as unknown as CommitRow[];
    const changes = this.#db
      .prepare("SELECT path, digest FROM changes WHERE did = ? AND rev > ?")
      .all(did, base) as unknown as { path: string; digest: Uint8Array | null }[];
    const many = changes.filter(({ digest }) => digest !== null).length;
    const isChain = commits.every(({ since, root }, at) => root !== null && since === (commits[at - 1]?.rev ?? base));
    const leaves = isChain && commits.length > 0 ? leavesOf(stored) : null;
    if (leaves === null) return { changes: many, isProven: false, problem: null };
    for (const { path, digest } of changes) {
      const key = Buffer.from(path);
      if (digest === null) leaves.delete(key.toString("latin1"));
      else leaves.set(key.toString("latin1"), { key, cid: Buffer.concat([CID_PREFIX, digest]) });
    }
    const { rev, root } = commits.at(-1)!;
    const isProven = mstRoot([...leaves.values()].sort((a, b) => Buffer.compare(a.key, b.key))).equals(root!);
    const problem = `its recorded changes do not produce the tree that was signed with the commit ${rev}`;
    return { changes: many, isProven, problem: isProven ? null : problem };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Damage of segments was reported when they were checked. */
const ignored = (): void => {};

/** What the tree of the stored repo has, by key; null when that was not kept. Without a repo, nothing: the account is new. */
function leavesOf(stored: { proof: StoredProof | null } | null): Map<string, TreeLeaf> | null {
  if (stored === null) return new Map();
  const { proof } = stored;
  if (proof === null || (!proof.hasBlocks && proof.undecodableCount > 0)) return null;
  const leaves = [...proof.records.map(({ key, cid }) => ({ key: Buffer.from(key), cid })), ...proof.undecodable];
  return new Map(leaves.map(({ key, cid }) => [key.toString("latin1"), { key, cid }]));
}
