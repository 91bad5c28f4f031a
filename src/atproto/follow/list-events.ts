/** The recorded events of an archive for people and programs: one object each, records as JSON. */
import { InactiveAccounts } from "../inactive-accounts.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import type { StoredEvent } from "./event-format.ts";
import { eventRecordJson, splitPath } from "./event-record.ts";
import { type EventPlace, readEvents } from "./event-segments.ts";

export interface ListedEvent {
  kind: StoredEvent["kind"];
  source: string;
  /** Whether its commit was checked against the key of the account. */
  verified: boolean;
  seq: number;
  /** When it was first seen here. */
  seenAt: string;
  did: string | null;
  /** What is particular to its kind; of an operation the record, null when it is deleted or not valid. */
  [more: string]: unknown;
}

export interface ListOptions {
  folder: string;
  did?: string | undefined;
  collection?: string | undefined;
  json: JsonForm;
  /** Also of accounts that are not active, such as those taken down. */
  inactive: boolean;
  onDamage: (damage: Damage) => void;
}

/** In the order in which they came. */
export async function* listEvents(options: ListOptions): AsyncGenerator<ListedEvent> {
  for await (const { event } of placedEvents(options)) if (event !== null) yield event;
}

/** An event among all events of an archive. */
export interface PlaceOfEvent extends EventPlace {
  /** Within its batch. */
  index: number;
}

/** Every event from a place on, with its own place; null for those that are not wanted. */
export async function* placedEvents(
  options: ListOptions,
  from: PlaceOfEvent = { segment: 0, offset: 0, index: 0 },
): AsyncGenerator<{ place: PlaceOfEvent; event: ListedEvent | null }> {
  using accounts = new InactiveAccounts(options.folder);
  for await (const { header, segment, offset, events } of readEvents(options.folder, options.onDamage, from)) {
    const first = segment === from.segment && offset === from.offset ? from.index : 0;
    for (let index = first; index < events.length; index++) {
      yield { place: { segment, offset, index }, event: listed(events[index]!, header, accounts, options) };
    }
  }
}

function listed(
  event: StoredEvent,
  { source, verified }: Pick<ListedEvent, "source" | "verified">,
  accounts: InactiveAccounts,
  options: ListOptions,
): ListedEvent | null {
  if (options.did !== undefined && event.did !== options.did) return null;
  // That it was taken down is not hidden, what it wrote is.
  if (event.kind === "commit" && !options.inactive && accounts.statusOf(event.did) !== null) return null;
  const described = describe(event, options);
  if (described === null) return null;
  const seenAt = new Date(Math.floor(event.seenAt / 1000)).toISOString();
  return { kind: event.kind, source, verified, seq: event.seq, seenAt, did: event.did || null, ...described };
}

/** Null when nothing of it is wanted. */
function describe(event: StoredEvent, { collection, json }: ListOptions): Record<string, unknown> | null {
  switch (event.kind) {
    case "commit": {
      const wanted = event.ops.filter(({ path }) => collection === undefined || path.startsWith(`${collection}/`));
      if (wanted.length === 0 && collection !== undefined) return null;
      const ops = wanted.map(({ action, path, record }) => {
        const [name, rkey] = splitPath(path);
        return { action, collection: name, rkey, record: record === null ? null : recordJson(record, json) };
      });
      return { rev: event.rev, ops };
    }
    case "sync":
      return collection === undefined ? { rev: event.rev } : null;
    case "identity":
      return collection === undefined ? { handle: event.handle || null } : null;
    case "account":
      return collection === undefined ? { active: event.active, status: event.status || null } : null;
    case "gap":
    case "mark":
      return collection === undefined ? { reason: event.reason } : null;
  }
}

function recordJson(record: Buffer, form: JsonForm): unknown {
  const json = eventRecordJson(record, form);
  return json === null ? null : JSON.parse(json.toString("utf8"));
}
