/** Operations on archives: the workspaces that the owner of this machine has used. None of the operations takes a folder. */
import { z } from "zod";
import { allOf, cursor, done, limit, number, operation, pageOf, uncountedPageOf } from "./operation.ts";
import { time, timeOf } from "./time.ts";

const archiveId = number.meta({ description: "The number of an archive; listArchives has it." });
const oneArchive = z.object({ id: archiveId });

const restingHost = z.object({
  host: z.string(),
  until: timeOf("Null if this run does not request it any more.").nullable(),
  why: z.string(),
});

const archiveRun = z.object({
  state: z.enum(["running", "paused", "ended"]),
  startedAt: time,
  endedAt: time.nullable(),
  pauses: z.array(z.enum(["person", "file", "disk", "spool"])).meta({ description: "Why it is paused." }),
  fetched: z.int(),
  open: z.int().meta({ description: "URLs that wait to be fetched." }),
  refused: z.int(),
  failed: z.int(),
  retries: z.int(),
  inFlight: z.int(),
  resting: z.array(restingHost).meta({ description: "Hosts that rest with pages waiting." }),
  notices: z.array(z.string()).meta({ description: "Its last message." }),
  outcome: z
    .object({
      state: z.enum(["completed", "stopped", "failed"]),
      failures: z.int().meta({ description: "URLs that could not be fetched, of this run or before." }),
      parkedHosts: z.array(z.string()).meta({ description: "Hosts that did not answer; their pages stay queued." }),
      message: z.string().nullable(),
    })
    .nullable(),
});
export type ArchiveRunInfo = z.output<typeof archiveRun>;

const archiveInfo = z
  .object({
    id: z.int(),
    folder: z.string(),
    profile: z.string().nullable(),
    hosts: z.array(z.string()),
    pageTypes: z.array(z.string()),
    problem: z.string().nullable().meta({ description: "Why it cannot be used, such as an invalid config." }),
    isRunning: z.boolean().meta({ description: "Whether any process works on it." }),
    isPauseAsked: z.boolean().meta({ description: "A pause.* file pauses every run." }),
    run: archiveRun.nullable().meta({ description: "The current or last run that was started here." }),
  })
  .meta({ id: "Archive" });
export type ArchiveInfo = z.output<typeof archiveInfo>;

export const listArchives = operation({
  name: "listArchives",
  kind: "read",
  summary: "The archives of this machine, and what each is doing",
  input: z.object({}),
  output: pageOf(archiveInfo),
  run: async (app) => allOf(await app.archives.list()),
});

const counts = z.record(z.string(), z.int());
const archiveStatus = z.object({
  archive: archiveInfo,
  waiting: z.int(),
  waitingByDepth: counts,
  fetched: z.int(),
  refused: z.int(),
  refusedByReason: counts,
  fetches: z.int().meta({ description: "Lines of the metadata." }),
  byStatus: counts,
  byPageType: counts,
  damagedLines: z.int(),
  storedPages: z.int(),
  lastFetchAt: time.nullable(),
  requisites: z.int(),
  spool: z.object({ files: z.int(), bytes: z.int(), isFull: z.boolean() }),
  resting: z.array(restingHost),
});
export type ArchiveStatusAnswer = z.output<typeof archiveStatus>;

export const getArchive = operation({
  name: "getArchive",
  kind: "read",
  summary: "What an archive holds, what waits, which hosts rest and why; reads all of its lists",
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG"],
  input: oneArchive,
  output: archiveStatus,
  run: (app, { id }, caller) => app.archives.status(id, caller?.signal),
});

/** The choice among fetched URLs, as on the command line. */
const choice = {
  status: z
    .array(z.string().max(10))
    .max(20)
    .default([])
    .meta({ description: "A status, such as 503 or 5xx; 0 for no answer." }),
  older: z
    .string()
    .max(20)
    .nullable()
    .default(null)
    .meta({ description: "Only what was last fetched longer ago: 12h, 7d." }),
  type: z.array(z.string().max(100)).max(50).default([]).meta({ description: "Page types." }),
  match: z.array(z.string().max(1_000)).max(20).default([]).meta({ description: "URLs: a glob, or /regex/." }),
};
export type ChoiceQuestion = { [Name in keyof typeof choice]: z.output<(typeof choice)[Name]> };

const startQuestion = z.object({
  id: archiveId,
  retryFailed: z.boolean().default(false).meta({ description: "Request again what could not be fetched." }),
  refresh: z
    .boolean()
    .default(false)
    .meta({ description: "Request again what was fetched; only changes are downloaded." }),
  ...choice,
});
export type StartArchive = z.output<typeof startQuestion>;

export const startArchive = operation({
  name: "startArchive",
  kind: "change",
  summary:
    "Archive from the workspace's seeds, or continue where it stopped, with the settings of the workspace. Status, older, type and match narrow down retryFailed and refresh",
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "WORKSPACE_BUSY", "ARCHIVE_DAMAGED", "BAD_USAGE"],
  input: startQuestion,
  output: archiveInfo,
  run: (app, input) => app.archives.start(input),
});

export const pauseArchive = operation({
  name: "pauseArchive",
  kind: "change",
  summary: "Pause a run, whichever process it is in: requests in flight finish",
  errors: ["ARCHIVE_NOT_FOUND", "WRONG_STATE"],
  input: oneArchive,
  output: archiveInfo,
  run: (app, { id }) => app.archives.pause(id),
});

export const unpauseArchive = operation({
  name: "unpauseArchive",
  kind: "change",
  summary: "Continue after a pause, whoever requested it",
  errors: ["ARCHIVE_NOT_FOUND"],
  input: oneArchive,
  output: archiveInfo,
  run: (app, { id }) => app.archives.unpause(id),
});

export const stopArchive = operation({
  name: "stopArchive",
  kind: "change",
  summary: "Stop a run, whichever process it is in, and wait until it has ended; everything stays queued",
  errors: ["ARCHIVE_NOT_FOUND"],
  input: oneArchive,
  output: archiveInfo,
  run: (app, { id }, caller) => app.archives.stop(id, caller?.signal),
});

const pageRow = z
  .object({
    url: z.string(),
    status: z.int().meta({ description: "0 when there was no answer." }),
    pageType: z.string(),
    depth: z.int(),
    fetchedAt: time,
    contentType: z.string(),
    bytes: z.int(),
    sha256: z.string().nullable().meta({ description: "Null when nothing was stored." }),
    retries: z.int(),
  })
  .meta({ id: "ArchivedFetch" });
export type PageRow = z.output<typeof pageRow>;

export const listArchivePages = operation({
  name: "listArchivePages",
  kind: "read",
  summary: "The fetches of an archive, newest first: one row for each, so a page that was refreshed has several",
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "BAD_USAGE"],
  input: z.object({ id: archiveId, ...choice, limit, cursor }),
  output: uncountedPageOf(pageRow),
  run: (app, input, caller) => app.archives.pages(input, caller?.signal),
});

const archiveFailure = z.object({
  url: z.string(),
  status: z.int(),
  error: z.string().nullable(),
  pageType: z.string(),
  depth: z.int(),
  retries: z.int(),
  failedAt: time,
});
export type ArchiveFailure = z.output<typeof archiveFailure>;

export const listArchiveFailures = operation({
  name: "listArchiveFailures",
  kind: "read",
  summary: "URLs whose last fetch failed. Pages that are gone (404, 410) are listed only if you pass that status",
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "BAD_USAGE"],
  input: z.object({ id: archiveId, ...choice, limit, cursor }),
  output: pageOf(archiveFailure),
  run: (app, input, caller) => app.archives.failures(input, caller?.signal),
});

export const storedPage = z
  .string()
  .min(1)
  .max(65_536)
  .meta({ description: "A URL, for the page last stored under it, or a SHA-256." });
export const pageQuestion = z.object({ id: archiveId, page: storedPage });

const archivedPage = z.object({
  sha256: z.string(),
  size: z.int(),
  fetched: pageRow
    .nullable()
    .meta({ description: "The last fetch that stored these bytes; null if no line of the metadata names them." }),
  title: z.string(),
  text: z.string().meta({ description: "What a person reads in it, without markup." }),
});
export type ArchivedPage = z.output<typeof archivedPage>;

export const getArchivedPage = operation({
  name: "getArchivedPage",
  kind: "read",
  summary: "A stored page: its text and its last fetch. Its bytes are checked against its SHA-256",
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "PAGE_NOT_IN_ARCHIVE"],
  input: pageQuestion,
  output: archivedPage,
  run: (app, { id, page }, caller) => app.archives.page(id, page, caller?.signal),
});

const verification = z.object({
  isIntact: z.boolean(),
  lines: z.int().meta({ description: "Lines of the metadata." }),
  pages: z.int().meta({ description: "Stored pages with the right SHA-256." }),
  bytes: z.int(),
  warcFiles: z.int(),
  pagesNotInWarcs: z
    .int()
    .nullable()
    .meta({ description: "Stored pages that no WARC has as they were last fetched; null without WARCs." }),
  counts: counts.meta({ description: "Problems by kind." }),
  problems: z
    .array(z.object({ kind: z.string(), where: z.string(), what: z.string(), isHarmless: z.boolean() }))
    .meta({ description: "The first 200." }),
});
export type ArchiveVerification = z.output<typeof verification>;

export const verifyArchive = operation({
  name: "verifyArchive",
  kind: "read",
  summary:
    "Check every line, stored page and WARC record of an archive. Changes nothing; takes a long time for a large archive",
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "WORKSPACE_BUSY"],
  input: oneArchive,
  output: verification,
  run: (app, { id }, caller) => app.archives.verify(id, caller?.signal),
});

const archiveMatch = z.object({
  url: z.string(),
  title: z.string(),
  pageType: z.string(),
  sha256: z.string(),
  fetchedAt: time,
  snippet: z.string().meta({ description: "With U+0001 before and U+0002 after each matching word." }),
});

const searchAnswer = pageOf(archiveMatch).extend({ indexedPages: z.int() });
export type ArchiveSearchAnswer = z.output<typeof searchAnswer>;

export const searchArchive = operation({
  name: "searchArchive",
  kind: "read",
  summary: 'Pages with all of these words, best first: "a phrase", word* for a prefix, -word to exclude',
  errors: ["ARCHIVE_NOT_FOUND", "NO_WORKSPACE", "BAD_CONFIG", "BAD_USAGE"],
  input: z.object({
    id: archiveId,
    words: z.string().min(1).max(1_000),
    limit: z.int().min(1).max(200).default(20).meta({ description: "Maximum number of pages." }),
    cursor,
  }),
  output: searchAnswer,
  run: (app, input, caller) => app.archives.search(input, caller?.signal),
});

export const forgetArchive = operation({
  name: "forgetArchive",
  kind: "change",
  summary: "Remove an archive from the list. Its files stay; using it on the command line lists it again",
  errors: ["ARCHIVE_NOT_FOUND", "WORKSPACE_BUSY"],
  input: oneArchive,
  output: done,
  run: (app, { id }) => app.archives.forget(id),
});
