/**
 * An archive as a stream of messages: a snapshot of every repo, then what is recorded from there on. What is sent of one repo is in its order;
 * a `repo` message starts a repo over and replaces what was sent of it before.
 */
import { isMissing } from "../../storage/durable.ts";
import { Catalogue, catalogueFolder } from "../catalogue/catalogue.ts";
import { findRepo, readPlace } from "../catalogue/find-repo.ts";
import type { CollectionFilter } from "../collection-filter.ts";
import type { CommitEvent, StoredEvent } from "../follow/event-format.ts";
import { eventRecordJson, splitPath } from "../follow/event-record.ts";
import { type EventSegment, eventSegments, readEventHeader, readEvents } from "../follow/event-segments.ts";
import { InactiveAccounts } from "../inactive-accounts.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { collectionsOf } from "../rca/format/collection.ts";
import type { ArchivedRepo } from "../rca/read/archive.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import type { CommitIndex } from "./commit-index.ts";
import { endOfSegments, newBlocks } from "./segment-tail.ts";
import type { StreamCursor } from "./stream-cursor.ts";

export interface ArchiveStreamOptions {
  folder: string;
  commits: CommitIndex;
  filter: CollectionFilter;
  /** Also accounts that are not active. */
  inactive: boolean;
  /** Of records in recorded events; those of repos are as the crawl stored them. */
  json: JsonForm;
  now: () => number;
  onDamage: (damage: Damage) => void;
  /** Resolves when there may be more, or the stream is given up. */
  pause: () => Promise<void>;
  signal: AbortSignal;
}

export interface StreamMessage {
  /** A JSON object. */
  text: string;
  /** Where to go on when this and everything before it has been dealt with. */
  cursor: StreamCursor;
}

/** A repo may have been fetched so long before its block is stored. */
const LONGEST_STORE_MS = 60 * 60_000;
/** Batches of events between two looks at the segments. */
const BATCHES_AT_ONCE = 16;

export class ArchiveStream {
  readonly #options: ArchiveStreamOptions;
  readonly #catalogue: Catalogue;
  /** As of the last look. */
  #accounts: InactiveAccounts;
  readonly #onDamage: (damage: Damage) => void;
  #cursor: StreamCursor;

  private constructor(options: ArchiveStreamOptions, cursor: StreamCursor) {
    this.#options = options;
    this.#cursor = cursor;
    this.#catalogue = new Catalogue(catalogueFolder(options.folder));
    this.#accounts = new InactiveAccounts(options.folder);
    // What is torn is being written.
    this.#onDamage = (damage) => void (damage.torn || options.onDamage(damage));
  }

  /** From a cursor; otherwise with a snapshot, or only what comes from now on. */
  static async open(options: ArchiveStreamOptions, from: StreamCursor | "snapshot" | "now"): Promise<ArchiveStream> {
    if (typeof from !== "string") return new ArchiveStream(options, from);
    const { folder, now } = options;
    const blocks = await endOfSegments(folder);
    const start = { segment: 0, offset: 0, index: 0, made: "" };
    const events = from === "snapshot" ? start : await endOfEvents(folder);
    return new ArchiveStream(options, { after: from === "snapshot" ? "" : null, began: now(), blocks, events });
  }

  /** Ends when it is given up. */
  async *messages(): AsyncGenerator<StreamMessage> {
    const { signal, commits, pause } = this.#options;
    try {
      if (this.#cursor.after !== null) yield* this.#snapshot(this.#cursor.after);
      while (!signal.aborted) {
        const before = this.#cursor;
        try {
          // The catalogue first: what it has is in the segments by the time that these are read.
          this.#catalogue.refresh();
          this.#accounts[Symbol.dispose]();
          this.#accounts = new InactiveAccounts(this.#options.folder);
          await commits.refresh();
          yield* this.#blocks();
          yield* this.#events();
        } catch (error) {
          // `compact` and `forget` replace files while they are read.
          if (!isMissing(error)) throw error;
        }
        if (this.#cursor === before) await pause();
      }
    } finally {
      this.#catalogue.close();
      this.#accounts[Symbol.dispose]();
    }
  }

  async *#snapshot(after: string): AsyncGenerator<StreamMessage> {
    const { signal, folder } = this.#options;
    // Its own: one that is refreshed closes the files that are being read.
    const catalogue = new Catalogue(catalogueFolder(folder));
    try {
      for await (const { did, place } of catalogue.entriesAfter(after === "" ? null : after)) {
        if (signal.aborted) return;
        if (place === null || this.#isHidden(did)) continue;
        const found = await readPlace(folder, did, place, () => {});
        const repo = found ?? (await findRepo(folder, did, this.#onDamage));
        if (repo !== null) yield* this.#repo(repo, false, { ...this.#cursor, after: did });
      }
    } finally {
      catalogue.close();
    }
    if (signal.aborted) return;
    this.#cursor = { ...this.#cursor, after: null };
    yield this.#message({ type: "live" });
  }

  async *#blocks(): AsyncGenerator<StreamMessage> {
    const { folder, signal } = this.#options;
    for await (const { repo, positions } of newBlocks(folder, this.#cursor.blocks, this.#onDamage)) {
      if (signal.aborted) return;
      const next = { ...this.#cursor, blocks: positions };
      const isCopy = repo !== null && Number(repo.crawledAt) / 1000 < this.#cursor.began - LONGEST_STORE_MS;
      if (repo === null || isCopy || this.#isHidden(repo.did)) this.#cursor = next;
      else yield* this.#repo(repo, true, next);
    }
  }

  async *#events(): AsyncGenerator<StreamMessage> {
    const { folder, signal } = this.#options;
    const from = await this.#eventPlace();
    let batches = 0;
    for await (const { header, segment, offset, end, events } of readEvents(folder, this.#onDamage, from)) {
      const made = `${header.createdAt}`;
      const first = segment === from.segment && offset === from.offset ? from.index : 0;
      for (let index = first; index < events.length; index++) {
        const isLast = index === events.length - 1;
        const next = isLast ? { segment, offset: end, index: 0, made } : { segment, offset, index: index + 1, made };
        yield* this.#event(events[index]!, { ...this.#cursor, events: next });
        if (signal.aborted) return;
      }
      // Without events (`follow` kept its place), or all of them sent before.
      if (first >= events.length) this.#cursor = { ...this.#cursor, events: { segment, offset: end, index: 0, made } };
      if (++batches >= BATCHES_AT_ONCE) return;
    }
  }

  /** A segment that was written again is read from its beginning. */
  async #eventPlace(): Promise<StreamCursor["events"]> {
    const { events } = this.#cursor;
    const segment = (await eventSegments(this.#options.folder)).find(({ number }) => number === events.segment);
    if (segment === undefined || (await madeAt(segment)) === events.made) return events;
    return { ...events, offset: 0, index: 0 };
  }

  async *#event(event: StoredEvent, next: StreamCursor): AsyncGenerator<StreamMessage> {
    const { did } = event;
    if (event.kind === "commit" && this.#isNews(event)) yield* this.#commit(event, next);
    this.#cursor = next;
    if (event.kind === "identity") yield this.#message({ type: "identity", did, handle: event.handle || null });
    if (event.kind !== "account") return;
    yield this.#message({ type: "account", did, active: event.active, status: event.status || null });
    if (!event.active || this.#options.inactive) return;
    // It was not sent while it was not active.
    const repo = await findRepo(this.#options.folder, did, this.#onDamage);
    if (repo !== null) yield* this.#repo(repo, true, next);
  }

  /** What a stored repo has is, or will be, sent with that. */
  #isNews({ did, rev }: CommitEvent): boolean {
    const entry = this.#catalogue.get(did);
    const stored = entry?.place == null ? null : entry.rev;
    return (stored === null || rev > stored) && !this.#isHidden(did);
  }

  *#commit({ did, rev, seq, seenAt, ops }: CommitEvent, next: StreamCursor): Generator<StreamMessage> {
    const { filter, json } = this.#options;
    const wanted = ops.filter(({ path }) => filter.wants(splitPath(path)[0]));
    for (const [index, { action, path, record }] of wanted.entries()) {
      const [collection, rkey] = splitPath(path);
      const head = { type: "record", live: true, did, rev, seq, seenAt: isoTime(seenAt), collection, rkey, action };
      const value = record === null ? null : (eventRecordJson(record, json)?.toString() ?? null);
      if (index === wanted.length - 1) this.#cursor = next;
      yield this.#message(head, value);
    }
  }

  /** The stored repo, and the commits since that the events have passed already. */
  async *#repo(repo: ArchivedRepo, live: boolean, next: StreamCursor): AsyncGenerator<StreamMessage> {
    const { commits, filter } = this.#options;
    const { did, rev, pds } = repo;
    yield this.#message({ type: "repo", live, did, rev, pds });
    for (const { name: collection, records } of collectionsOf(repo, this.#onDamage, filter.wants)) {
      for (const { rkey, value } of records) {
        yield this.#message(
          { type: "record", live: false, did, rev, collection, rkey, action: "create" },
          value.toString(),
        );
      }
    }
    const since = live ? await commits.after(did, rev, this.#cursor.events) : [];
    for (const commit of since) yield* this.#commit(commit, this.#cursor);
    this.#cursor = next;
    yield this.#message({ type: "repo_end", live, did, rev: since.at(-1)?.rev ?? rev });
  }

  #message(head: object, record?: string | null): StreamMessage {
    const text = JSON.stringify(head);
    return {
      text: record === undefined ? text : `${text.slice(0, -1)},"record":${record}}`,
      cursor: this.#cursor,
    };
  }

  #isHidden(did: string): boolean {
    return !this.#options.inactive && this.#accounts.statusOf(did) !== null;
  }
}

const isoTime = (microseconds: number): string => new Date(Math.floor(microseconds / 1000)).toISOString();

const madeAt = async (segment: EventSegment): Promise<string> =>
  `${(await readEventHeader(segment, () => {}))?.createdAt ?? ""}`;

async function endOfEvents(folder: string): Promise<StreamCursor["events"]> {
  const last = (await eventSegments(folder)).at(-1);
  if (last === undefined) return { segment: 0, offset: 0, index: 0, made: "" };
  let offset = 0;
  for await (const { end } of readEvents(folder, () => {}, { segment: last.number, offset: 0 })) offset = end;
  return { segment: last.number, offset, index: 0, made: await madeAt(last) };
}
