/** For every record that events changed after its repo was fetched: which change is the last. On disk, in a file that vanishes with it. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ChangeBatch, RecordChange } from "./event-changes.ts";

export class LatestChanges implements Disposable {
  readonly #db: DatabaseSync;
  readonly #put: StatementSync;
  readonly #ofRepo: StatementSync;
  readonly #find: StatementSync;
  #count = 0;

  private constructor() {
    // An empty name: a temporary file of SQLite's own.
    this.#db = new DatabaseSync("");
    this.#db.exec(
      "CREATE TABLE latest (did TEXT, path TEXT, number INTEGER, PRIMARY KEY (did, path)) STRICT, WITHOUT ROWID; BEGIN",
    );
    this.#put = this.#db.prepare("INSERT OR REPLACE INTO latest VALUES (?, ?, ?)");
    this.#ofRepo = this.#db.prepare("SELECT path FROM latest WHERE did = ?");
    this.#find = this.#db.prepare("SELECT number FROM latest WHERE did = ? AND path = ?");
  }

  /** Reads all changes; `counts` tells whether one is after what is stored. */
  static async of(
    batches: AsyncIterable<ChangeBatch>,
    counts: (change: RecordChange) => Promise<boolean>,
  ): Promise<LatestChanges> {
    const latest = new LatestChanges();
    for await (const { changes } of batches) {
      for (const change of changes) {
        const number = ++latest.#count;
        if (await counts(change)) latest.#put.run(change.did, pathOf(change), number);
      }
    }
    return latest;
  }

  /** The paths of a repo whose stored record no longer counts. */
  changedIn(did: string): ReadonlySet<string> {
    return new Set(this.#ofRepo.all(did).map(({ path }) => String(path)));
  }

  /** The last change of each record that still exists. `batches`: the same as before; what was recorded since is ignored. */
  async *records(batches: AsyncIterable<ChangeBatch>): AsyncGenerator<RecordChange> {
    let number = 0;
    for await (const { changes } of batches) {
      for (const change of changes) {
        if (++number > this.#count) return;
        if (change.operation === "delete") continue;
        if (this.#find.get(change.did, pathOf(change))?.["number"] === number) yield change;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

const pathOf = ({ collection, rkey }: RecordChange): string => `${collection}/${rkey}`;
