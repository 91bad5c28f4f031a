/** Where the recorded commits of an account are, so that its repo can be brought up to date. In a temporary file, which grows with the events. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { CommitEvent } from "../follow/event-format.ts";
import {
  batchesOf,
  type EventPlace,
  type EventSegment,
  eventSegments,
  readBatch,
  readEventHeader,
} from "../follow/event-segments.ts";
import type { Damage } from "../rca/format/bytes.ts";

const TABLE = `CREATE TABLE commits (
  did TEXT, rev TEXT, segment INTEGER, offset INTEGER, position INTEGER, PRIMARY KEY (did, rev)
) STRICT, WITHOUT ROWID`;

type Place = EventPlace & { index: number };

const isBefore = (one: Place, other: Place): boolean =>
  (one.segment - other.segment || one.offset - other.offset || one.index - other.index) < 0;

export class CommitIndex implements Disposable {
  readonly #folder: string;
  readonly #onDamage: (damage: Damage) => void;
  #db = new DatabaseSync("");
  #find!: StatementSync;
  #put!: StatementSync;
  /** Of each segment the time of its creation, and how far it was read. */
  #read = new Map<number, { createdAt: bigint; until: number }>();
  #refreshing: Promise<void> | null = null;

  constructor(folder: string, onDamage: (damage: Damage) => void) {
    this.#folder = folder;
    this.#onDamage = onDamage;
    this.#begin();
  }

  /** Reads what was recorded since. Several callers share one reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#catchUp().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** The commits of an account after a rev, oldest first; with `until` those that come before this place. */
  async after(did: string, rev: string, until?: Place): Promise<CommitEvent[]> {
    const segments = new Map((await eventSegments(this.#folder)).map((segment) => [segment.number, segment]));
    const commits: CommitEvent[] = [];
    for (const row of this.#find.all(did, rev)) {
      const [segment, offset, position] = [Number(row["segment"]), Number(row["offset"]), Number(row["position"])];
      if (until !== undefined && !isBefore({ segment, offset, index: position }, until)) continue;
      const file = segments.get(segment);
      const event = file && (await this.#eventAt(file, offset, position));
      if (event?.kind === "commit" && event.did === did) commits.push(event);
    }
    return commits;
  }

  async #eventAt(segment: EventSegment, offset: number, position: number) {
    for await (const placed of batchesOf(segment, { onDamage: this.#onDamage, from: offset })) {
      return readBatch(placed, this.#onDamage)?.events[position];
    }
    return undefined;
  }

  async #catchUp(): Promise<void> {
    const segments = await eventSegments(this.#folder);
    const headers = new Map<number, bigint>();
    for (const segment of segments) {
      const header = await readEventHeader(segment, () => {});
      if (header !== null) headers.set(segment.number, header.createdAt);
    }
    // Written again by `compact` or `forget`: places in it are others now.
    const isStale = [...this.#read].some(([number, { createdAt }]) => headers.get(number) !== createdAt);
    if (isStale) this.#begin();
    const last = Math.max(0, ...this.#read.keys());
    for (const segment of segments) {
      const createdAt = headers.get(segment.number);
      if (createdAt !== undefined && segment.number >= last) await this.#readSegment(segment, createdAt);
    }
  }

  async #readSegment(segment: EventSegment, createdAt: bigint): Promise<void> {
    const { number } = segment;
    const progress = this.#read.get(number) ?? { createdAt, until: 0 };
    this.#read.set(number, progress);
    // What is torn is being written.
    const onDamage = (damage: Damage): void => void (damage.torn || this.#onDamage(damage));
    for await (const placed of batchesOf(segment, { onDamage, from: progress.until })) {
      const events = readBatch(placed, onDamage)?.events ?? [];
      this.#db.exec("BEGIN");
      for (const [position, event] of events.entries()) {
        if (event.kind === "commit") this.#put.run(event.did, event.rev, number, placed.offset, position);
      }
      this.#db.exec("COMMIT");
      progress.until = placed.end;
    }
  }

  #begin(): void {
    this.#db.close();
    // An empty name: a temporary file of SQLite's own.
    this.#db = new DatabaseSync("");
    this.#db.exec(TABLE);
    this.#put = this.#db.prepare("INSERT OR IGNORE INTO commits VALUES (?, ?, ?, ?, ?)");
    this.#find = this.#db.prepare(
      "SELECT segment, offset, position FROM commits WHERE did = ? AND rev > ? ORDER BY rev",
    );
    this.#read = new Map();
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
