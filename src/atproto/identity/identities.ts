/**
 * What is known about accounts: where each has its repo, and which key signs it. In bulk from a PLC export (the table), one
 * by one from the directory or from the host of a did:web (the lookups, which expire).
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import { SourceError } from "../sources/source-client.ts";
import type { DidDocument, DidResolver } from "./did.ts";
import { IdentityTable } from "./identity-table.ts";

export interface Identity extends DidDocument {
  /** Unix ms. For a lookup, when it was made; otherwise, when the operation was written. */
  since: number;
  isLookup: boolean;
}

/** A key that the document of an account named before. */
export interface EarlierKey {
  signingKey: string;
  /** When the document was first seen with another key, in Unix ms. */
  until: number;
}

const LOOKUPS = "lookups.db";
const MIGRATIONS: Migrations = [
  `CREATE TABLE lookups (did TEXT PRIMARY KEY, pds TEXT, signing_key TEXT, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE earlier_keys (
     did TEXT NOT NULL,
     signing_key TEXT NOT NULL,
     until INTEGER NOT NULL,         -- when the document was first seen with another key
     PRIMARY KEY (did, signing_key)
   ) STRICT, WITHOUT ROWID`,
];

export interface IdentitiesOptions {
  /** Where tables are stored. Nothing is created before something is known. */
  folder: string;
  /** How long a lookup counts. */
  maxAgeMs: number;
  now: () => number;
}

export class Identities {
  readonly table: IdentityTable;
  readonly #options: IdentitiesOptions;
  #db: DatabaseSync | null = null;
  #find: StatementSync | null = null;
  #keep: StatementSync | null = null;

  constructor(options: IdentitiesOptions) {
    this.#options = options;
    this.table = new IdentityTable(options.folder);
    if (existsSync(join(options.folder, LOOKUPS))) this.#open();
  }

  /** Null when it is not known, or a lookup is too old. */
  find(did: string): Identity | null {
    const lookup = this.#lookup(did);
    const { maxAgeMs, now } = this.#options;
    if (lookup !== null) return now() - lookup.since < maxAgeMs ? lookup : null;
    return this.#inTable(did);
  }

  /** The newest one known, however old: for checking what was crawled long ago. */
  findAny(did: string): Identity | null {
    const [lookup, row] = [this.#lookup(did), this.#inTable(did)];
    return lookup === null || (row !== null && row.since > lookup.since) ? row : lookup;
  }

  /** What earlier lookups found and later ones replaced: what was crawled then is signed with it. */
  earlierKeys(did: string): EarlierKey[] {
    const rows = this.#db?.prepare("SELECT signing_key, until FROM earlier_keys WHERE did = ?").all(did) ?? [];
    return (rows as { signing_key: string; until: number }[]).map(({ signing_key: signingKey, until }) => ({
      signingKey,
      until,
    }));
  }

  /** Asks for the document, and remembers it. Rejects with a SourceError when there is no answer; a DID that is gone is one. */
  async lookUp(did: string, resolver: DidResolver): Promise<Identity> {
    try {
      return this.#remember(did, await resolver.resolve(did));
    } catch (error) {
      if (!(error instanceof SourceError) || !error.isNotFound) throw error;
      return this.#remember(did, { pds: null, signingKey: null });
    }
  }

  /** Erases what is known of a DID. */
  async forget(did: string): Promise<void> {
    await this.table.forget(did);
    if (this.#db === null) return;
    // Without these, the deleted text would stay in free pages of the file, and in its log.
    this.#db.exec("PRAGMA secure_delete = ON");
    for (const table of ["lookups", "earlier_keys"]) this.#db.prepare(`DELETE FROM ${table} WHERE did = ?`).run(did);
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.table.close();
    this.#db?.close();
    this.#db = null;
    this.#find = null;
  }

  #inTable(did: string): Identity | null {
    const found = this.table.find(did);
    return found === null ? null : { ...found, isLookup: false };
  }

  #lookup(did: string): Identity | null {
    const row = this.#find?.get(did);
    if (row === undefined) return null;
    const {
      pds,
      signing_key: signingKey,
      at,
    } = row as unknown as Record<"pds" | "signing_key", string | null> & {
      at: number;
    };
    return { pds, signingKey, since: at, isLookup: true };
  }

  #remember(did: string, { pds, signingKey }: DidDocument): Identity {
    const at = Math.floor(this.#options.now());
    this.#open();
    const earlier = this.findAny(did)?.signingKey ?? null;
    if (earlier !== null && earlier !== signingKey) {
      this.#db!.prepare("INSERT OR REPLACE INTO earlier_keys VALUES (?, ?, ?)").run(did, earlier, at);
    }
    this.#keep!.run(did, pds, signingKey, at);
    return { pds, signingKey, since: at, isLookup: true };
  }

  #open(): void {
    if (this.#db !== null) return;
    ensureFolder(this.#options.folder);
    const db = new DatabaseSync(join(this.#options.folder, LOOKUPS));
    openForWriting(db);
    // What a power cut loses is looked up again.
    db.exec("PRAGMA synchronous = OFF");
    migrate(db, "lookups", MIGRATIONS);
    this.#db = db;
    this.#find = db.prepare("SELECT pds, signing_key, at FROM lookups WHERE did = ?");
    this.#keep = db.prepare("INSERT OR REPLACE INTO lookups VALUES (?, ?, ?, ?)");
  }
}
