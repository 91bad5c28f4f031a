/**
 * Accounts that are not active (taken down, suspended, deactivated, deleted), for readers of an archive: from the events and from the hosts'
 * answers to the crawl, whichever is newer.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Catalogue, catalogueFolder } from "./catalogue/catalogue.ts";
import { type CatalogueEntry, recordStatus } from "./catalogue/catalogue-record.ts";
import { FOLLOW_FILE } from "./folder-files.ts";

/** What a host answered that is about the account, not about the host. */
const INACTIVE = new Set<string>(["deleted", "takendown", "deactivated", "suspended"]);

interface Followed {
  did: string;
  status: string | null;
  /** Unix microseconds; 0 when nothing was said about it. */
  at: number;
}

export class InactiveAccounts implements Disposable {
  readonly #db: DatabaseSync | null;
  readonly #find: StatementSync | null;
  readonly #catalogue: Catalogue;

  constructor(folder: string) {
    const path = join(folder, FOLLOW_FILE);
    this.#db = existsSync(path) ? new DatabaseSync(path, { readOnly: true }) : null;
    const columns = this.#db?.prepare("SELECT name FROM pragma_table_info('accounts')").all() ?? [];
    // A file of an earlier version does not say when; its word counts then.
    const at = columns.some(({ name }) => name === "status_at") ? "status_at" : "NULL";
    this.#find =
      this.#db === null || columns.length === 0
        ? null
        : this.#db.prepare(`SELECT did, status, ${at} AS at FROM accounts WHERE did = ?`);
    this.#catalogue = new Catalogue(catalogueFolder(folder));
  }

  /** Such as `takendown`; null when it is active, or nothing is known. */
  statusOf(did: string): string | null {
    return this.#decide(this.#followed(did), this.#catalogue.get(did));
  }

  /** All of them. */
  *all(): Generator<{ did: string; status: string }> {
    const rows = this.#find === null ? [] : this.#db!.prepare(INACTIVE_DIDS).iterate();
    for (const { did } of rows as Iterable<{ did: string }>) {
      const status = this.statusOf(did);
      if (status !== null) yield { did, status };
    }
    for (const record of this.#catalogue.records()) {
      // Nearly all are active: no entry is made of them.
      const entry = record !== null && INACTIVE.has(recordStatus(record)) ? this.#catalogue.entryOf(record) : null;
      if (entry === null) continue;
      const followed = this.#followed(entry.did);
      // Those were listed above.
      if (followed?.status != null) continue;
      const status = this.#decide(followed, entry);
      if (status !== null) yield { did: entry.did, status };
    }
  }

  #followed(did: string): Followed | null {
    const row = this.#find?.get(did);
    return row === undefined ? null : { did, status: row["status"] as string | null, at: Number(row["at"] ?? 0) };
  }

  #decide(followed: Followed | null, entry: CatalogueEntry | null): string | null {
    const crawled = entry !== null && INACTIVE.has(entry.status) ? entry.status : null;
    if (followed === null || entry === null) return followed?.status ?? crawled;
    if (followed.at === 0) return followed.status ?? crawled;
    return BigInt(followed.at) >= entry.at ? followed.status : crawled;
  }

  [Symbol.dispose](): void {
    this.#catalogue.close();
    this.#db?.close();
  }
}

/** Of one account; see `statusOf`. */
export function accountStatus(folder: string, did: string): string | null {
  using accounts = new InactiveAccounts(folder);
  return accounts.statusOf(did);
}

const INACTIVE_DIDS = "SELECT did FROM accounts WHERE status IS NOT NULL";
