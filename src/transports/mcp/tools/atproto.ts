/** Tools for AT Protocol archives: progress, servers, failures, repos, records and events; and trying failures again. */
import { z } from "zod";
import * as operations from "../../../app/operations/atproto.ts";
import { counted } from "../../texts.ts";
import type { Answer } from "../answer.ts";
import { type Tool, type ToolContext, tool } from "../tool.ts";

/** Without descriptions: every conversation pays for them, and the names say it. */
const atproto_id = z.int().min(1);
const text = z.string().min(1).max(2_000).nullable().default(null);
const limit = z.int().min(1).max(1_000).default(100);

const stateOf = ({ isRunning, isFollowing }: operations.RepoArchiveInfo): string =>
  [isRunning === null ? null : isRunning ? "crawling" : "not crawling", isFollowing ? "following" : null]
    .filter((word) => word !== null)
    .join(", ");

type Tools = Pick<ToolContext, "app" | "caller" | "position">;

async function listAnswer({ app }: Tools): Promise<Answer> {
  const { rows: found } = await operations.listRepoArchives.run(app, {});
  return {
    counts: `${counted(found.length, "AT Protocol archive")} on this machine.`,
    notes: found.length === 0 ? ["The owner of this machine adds one with `trawl atproto crawl`."] : [],
    tables: [
      {
        title: "archives",
        columns: ["atproto_id", "folder", "state", "problem"],
        rows: found.map((one) => [one.id, one.folder, stateOf(one), one.problem]),
      },
    ],
  };
}

async function statusAnswer({ app, caller }: Tools, id: number): Promise<Answer> {
  const { archive, stored, bytesWritten, hosts, failed, sources, events } = await operations.getRepoArchive.run(
    app,
    { id },
    caller,
  );
  return {
    counts: `Archive ${id}: ${stateOf(archive)}. ${counted(stored, "repo")} stored, ${counted(bytesWritten, "byte")} written, ${counted(events.files, "segment")} of events.`,
    notes:
      hosts === null
        ? []
        : [`${counted(hosts.known, "server")}: ${hosts.slowed} slowed down, ${hosts.leftAlone} resting.`],
    tables: [
      {
        title: "failed",
        columns: ["class", "repos", "meaning"],
        rows: failed.map((row) => [row.class, row.count, row.meaning]),
      },
      {
        title: "sources",
        columns: ["source", "read up to"],
        rows: sources.map(({ source, readUpTo }) => [source, readUpTo ?? "the end"]),
      },
    ],
  };
}

/** An error lists the classes; listing them in every conversation would cost more than the tools. */
const { class: failureClass } = operations.listRepoFailures.input.shape;

interface Question {
  id: number;
  class: operations.FailureSelection["class"];
  host: string | null;
  did: string | null;
  collection: string | null;
  limit: number;
}

async function hostsAnswer({ app, caller, position }: Tools, { id, host, limit }: Question): Promise<Answer> {
  const query = { id, host, limit, cursor: position.cursor };
  const { total, rows, next } = await operations.listRepoHosts.run(app, query, caller);
  return {
    counts: `${counted(total, "server")}.`,
    total,
    next,
    tables: [
      {
        title: "servers",
        columns: ["host", "requests", "pace", "left alone until", "why", "failed"],
        rows: rows.map((row) => [
          row.host,
          row.requests,
          row.pace,
          row.blockedUntil,
          row.why,
          Object.entries(row.failed)
            .map(([name, many]) => `${name} ${many}`)
            .join(", "),
        ]),
      },
    ],
  };
}

async function failuresAnswer({ app, caller, position }: Tools, question: Question): Promise<Answer> {
  const { id, class: name, host, limit: most } = question;
  const query = { id, class: name, host, limit: most, cursor: position.cursor };
  const { total, rows, next } = await operations.listRepoFailures.run(app, query, caller);
  return {
    counts: `${counted(total, "failure")}.`,
    total,
    next,
    tables: [
      {
        title: "failures",
        columns: ["did", "class", "host", "reason", "failed", "again"],
        rows: rows.map((row) => [
          row.did,
          row.class,
          row.host,
          row.detail,
          row.failedAt,
          row.retryAt === null ? "next crawl" : row.retryAt,
        ]),
      },
    ],
  };
}

async function reposAnswer({ app, caller, position }: Tools, { id, did, limit }: Question): Promise<Answer> {
  if (did === null) {
    const { total, rows, next } = await operations.listRepos.run(app, { id, limit, cursor: position.cursor }, caller);
    return {
      counts: `${counted(total, "account")} in the catalogue; ${rows.length} that are stored.`,
      next,
      tables: [{ title: "repos", columns: ["did", "rev"], rows: rows.map((row) => [row.did, row.rev]) }],
    };
  }
  const repo = await operations.getRepo.run(app, { id, did }, caller);
  return {
    counts: `${counted(repo.records, "record")}, fetched ${repo.crawledAt}.`,
    tables: [
      {
        title: "repo",
        columns: ["pds", "rev", "account"],
        rows: [[repo.pds, repo.rev, repo.accountStatus ?? "active"]],
      },
      {
        title: "collections",
        columns: ["collection", "records"],
        rows: repo.collections.map(({ name, records }) => [name, records]),
      },
    ],
  };
}

async function recordsAnswer({ app, caller, position }: Tools, question: Question & { did: string }): Promise<Answer> {
  const { id, did, collection: path, limit: most } = question;
  const [collection = null, rkey] = path === null ? [] : path.split("/", 2);
  const { cursor } = position;
  const { rows, next } =
    rkey === undefined || collection === null
      ? await operations.listRecords.run(app, { id, did, collection, limit: most, cursor }, caller)
      : { rows: [await operations.getRecord.run(app, { id, did, collection, rkey }, caller)], next: null };
  return {
    counts: `${counted(rows.length, "record")}${next === null ? "" : "; there are more"}.`,
    next,
    tables: [
      {
        title: "records",
        columns: ["collection", "rkey", "record"],
        rows: rows.map((row) => [row.collection, row.rkey, row.json]),
        cellLimit: rkey === undefined ? RECORD_START : WHOLE_RECORD,
      },
    ],
  };
}

/** A list shows what a record begins with; one record is shown as far as the answer has room. */
const RECORD_START = 1_000;
const WHOLE_RECORD = 1_000_000;

async function eventsAnswer({ app, caller, position }: Tools, question: Question): Promise<Answer> {
  const { id, did, collection, limit: most } = question;
  const query = { id, did, collection, inactive: false, limit: most, cursor: position.cursor };
  const { rows, next } = await operations.listRepoEvents.run(app, query, caller);
  return {
    counts: `${counted(rows.length, "event")}${next === null ? "" : "; there are later ones"}.`,
    next,
    tables: [
      {
        title: "events",
        columns: ["seen", "did", "kind", "verified", "facts"],
        rows: rows.map((row) => [row.seenAt, row.did, row.kind, row.verified, JSON.stringify(row.facts)]),
      },
    ],
  };
}

async function verifyAnswer({ app, caller }: Tools, id: number): Promise<Answer> {
  const found = await operations.verifyRepoArchive.run(app, { id }, caller);
  return {
    counts: `${found.isIntact ? "Everything is intact" : counted(found.problems, "problem")}: ${counted(found.repos, "repo")}, ${counted(found.records, "record")}; ${counted(found.provenRepos, "repo")} proven by the account's signature. ${counted(found.events, "recorded event")}, ${counted(found.signedCommits, "commit")} signed by the account's key; ${counted(found.provenChanges, "record")} in them proven by the signed tree, ${found.unprovenChanges} not.`,
    notes: found.unproven.map(({ repos, reason }) => `${counted(repos, "repo")} not proven: ${reason}`),
    tables: [
      {
        title: "problems",
        columns: ["file", "byte", "did", "reason"],
        rows: found.listed.map((row) => [row.file, row.offset, row.did, row.reason]),
      },
    ],
  };
}

const atproto = tool({
  name: "atproto",
  title: "AT Protocol archives",
  description:
    "Without atproto_id: the archives on this machine. show repos with did: its collections; records needs did; collection may be collection/rkey. verify checks every byte. " +
    'Example: {"atproto_id":1,"show":"failures","class":"timeout"}.',
  kind: "read",
  arguments: {
    atproto_id: atproto_id.nullable().default(null),
    show: z.enum(["status", "hosts", "failures", "repos", "records", "events", "verify"]).default("status"),
    class: failureClass,
    host: text,
    did: text,
    collection: text,
    limit,
  },
  shown: { class: text },
  run(tools, { atproto_id: id, show, did, ...given }): Promise<Answer> {
    if (id === null) return listAnswer(tools);
    const question = { id, did, ...given };
    switch (show) {
      case "status":
        return statusAnswer(tools, id);
      case "hosts":
        return hostsAnswer(tools, question);
      case "failures":
        return failuresAnswer(tools, question);
      case "events":
        return eventsAnswer(tools, question);
      case "verify":
        return verifyAnswer(tools, id);
      case "repos":
        return reposAnswer(tools, question);
      case "records":
        return did === null ? reposAnswer(tools, question) : recordsAnswer(tools, { ...question, did });
    }
  },
});

const retry = tool({
  name: "atproto_retry",
  title: "Try failed repos again",
  description:
    'The next crawl of an AT Protocol archive tries the failures of this class and host again. Ask the user first. Example: {"atproto_id":1,"class":"timeout"}.',
  kind: "change",
  isIdempotent: true,
  arguments: { atproto_id, class: failureClass, host: text },
  shown: { class: text },
  async run({ app, caller }, { atproto_id: id, ...selection }) {
    const { count } = await operations.retryRepoFailures.run(app, { id, ...selection }, caller);
    return { counts: `The next crawl tries ${counted(count, "failed repo")} again.`, isOwn: true, tables: [] };
  },
});

export const ATPROTO_TOOLS: readonly Tool[] = [atproto, retry];
