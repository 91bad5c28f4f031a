/**
 * Everything that can be read from an AT Protocol archive, by name, so that another process can do it: plain values in,
 * plain values out.
 */

import { existsSync, statSync } from "node:fs";
import { atprotoStatus } from "../../atproto/atproto-status.ts";
import { catRepo } from "../../atproto/catalogue/cat-repo.ts";
import { Catalogue, catalogueFolder } from "../../atproto/catalogue/catalogue.ts";
import { ERROR_CLASSES, isErrorClass } from "../../atproto/error-classes.ts";
import { STATE_FILE } from "../../atproto/folder-files.ts";
import { eventSegments } from "../../atproto/follow/event-segments.ts";
import { type ListedEvent, type PlaceOfEvent, placedEvents } from "../../atproto/follow/list-events.ts";
import { InactiveAccounts } from "../../atproto/inactive-accounts.ts";
import type { Damage } from "../../atproto/rca/format/bytes.ts";
import { segmentNames } from "../../atproto/rca/format/segment-names.ts";
import { countFailures, failedRepos, hostReports, retryFailures } from "../../atproto/state/failures.ts";
import { TrawlError } from "../../errors.ts";
import type { FailureSelection, RepoArchiveStatus, RepoEvents, RepoRecord } from "../operations/atproto.ts";
import { isoTime, isoTimeOrNull } from "../operations/time.ts";
import { verifyArchive } from "./verify-archive.ts";

/** Where an archive is, as the owner named it. */
export interface ArchivePlace {
  folder: string;
  redisAddress: string | null;
}

/** An answer holds about this much; a single record may be larger. */
const ANSWER_BYTES = 2_000_000;
/** Reading this many events takes a second or two. */
const EVENTS_AT_ONCE = 100_000;
const LISTED_DAMAGE = 20;

export const REPO_READINGS = {
  status: readStatus,
  hosts: async (place: ArchivePlace, { host, limit }: { host: string | null; limit: number }) => {
    const all = hostReports(inFile(place), { host: host ?? undefined });
    const rows = all.slice(0, limit).map((row) => ({ ...row, blockedUntil: isoTimeOrNull(row.blockedUntil) }));
    return { total: all.length, rows };
  },
  failures: async (place: ArchivePlace, { limit, ...selection }: FailureSelection & { limit: number }) => {
    const filter = filterOf(selection);
    const rows = [...failedRepos(inFile(place), filter, limit)].map(({ failedAt, retryAt, ...row }) => ({
      ...row,
      failedAt: isoTime(failedAt),
      retryAt: retryAt === 0 ? null : isoTime(retryAt),
    }));
    return { total: countFailures(place.folder, filter), rows };
  },
  retry: async (place: ArchivePlace, selection: FailureSelection) => ({
    count: retryFailures(inFile(place), filterOf(selection)),
  }),
  repos: readRepos,
  repo: readRepo,
  records: readRecords,
  events: readEventPage,
  verify: ({ folder }: ArchivePlace, _: null, signal?: AbortSignal) => verifyArchive(folder, signal),
};

export type RepoReadings = typeof REPO_READINGS;
export type RepoReadingName = keyof RepoReadings;
export type RepoReadingArgs<Name extends RepoReadingName> =
  Parameters<RepoReadings[Name]> extends [unknown, infer Args, ...unknown[]] ? Args : null;
export type RepoReadingAnswer<Name extends RepoReadingName> = Awaited<ReturnType<RepoReadings[Name]>>;

const filterOf = ({ class: name, host }: FailureSelection) => ({ class: name ?? undefined, host: host ?? undefined });

/** The state in Redis does not record which host failed. */
function inFile({ folder, redisAddress }: ArchivePlace): string {
  if (redisAddress === null) return folder;
  throw new TrawlError("BAD_USAGE", "Failures by repo and host are kept in the state file only, not in Redis.", {
    hint: "The status of the archive counts failures by class.",
  });
}

async function readStatus({
  folder,
  redisAddress,
}: ArchivePlace): Promise<Omit<RepoArchiveStatus, "archive"> & { isRunning: boolean }> {
  const summary = await atprotoStatus({ outputDir: folder, redisAddress });
  const hosts = redisAddress === null && existsSync(`${folder}/${STATE_FILE}`) ? hostReports(folder) : null;
  const catalogue = new Catalogue(catalogueFolder(folder));
  const catalogued = catalogue.count;
  catalogue.close();
  const now = Date.now();
  return {
    isRunning: summary.isRunning,
    stored: summary.stats.total_crawled,
    bytesWritten: summary.stats.bytes_written,
    settled: summary.completed,
    failed: Object.entries(summary.failed)
      .filter(([, count]) => count > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => ({ class: name, count, meaning: isErrorClass(name) ? ERROR_CLASSES[name].meaning : "" })),
    sources: Object.entries(summary.cursors).map(([source, cursor]) => ({
      source,
      readUpTo: cursor === "*" ? null : cursor,
    })),
    hosts:
      hosts === null
        ? null
        : {
            known: hosts.length,
            slowed: hosts.filter(({ pace }) => pace < 1).length,
            leftAlone: hosts.filter(({ blockedUntil }) => blockedUntil !== null && blockedUntil > now).length,
            withFailures: hosts.filter(({ failed }) => Object.keys(failed).length > 0).length,
          },
    catalogued,
    segments: sizes((await segmentNames(folder)).filter(({ kind, state }) => kind === "rca" && state !== "damaged")),
    events: sizes(await eventSegments(folder)),
  };
}

const sizes = (files: readonly { path: string }[]) => ({
  files: files.length,
  // A segment that is finished meanwhile gets another name.
  bytes: files.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0),
});

async function readRepos({ folder }: ArchivePlace, { limit }: { limit: number }) {
  const catalogue = new Catalogue(catalogueFolder(folder));
  try {
    const rows: { did: string; rev: string | null; learntAt: string }[] = [];
    for (const { did, rev, place, at } of catalogue.entries()) {
      if (place !== null) rows.push({ did, rev, learntAt: isoTime(Number(at / 1_000n)) });
      if (rows.length === limit) break;
    }
    return { total: catalogue.count, rows };
  } finally {
    catalogue.close();
  }
}

/** The damage that was found, as lines. */
class Damages {
  readonly lines: string[] = [];
  readonly tell = ({ path, offset, reason, torn }: Damage): void => {
    if (!torn && this.lines.length < LISTED_DAMAGE) this.lines.push(`${path} at byte ${offset}: ${reason}`);
  };
}

async function open({ folder }: ArchivePlace, did: string, damages: Damages, collection: string | null = null) {
  const found = await catRepo({ folder, did, ...(collection !== null && { collection }), onDamage: damages.tell });
  if (found === null) throw new TrawlError("DID_NOT_ARCHIVED", `The archive has no repo of ${did}.`);
  return found;
}

async function readRepo(place: ArchivePlace, { did }: { did: string }) {
  const damages = new Damages();
  const { pds, rev, crawledAt, path, collections } = (await open(place, did, damages)).repo;
  using accounts = new InactiveAccounts(place.folder);
  return {
    did,
    pds,
    rev,
    crawledAt: isoTime(Number(crawledAt / 1_000n)),
    segment: path,
    accountStatus: accounts.statusOf(did),
    records: collections.reduce((sum, { recordCount }) => sum + recordCount, 0),
    collections: collections.map(({ name, recordCount }) => ({ name, records: recordCount })),
    damage: damages.lines,
  };
}

interface RecordsArgs {
  did: string;
  collection: string | null;
  /** Only this one. */
  rkey: string | null;
  limit: number;
  /** How many records to skip, in the repo at this rev. */
  after: { rev: string; count: number } | null;
}

async function readRecords(place: ArchivePlace, { did, collection, rkey, limit, after }: RecordsArgs) {
  const damages = new Damages();
  const { repo, records } = await open(place, did, damages, collection);
  if (after !== null && after.rev !== repo.rev) {
    throw new TrawlError("BAD_USAGE", "The repo was fetched again since the first page; start again without a cursor.");
  }
  const rows: RepoRecord[] = [];
  let seen = 0;
  let bytes = 0;
  const first = after?.count ?? 0;
  for (const { collection: name, rkey: key, json } of records) {
    if (rkey !== null && key !== rkey) continue;
    if (seen++ < first) continue;
    if (rows.length === limit || bytes > ANSWER_BYTES) {
      return { rows, next: { rev: repo.rev, count: seen - 1 }, damage: damages.lines };
    }
    bytes += json.length;
    rows.push({ collection: name, rkey: key, json: json.toString("utf8") });
  }
  return { rows, next: null, damage: damages.lines };
}

interface EventsArgs {
  did: string | null;
  collection: string | null;
  inactive: boolean;
  limit: number;
  from: PlaceOfEvent | null;
}

async function readEventPage(
  { folder }: ArchivePlace,
  { did, collection, inactive, limit, from }: EventsArgs,
): Promise<Pick<RepoEvents, "rows" | "damage"> & { next: PlaceOfEvent | null }> {
  const damages = new Damages();
  const question = { folder, did: did ?? undefined, collection: collection ?? undefined, inactive };
  const rows: RepoEvents["rows"] = [];
  let [read, bytes] = [0, 0];
  for await (const { place, event } of placedEvents(
    { ...question, json: "seed", onDamage: damages.tell },
    from ?? undefined,
  )) {
    if (rows.length === limit || read++ === EVENTS_AT_ONCE || bytes > ANSWER_BYTES) {
      return { rows, next: place, damage: damages.lines };
    }
    if (event === null) continue;
    rows.push(eventRow(event));
    bytes += JSON.stringify(event).length;
  }
  return { rows, next: null, damage: damages.lines };
}

const eventRow = ({ kind, source, verified, seq, seenAt, did, ...facts }: ListedEvent) => ({
  kind,
  source,
  verified,
  seq,
  seenAt,
  did,
  facts,
});
