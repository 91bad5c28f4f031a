/** The AT Protocol archives of this machine: those that its owner has used, and what is read from them. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { FOLLOW_LOCK, STATE_FILE } from "../../atproto/folder-files.ts";
import type { PlaceOfEvent } from "../../atproto/follow/list-events.ts";
import { TrawlError } from "../../errors.ts";
import { isFileLocked } from "../../storage/file-lock.ts";
import { type PageAsked, pageFromStart } from "../data/cursor.ts";
import type {
  ArchivedRepoInfo,
  FailureSelection,
  RepoArchiveInfo,
  RepoArchiveStatus,
  RepoEvents,
  RepoRecord,
  RepoVerification,
} from "../operations/atproto.ts";
import type { Reading } from "../reading/reading.ts";
import type { KnownArchive, KnownArchives } from "./known-archives.ts";
import type { RepoReadingAnswer, RepoReadingArgs, RepoReadingName } from "./readings.ts";

export interface RepoArchivesParts {
  known: KnownArchives;
  reading: Reading;
}

interface Paged extends PageAsked {
  id: number;
}

export class RepoArchives {
  readonly #parts: RepoArchivesParts;

  constructor(parts: RepoArchivesParts) {
    this.#parts = parts;
  }

  list(): RepoArchiveInfo[] {
    return this.#parts.known.list().map(infoOf);
  }

  /** Takes it off the list. */
  forget(id: number): { done: true } {
    this.#parts.known.get(id);
    this.#parts.known.remove(id);
    return { done: true };
  }

  async status(id: number, signal?: AbortSignal): Promise<RepoArchiveStatus> {
    const { isRunning, ...status } = await this.#read(id, "status", null, signal);
    return { archive: { ...infoOf(this.#parts.known.get(id)), isRunning }, ...status };
  }

  hosts(
    { id, host, ...page }: PageAsked & { id: number; host: string | null },
    signal?: AbortSignal,
  ): Promise<RepoReadingAnswer<"hosts"> & { next: string | null }> {
    return pageFromStart(["hosts", id, host], page, (limit) => this.#read(id, "hosts", { host, limit }, signal));
  }

  async failures(
    { id, limit, cursor, ...selection }: FailureSelection & PageAsked & { id: number },
    signal?: AbortSignal,
  ): Promise<RepoReadingAnswer<"failures"> & { next: string | null }> {
    const read = (rows: number) => this.#read(id, "failures", { ...selection, limit: rows }, signal);
    return pageFromStart(["failures", id, selection], { limit, cursor }, read);
  }

  async retry(
    { id, ...selection }: FailureSelection & { id: number },
    signal?: AbortSignal,
  ): Promise<{ count: number }> {
    return this.#read(id, "retry", selection, signal);
  }

  repos(
    { id, ...page }: PageAsked & { id: number },
    signal?: AbortSignal,
  ): Promise<RepoReadingAnswer<"repos"> & { next: string | null }> {
    return pageFromStart(["repos", id], page, (limit) => this.#read(id, "repos", { limit }, signal));
  }

  repo(id: number, did: string, signal?: AbortSignal): Promise<ArchivedRepoInfo> {
    return this.#read(id, "repo", { did }, signal);
  }

  async records(
    { id, cursor, ...question }: Paged & { did: string; collection: string | null },
    signal?: AbortSignal,
  ): Promise<{ total: null; rows: RepoRecord[]; next: string | null; damage: string[] }> {
    const [rev = "", count = ""] = parts(cursor, /^([\x21-\x7e]{0,512}) (\d{1,15})$/);
    const after = cursor === null ? null : { rev, count: Number(count) };
    const { next, ...answer } = await this.#read(id, "records", { ...question, rkey: null, after }, signal);
    return { total: null, ...answer, next: next === null ? null : `${next.rev} ${next.count}` };
  }

  async record(
    { id, did, collection, rkey }: { id: number; did: string; collection: string; rkey: string },
    signal?: AbortSignal,
  ): Promise<RepoRecord> {
    const question = { did, collection, rkey, limit: 1, after: null };
    const [record] = (await this.#read(id, "records", question, signal)).rows;
    if (record !== undefined) return record;
    throw new TrawlError("DID_NOT_ARCHIVED", `The repo of ${did} has no ${collection}/${rkey}.`);
  }

  async events(
    { id, cursor, ...question }: Paged & { did: string | null; collection: string | null; inactive: boolean },
    signal?: AbortSignal,
  ): Promise<RepoEvents> {
    const [segment = 0, offset = 0, index = 0] = parts(cursor, /^(\d{1,9})\.(\d{1,15})\.(\d{1,9})$/).map(Number);
    const from = cursor === null ? null : { segment, offset, index };
    const { next, ...answer } = await this.#read(id, "events", { ...question, from }, signal);
    return { total: null, ...answer, next: next === null ? null : placeText(next) };
  }

  verify(id: number, signal?: AbortSignal): Promise<RepoVerification> {
    return this.#read(id, "verify", null, signal);
  }

  #read<Name extends RepoReadingName>(
    id: number,
    name: Name,
    args: RepoReadingArgs<Name>,
    signal?: AbortSignal,
  ): Promise<RepoReadingAnswer<Name>> {
    const { folder, redisAddress } = this.#parts.known.get(id);
    if (!existsSync(folder))
      throw new TrawlError("FILE_NOT_READABLE", `${folder} is gone, or its disk is not mounted.`);
    return this.#parts.reading.repoArchive({ folder, redisAddress }, name, args, signal);
  }
}

function infoOf({ id, folder, redisAddress }: KnownArchive): RepoArchiveInfo {
  const isThere = existsSync(folder);
  const isLocked = (name: string): boolean => existsSync(join(folder, name)) && isFileLocked(join(folder, name));
  return {
    id,
    folder,
    stateIn: redisAddress === null ? "file" : "redis",
    isRunning: redisAddress === null ? isLocked(`${STATE_FILE}.lock`) : null,
    isFollowing: isLocked(FOLLOW_LOCK),
    problem: isThere ? null : "The folder is gone, or its disk is not mounted.",
  };
}

function parts(cursor: string | null, form: RegExp): string[] {
  if (cursor === null) return [];
  const found = form.exec(cursor);
  if (found === null) throw new TrawlError("BAD_USAGE", "The cursor is not one that an answer contained.");
  return found.slice(1);
}

const placeText = ({ segment, offset, index }: PlaceOfEvent): string => `${segment}.${offset}.${index}`;
