/** Operations on AT Protocol archives: the folders that the owner of this machine has used. None of the operations takes a folder. */
import { z } from "zod";
import { ERROR_CLASS_NAMES } from "../../atproto/error-classes.ts";
import { allOf, cursor, done, limit, number, operation, pageOf, uncountedPageOf } from "./operation.ts";
import { time, timeOf } from "./time.ts";

const archiveId = number.meta({ description: "The number of an archive; listRepoArchives has it." });
const oneArchive = z.object({ id: archiveId });
const did = z.string().min(1).max(2_048).meta({ description: "Such as did:plc:ewvi7nxzyoun6zhxrhs64oiz." });
const collection = z.string().min(1).max(512).meta({ description: "Such as app.bsky.feed.post." });
/** JSON null and no value mean the same. */
const optional = <Type extends z.ZodType>(type: Type, description: string) =>
  type
    .nullable()
    .default(null as never)
    .meta({ description });

const archiveInfo = z
  .object({
    id: z.int(),
    folder: z.string(),
    stateIn: z.enum(["file", "redis"]).meta({ description: "Where the state of the crawl is kept." }),
    isRunning: z
      .boolean()
      .nullable()
      .meta({ description: "Whether a process crawls into it; null for Redis, which only getRepoArchive checks." }),
    isFollowing: z.boolean().meta({ description: "Whether a process records events into it." }),
    problem: z.string().nullable().meta({ description: "Why it cannot be read." }),
  })
  .meta({ id: "RepoArchive" });
export type RepoArchiveInfo = z.output<typeof archiveInfo>;

export const listRepoArchives = operation({
  name: "listRepoArchives",
  kind: "read",
  summary: "The AT Protocol archives of this machine",
  input: z.object({}),
  output: pageOf(archiveInfo),
  run: (app) => allOf(app.repoArchives.list()),
});

const files = z.object({ files: z.int(), bytes: z.int() });
const archiveStatus = z.object({
  archive: archiveInfo,
  stored: z.int().meta({ description: "Repos stored, over all crawls." }),
  bytesWritten: z.int(),
  settled: z.int().meta({ description: "DIDs that are stored, or that will not be requested again soon." }),
  failed: z.array(z.object({ class: z.string(), count: z.int(), meaning: z.string() })),
  sources: z.array(
    z.object({
      source: z.string(),
      readUpTo: z.string().nullable().meta({ description: "Null if it was read to its end." }),
    }),
  ),
  hosts: z
    .object({ known: z.int(), slowed: z.int(), leftAlone: z.int(), withFailures: z.int() })
    .nullable()
    .meta({ description: "Null if the state is in Redis, which does not record it." }),
  catalogued: z.int().meta({ description: "Accounts in the catalogue; a few may be counted twice." }),
  segments: files,
  events: files.meta({ description: "Segments of events, which `follow` records." }),
});
export type RepoArchiveStatus = z.output<typeof archiveStatus>;

export const getRepoArchive = operation({
  name: "getRepoArchive",
  kind: "read",
  summary:
    "The progress of an archive: what is stored, what failed and why, how far sources were read. Works during a crawl",
  errors: ["REPO_ARCHIVE_NOT_FOUND"],
  input: oneArchive,
  output: archiveStatus,
  run: (app, { id }, caller) => app.repoArchives.status(id, caller?.signal),
});

export const forgetRepoArchive = operation({
  name: "forgetRepoArchive",
  kind: "change",
  summary: "Remove an archive from the list. Its files stay; using it on the command line lists it again",
  errors: ["REPO_ARCHIVE_NOT_FOUND"],
  input: oneArchive,
  output: done,
  run: (app, { id }) => app.repoArchives.forget(id),
});

const hostFilter = optional(z.string().min(1).max(2_000), "Only hosts whose address contains this.");
const selection = {
  class: optional(z.enum(ERROR_CLASS_NAMES), "Only this class of failure."),
  host: hostFilter,
};
export type FailureSelection = { [Name in keyof typeof selection]: z.output<(typeof selection)[Name]> };

const hostReport = z.object({
  host: z.string(),
  requests: z.int().meta({ description: "In all crawls." }),
  pace: z.number().meta({ description: "The share of its rate at which it is requested; less than 1 after failures." }),
  failuresInARow: z.int(),
  tier: z
    .string()
    .nullable()
    .meta({ description: "As `trawl atproto hosts --tier` assigned it; null when its size decides." }),
  blockedUntil: timeOf("It is not requested until then.").nullable(),
  why: z.string().nullable(),
  failed: z.record(z.string(), z.int()).meta({ description: "Repos that failed there, by class." }),
});

export const listRepoHosts = operation({
  name: "listRepoHosts",
  kind: "read",
  summary: "The servers of an archive, those with most failed repos first",
  errors: ["REPO_ARCHIVE_NOT_FOUND"],
  input: z.object({ id: archiveId, host: hostFilter, limit, cursor }),
  output: pageOf(hostReport),
  run: (app, input, caller) => app.repoArchives.hosts(input, caller?.signal),
});
export type RepoHost = z.output<typeof hostReport>;

const failedRepo = z.object({
  did: z.string(),
  host: z.string().nullable().meta({ description: "Null when none was asked." }),
  class: z.string(),
  detail: z.string().nullable(),
  failedAt: time,
  retryAt: timeOf("When this host is asked again; null for the next crawl.").nullable(),
});
export type FailedRepoRow = z.output<typeof failedRepo>;

export const listRepoFailures = operation({
  name: "listRepoFailures",
  kind: "read",
  summary: "Repos that could not be stored, newest failure first",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "BAD_USAGE"],
  input: z.object({ id: archiveId, ...selection, limit, cursor }),
  output: pageOf(failedRepo),
  run: (app, input, caller) => app.repoArchives.failures(input, caller?.signal),
});

export const retryRepoFailures = operation({
  name: "retryRepoFailures",
  kind: "change",
  summary: "Make the next crawl try failed repos again, whatever their schedule. Refused while a crawl runs",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "STATE_BUSY", "BAD_USAGE"],
  input: z.object({ id: archiveId, ...selection }),
  output: z.object({ count: z.int() }),
  run: (app, input, caller) => app.repoArchives.retry(input, caller?.signal),
});

export const listRepos = operation({
  name: "listRepos",
  kind: "read",
  summary: "Some repos of an archive: the first of its catalogue. getRepo finds any by its DID",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "BAD_USAGE"],
  input: z.object({ id: archiveId, limit, cursor }),
  output: pageOf(z.object({ did: z.string(), rev: z.string().nullable(), learntAt: time })).extend({
    total: z.int().meta({ description: "Accounts in the catalogue, those that failed included." }),
  }),
  run: (app, input, caller) => app.repoArchives.repos(input, caller?.signal),
});

const archivedRepo = z.object({
  did: z.string(),
  pds: z.string(),
  rev: z.string(),
  crawledAt: time,
  segment: z.string().meta({ description: "The file that has it." }),
  accountStatus: z.string().nullable().meta({
    description:
      "The status in the latest event, such as takendown; null if the account is active or no event mentioned it.",
  }),
  records: z.int(),
  collections: z.array(z.object({ name: z.string(), records: z.int() })),
  damage: z.array(z.string()).meta({ description: "What could not be read." }),
});
export type ArchivedRepoInfo = z.output<typeof archivedRepo>;

export const getRepo = operation({
  name: "getRepo",
  kind: "read",
  summary: "What an archive has of an account: its collections, as they were last fetched",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "DID_NOT_ARCHIVED"],
  input: z.object({ id: archiveId, did }),
  output: archivedRepo,
  run: (app, { id, did }, caller) => app.repoArchives.repo(id, did, caller?.signal),
});

const damage = z.array(z.string()).meta({ description: "What could not be read." });
const record = z.object({
  collection: z.string(),
  rkey: z.string(),
  json: z.string().meta({ description: "The record as it is stored: JSON." }),
});
export type RepoRecord = z.output<typeof record>;

export const listRecords = operation({
  name: "listRecords",
  kind: "read",
  summary: "The records of a repo, or of one collection, as they are stored",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "DID_NOT_ARCHIVED", "BAD_USAGE"],
  input: z.object({
    id: archiveId,
    did,
    collection: optional(collection, "Only this collection."),
    limit,
    cursor,
  }),
  output: uncountedPageOf(record).extend({ damage }),
  run: (app, input, caller) => app.repoArchives.records(input, caller?.signal),
});

export const getRecord = operation({
  name: "getRecord",
  kind: "read",
  summary: "One record of a repo, as it is stored",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "DID_NOT_ARCHIVED"],
  input: z.object({ id: archiveId, did, collection, rkey: z.string().min(1).max(512) }),
  output: record,
  run: (app, input, caller) => app.repoArchives.record(input, caller?.signal),
});

const event = z.object({
  kind: z.string(),
  source: z.string(),
  verified: z.boolean().meta({ description: "Its commit was checked against the account's key." }),
  seq: z.int(),
  seenAt: time,
  did: z.string().nullable(),
  /** What depends on its kind: rev and ops of a commit, the handle, the status, the reason. */
  facts: z.record(z.string(), z.unknown()),
});

const events = uncountedPageOf(event).extend({ damage });
export type RepoEvents = z.output<typeof events>;

export const listRepoEvents = operation({
  name: "listRepoEvents",
  kind: "read",
  summary:
    "What `follow` recorded, in the order of arrival. One answer covers a part of the events, so it may have fewer rows than requested, or none, with more to come",
  errors: ["REPO_ARCHIVE_NOT_FOUND", "BAD_USAGE"],
  input: z.object({
    id: archiveId,
    did: optional(did, "Only this account."),
    collection: optional(collection, "Only operations on this collection."),
    inactive: z
      .boolean()
      .default(false)
      .meta({ description: "Also what accounts wrote that are not active now, such as those taken down." }),
    limit,
    cursor,
  }),
  output: events,
  run: (app, input, caller) => app.repoArchives.events(input, caller?.signal),
});

const verification = z.object({
  isIntact: z.boolean(),
  segments: z.int(),
  unfinished: z.int().meta({ description: "Segments that are being written, or were left by a crash." }),
  repos: z.int(),
  records: z.int(),
  bytes: z.int(),
  provenRepos: z.int().meta({ description: "Repos in which the account's key signed every record." }),
  unproven: z.array(z.object({ repos: z.int(), reason: z.string() })),
  events: z.int().meta({ description: "What `follow` recorded." }),
  signedCommits: z.int().meta({ description: "Recorded commits that the account's key signed." }),
  unsignedCommits: z.int().meta({ description: "Recorded commits that cannot be checked against a key." }),
  provenChanges: z.int().meta({ description: "Recorded records that are in the tree that the account signed last." }),
  unprovenChanges: z.int().meta({ description: "Recorded records for which that cannot be shown." }),
  problems: z.int(),
  listed: z
    .array(z.object({ file: z.string(), offset: z.int(), did: z.string().nullable(), reason: z.string() }))
    .meta({ description: "The first 200 problems." }),
});
export type RepoVerification = z.output<typeof verification>;

export const verifyRepoArchive = operation({
  name: "verifyRepoArchive",
  kind: "read",
  summary:
    "Check every block, record, proof and recorded event of an archive, with the keys that the crawl found. Changes nothing; takes a long time for a large archive",
  errors: ["REPO_ARCHIVE_NOT_FOUND"],
  input: oneArchive,
  output: verification,
  run: (app, { id }, caller) => app.repoArchives.verify(id, caller?.signal),
});
