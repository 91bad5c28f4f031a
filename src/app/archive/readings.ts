/**
 * Everything that can be read from an archive, by name, so that another process can do it: plain values in, plain
 * values out.
 */
import { archiveStatus } from "../../archive/archive-status.ts";
import { type Choice, chooser } from "../../archive/choice.ts";
import { readFailures } from "../../archive/failed-urls.ts";
import { archiveCanonicalizer } from "../../archive/policy/canonical.ts";
import { pageText } from "../../archive/search/page-text.ts";
import { type SearchAnswer, searchArchive } from "../../archive/search/search-archive.ts";
import { catPage, isSha256 } from "../../archive/store/blob-store.ts";
import type { MetadataRecord } from "../../archive/store/metadata-record.ts";
import { newestRecords } from "../../archive/store/newest-records.ts";
import type { Problem } from "../../archive/store/verify-store.ts";
import { verifyWarcs } from "../../archive/store/warc/verify-warcs.ts";
import { workspaceBlobs } from "../../archive/stores.ts";
import { checkLedgers, verifyWorkspace } from "../../archive/verify-workspace.ts";
import type { Workspace } from "../../archive/workspace.ts";
import { decodeHtml } from "../../web/charset.ts";
import { prepareBase } from "../../web/url.ts";
import type { ArchivedPage, ArchiveVerification, PageRow } from "../operations/archives.ts";
import { isoTime } from "../operations/time.ts";
import { failureRow } from "./answers.ts";

export const ARCHIVE_READINGS = {
  status: (workspace: Workspace) => archiveStatus(workspace),
  pages: readPages,
  failures: async ({ paths }: Workspace, { choice, limit }: { choice: Choice; limit: number }) => {
    const failures = await readFailures(paths.metadata, chooser({ ...choice, failed: true }));
    return { total: failures.length, rows: failures.slice(0, limit).map(failureRow) };
  },
  page: readPage,
  view: viewPage,
  verify,
  search: async (workspace: Workspace, { words, limit }: { words: string; limit: number }): Promise<SearchAnswer> =>
    searchArchive(workspace, words, { limit, update: "yes" }),
};

export type ArchiveReadings = typeof ARCHIVE_READINGS;
export type ArchiveReadingName = keyof ArchiveReadings;
export type ArchiveReadingArgs<Name extends ArchiveReadingName> =
  Parameters<ArchiveReadings[Name]> extends [unknown, infer Args, ...unknown[]] ? Args : null;
export type ArchiveReadingAnswer<Name extends ArchiveReadingName> = Awaited<ReturnType<ArchiveReadings[Name]>>;

interface PagesArgs {
  choice: Choice;
  limit: number;
  before: number | null;
}

async function readPages(
  { paths }: Workspace,
  { choice, limit, before }: PagesArgs,
): Promise<{ rows: PageRow[]; next: number | null }> {
  const isChosen = chooser(choice);
  const rows: PageRow[] = [];
  let last = 0;
  for await (const { record, offset } of newestRecords(paths.metadata, before)) {
    if (!isChosen(record)) continue;
    // There is one more.
    if (rows.length === limit) return { rows, next: last };
    rows.push(pageRow(record));
    last = offset;
  }
  return { rows, next: null };
}

const pageRow = (record: MetadataRecord): PageRow => ({
  url: record.url,
  status: record.http_status,
  pageType: record.page_type,
  depth: record.depth,
  fetchedAt: isoTime(record.timestamp * 1_000),
  contentType: record.content_type,
  bytes: record.content_bytes,
  sha256: record.content_sha256 || null,
  retries: record.retries,
});

/** As the archive stores it. Text that is not a URL is looked up as it is. */
function storedForm(asked: string, { settings }: Workspace): string {
  if (isSha256(asked.toLowerCase())) return asked.toLowerCase();
  const written = /^https?:\/\//i.test(asked) ? asked : `https://${asked}`;
  if (!URL.canParse(written)) return asked;
  const canonicalize = archiveCanonicalizer(settings.config.scope.allowed_query_params, settings.profile);
  const url = canonicalize(written, prepareBase(written));
  return typeof url === "string" ? url : asked;
}

/** With the last fetch that stored these bytes, if there is one, because it knows their content type. */
async function find(workspace: Workspace, page: string) {
  const { metadata } = workspace.paths;
  const found = await catPage(storedForm(page, workspace), workspaceBlobs(workspace), metadata);
  return { ...found, record: found.record ?? (await lastWith(found.sha256, metadata)) };
}

async function lastWith(sha256: string, metadataPath: string): Promise<MetadataRecord | null> {
  for await (const { record } of newestRecords(metadataPath, null)) if (record.content_sha256 === sha256) return record;
  return null;
}

async function readPage(workspace: Workspace, { page }: { page: string }): Promise<ArchivedPage> {
  const { sha256, bytes, record } = await find(workspace, page);
  const { title, text } = pageText(bytes, record?.content_type || null);
  return { sha256, size: bytes.length, fetched: record === null ? null : pageRow(record), title, text };
}

export interface ViewedPage {
  /** UTF-8, whatever it was. */
  body: Uint8Array;
  isHtml: boolean;
}

async function viewPage(workspace: Workspace, { page }: { page: string }): Promise<ViewedPage> {
  const { bytes, record } = await find(workspace, page);
  const contentType = record?.content_type || null;
  const isHtml = contentType === null || /\b(?:x?html)\b/i.test(contentType);
  return { body: new Uint8Array(decodeHtml(bytes, contentType).utf8), isHtml };
}

/** Further problems are counted, but not listed. */
const LISTED_PROBLEMS = 200;
/** Kinds of leftovers from a crash. */
const HARMLESS: ReadonlySet<string> = new Set(["unsettled_line", "orphan", "leftover", "torn_warc"]);

async function verify(workspace: Workspace, _: null, signal?: AbortSignal): Promise<ArchiveVerification> {
  const { paths } = workspace;
  const problems: ArchiveVerification["problems"] = [];
  const counts: Record<string, number> = {};
  const found = (kind: string, where: string, what: string): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (problems.length < LISTED_PROBLEMS) problems.push({ kind, where, what, isHarmless: HARMLESS.has(kind) });
  };
  const inStore = await verifyWorkspace(workspace, {
    onProblem: (problem) => found(problem.kind, placeOf(problem), detailOf(problem)),
    signal,
  });
  for (const { file, line, what } of await checkLedgers(workspace))
    found("damaged_state", `${file} line ${line}`, what);
  const inWarcs = await verifyWarcs({
    folder: paths.warc,
    of: paths,
    signal,
    onProblem: ({ kind, file, offset, why, url }) =>
      found(kind, `${file} byte ${offset}`, url === null ? why : `${why}: ${url}`),
  });
  return {
    isIntact: Object.keys(counts).every((kind) => HARMLESS.has(kind)),
    lines: inStore.lines,
    pages: inStore.blobs,
    bytes: inStore.bytes,
    warcFiles: inWarcs.files,
    pagesNotInWarcs: inWarcs.missingPages,
    counts,
    problems,
  };
}

const placeOf = (problem: Problem): string =>
  "line" in problem ? `metadata line ${problem.line}` : "file" in problem ? problem.file : "state";

const detailOf = (problem: Problem): string => {
  if (problem.kind === "damaged_line") return problem.why;
  if ("url" in problem && problem.url !== null) return problem.url;
  return "sha256" in problem ? problem.sha256 : "";
};
