/** Tools for archives: what they hold, controlling a run, and listing, searching and reading pages. */
import { z } from "zod";
import * as operations from "../../../app/operations/archives.ts";
import { counted } from "../../texts.ts";
import type { Answer } from "../answer.ts";
import { type Tool, type ToolContext, tool } from "../tool.ts";

const archive_id = z.int().min(1);
const { status, match } = operations.listArchivePages.input.shape;
/** Without descriptions: every conversation pays for them, and the names say it. */
const limit = z.int().min(1).max(1_000).default(100);
const text = (most: number) => z.string().min(1).max(most).nullable().default(null);

const archives = tool({
  name: "archives",
  title: "Archives of code hosts",
  description:
    'Without arguments: the archives on this machine. With archive_id: what one holds, what waits, and hosts that rest. verify also checks every byte. Example: {"archive_id":1}.',
  kind: "read",
  arguments: {
    archive_id: archive_id.nullable().default(null),
    verify: z.boolean().default(false),
  },
  async run({ app, signal, caller }, { archive_id: id, verify }) {
    if (id === null) return listAnswer((await operations.listArchives.run(app, {})).rows);
    const found = await operations.getArchive.run(app, { id }, caller);
    signal.throwIfAborted();
    const checked = verify ? await operations.verifyArchive.run(app, { id }, caller) : null;
    return statusAnswer(found, checked);
  },
});

function listAnswer(found: operations.ArchiveInfo[]): Answer {
  return {
    counts: `${counted(found.length, "archive")} on this machine.`,
    notes: found.length === 0 ? ["The owner of this machine adds one with `trawl archive configure`."] : [],
    tables: [
      {
        title: "archives",
        columns: ["archive_id", "folder", "hosts", "state", "problem"],
        rows: found.map((one) => [one.id, one.folder, one.hosts.join(" "), stateOf(one), one.problem]),
      },
    ],
  };
}

const stateOf = ({ isRunning, run }: operations.ArchiveInfo): string =>
  run !== null && run.state !== "ended" ? run.state : isRunning ? "running in another process" : "not running";

function statusAnswer(found: operations.ArchiveStatusAnswer, checked: operations.ArchiveVerification | null): Answer {
  const { archive, waiting, fetched, refused, storedPages, resting, lastFetchAt } = found;
  const counts = (title: string, numbers: Record<string, number>) => ({
    title,
    columns: ["value", "urls"],
    rows: Object.entries(numbers),
  });
  return {
    counts: `Archive ${archive.id}: ${stateOf(archive)}. ${counted(fetched, "URL")} fetched, ${waiting} waiting, ${refused} refused, ${counted(storedPages, "page")} stored.`,
    notes: [
      ...(lastFetchAt === null ? [] : [`Last fetch: ${lastFetchAt}.`]),
      ...(checked === null ? [] : [checked.isIntact ? "Verified: everything is intact." : "Verified: damaged."]),
    ],
    tables: [
      {
        title: "resting hosts",
        columns: ["host", "until", "why"],
        rows: resting.map(({ host, until, why }) => [host, until, why]),
      },
      ...(checked === null
        ? []
        : [
            {
              title: "problems",
              columns: ["kind", "where", "what"],
              rows: checked.problems.map(({ kind, where, what }) => [kind, where, what]),
            },
          ]),
      counts("statuses", found.byStatus),
      counts("page types", found.byPageType),
      counts("refused by reason", found.refusedByReason),
    ],
  };
}

const ACTIONS = {
  pause: operations.pauseArchive,
  unpause: operations.unpauseArchive,
  stop: operations.stopArchive,
};

const control = tool({
  name: "archive_control",
  title: "Run an archive",
  description:
    'start archives from its seeds or continues; with retry_failed or refresh it requests pages again. Ask the user first. Example: {"archive_id":1,"action":"start"}.',
  kind: "change",
  reachesOut: true,
  isIdempotent: true,
  arguments: {
    archive_id,
    action: z.enum(["start", "pause", "unpause", "stop"]),
    retry_failed: z.boolean().default(false),
    refresh: z.boolean().default(false),
  },
  async run({ app, caller }, { archive_id: id, action, retry_failed, refresh }) {
    const narrowed = { status: [], older: null, type: [], match: [] };
    const info =
      action === "start"
        ? await operations.startArchive.run(app, { id, retryFailed: retry_failed, refresh, ...narrowed }, caller)
        : await ACTIONS[action].run(app, { id }, caller);
    return { counts: `Archive ${id}: ${stateOf(info)}.`, isOwn: true, tables: [] };
  },
});

type Tools = Pick<ToolContext, "app" | "caller" | "position">;

type Choice = Omit<Parameters<typeof operations.listArchivePages.run>[1], "cursor">;

async function failuresAnswer({ app, caller, position }: Tools, choice: Choice) {
  const query = { ...choice, cursor: position.cursor };
  const { total, rows, next } = await operations.listArchiveFailures.run(app, query, caller);
  return {
    counts: `${counted(total, "URL")} could not be fetched.`,
    total,
    next,
    tables: [
      {
        title: "failures",
        columns: ["url", "status", "error", "type", "retries", "failed"],
        rows: rows.map((row) => [row.url, row.status, row.error, row.pageType, row.retries, row.failedAt]),
      },
    ],
  };
}

async function fetchesAnswer({ app, caller, position }: Tools, query: Choice) {
  const { cursor } = position;
  const { rows, next } = await operations.listArchivePages.run(app, { ...query, cursor }, caller);
  return {
    counts: `${counted(rows.length, "fetch", "fetches")}${next === null ? "" : "; there are older ones"}.`,
    next,
    tables: [
      {
        title: "fetches",
        columns: ["url", "status", "type", "bytes", "fetched"],
        rows: rows.map((row) => [row.url, row.status, row.pageType, row.bytes, row.fetchedAt]),
      },
    ],
  };
}

async function searchAnswer({ app, caller, position }: Tools, id: number, words: string, most: number) {
  const query = { id, words, limit: Math.min(most, MOST_FOUND), cursor: position.cursor };
  const { total, rows, next, indexedPages } = await operations.searchArchive.run(app, query, caller);
  return {
    counts: `${counted(total, "page")} of ${indexedPages} found.`,
    total,
    next,
    tables: [
      {
        title: "pages",
        columns: ["url", "title", "text"],
        rows: rows.map(({ url, title, snippet }) => [url, title, snippet.replace(/[\u0001\u0002]/g, "")]),
      },
    ],
  };
}

async function textAnswer({ app, caller }: Tools, id: number, page: string) {
  const { size, fetched, title, text } = await operations.getArchivedPage.run(app, { id, page }, caller);
  const when = fetched === null ? "" : `, fetched ${fetched.fetchedAt}`;
  return { counts: `${counted(size, "byte")}${when}.`, text: `${title}\n\n${text}` };
}

/** As many as the operation allows. */
const MOST_FOUND = 200;

const pages = tool({
  name: "archive_pages",
  title: "Pages of an archive",
  description:
    "Fetches of an archive, newest first; failed: URLs whose last fetch failed; words: stored pages that contain them; page (URL or SHA-256): its text. " +
    'Example: {"archive_id":1,"words":"\\"use after free\\" -fixed"}.',
  kind: "read",
  arguments: {
    archive_id,
    page: text(65_536),
    words: text(1_000),
    failed: z.boolean().default(false),
    status: status.meta({ description: "Such as 5xx." }),
    match: match.meta({ description: "Globs of URLs." }),
    limit,
  },
  run(tools, { archive_id: id, page, words, failed, ...given }): Promise<Answer> {
    const query = { ...given, older: null, type: [] };
    if (page !== null) return textAnswer(tools, id, page);
    if (words !== null) return searchAnswer(tools, id, words, query.limit);
    return failed ? failuresAnswer(tools, { id, ...query }) : fetchesAnswer(tools, { id, ...query });
  },
});

export const ARCHIVE_TOOLS: readonly Tool[] = [archives, control, pages];
