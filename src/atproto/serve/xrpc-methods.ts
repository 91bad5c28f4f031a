/** The methods of the AT Protocol that an archive can answer, all of them reading: one entry each. */

import { Catalogue, catalogueFolder } from "../catalogue/catalogue.ts";
import { eventRecordJson } from "../follow/event-record.ts";
import { isDid } from "../identity/did.ts";
import { InactiveAccounts } from "../inactive-accounts.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { isRecordPath } from "../repo/record-path.ts";
import { CommitIndex } from "./commit-index.ts";
import {
  cidText,
  commitCid,
  recordProof,
  repoCar,
  type ServedRecord,
  type ServedRepo,
  servedRepo,
} from "./served-repo.ts";
import { StreamDoor } from "./stream-door.ts";

/** An error as the protocol names it. */
export class XrpcError extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, message: string, status = 400) {
    super(message);
    this.name = "XrpcError";
    this.error = error;
    this.status = status;
  }
}

export type XrpcAnswer = { json: unknown } | { car: Buffer };
type Method = (archive: ServedArchive, params: URLSearchParams) => Promise<XrpcAnswer>;

/** How accounts that are not active are refused. */
const REFUSED: Readonly<Record<string, string>> = {
  takendown: "RepoTakendown",
  suspended: "RepoSuspended",
  deactivated: "RepoDeactivated",
};

/** A head has to be read from the proof of its repo: a page of many would take long. */
const MOST_REPOS = 100;
const MOST_RECORDS = 100;
const USUAL_RECORDS = 50;
/** Repos that are rebuilt at once: each is in memory as a whole. */
const REBUILT_AT_ONCE = 4;

export class ServedArchive implements Disposable {
  readonly #folder: string;
  readonly #onDamage: (damage: Damage) => void;
  readonly #commits: CommitIndex;
  readonly #stream: StreamDoor;
  #rebuilding = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(folder: string, onDamage: (damage: Damage) => void) {
    this.#folder = folder;
    this.#onDamage = onDamage;
    this.#commits = new CommitIndex(folder, onDamage);
    this.#stream = new StreamDoor({ folder, commits: this.#commits, onDamage });
  }

  /** Reads the recorded events; the first time that takes as long as reading them does. */
  refresh(): Promise<void> {
    return this.#commits.refresh();
  }

  /** The archive as a stream, for those who ask for `/stream`. */
  get stream(): StreamDoor {
    return this.#stream;
  }

  /** Throws an XrpcError when there is no such method, or it cannot be answered. */
  async answer(method: string, params: URLSearchParams): Promise<XrpcAnswer> {
    const run = Object.hasOwn(METHODS, method) ? METHODS[method]! : null;
    if (run === null) throw new XrpcError("MethodNotImplemented", `${method} is not served here.`, 501);
    await this.refresh();
    return run(this, params);
  }

  /** An active account's repo. */
  async repo(did: string): Promise<ServedRepo> {
    const status = this.#statusOf(did);
    if (status !== null) throw new XrpcError(REFUSED[status] ?? "RepoNotFound", `${did} is not active: ${status}.`);
    const repo = await this.#rebuilt(did);
    if (repo === null) {
      throw new XrpcError("RepoNotFound", `The archive does not have ${did}, or was crawled without --proofs blocks.`);
    }
    return repo;
  }

  /** Accounts whose repo can be rebuilt, in the order of the catalogue, from the first behind a DID. */
  async list(after: string | null, limit: number): Promise<{ cursor: string | null; repos: unknown[] }> {
    const catalogue = new Catalogue(catalogueFolder(this.#folder));
    const repos: unknown[] = [];
    try {
      for await (const { did, place } of catalogue.entriesAfter(after)) {
        const repo = place === null ? null : await this.#rebuilt(did);
        if (repo === null) continue;
        const status = this.#statusOf(did);
        const standing = status === null ? { active: true } : { active: false, status };
        repos.push({ did, head: commitCid(repo), rev: repo.rev, ...standing });
        if (repos.length === limit) return { cursor: did, repos };
      }
      return { cursor: null, repos };
    } finally {
      catalogue.close();
    }
  }

  #statusOf(did: string): string | null {
    using accounts = new InactiveAccounts(this.#folder);
    return accounts.statusOf(did);
  }

  async #rebuilt(did: string): Promise<ServedRepo | null> {
    while (this.#rebuilding >= REBUILT_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#rebuilding++;
    try {
      return await servedRepo(this.#folder, this.#commits, did, this.#onDamage);
    } finally {
      this.#rebuilding--;
      this.#waiting.shift()?.();
    }
  }

  [Symbol.dispose](): void {
    this.#commits[Symbol.dispose]();
  }
}

const METHODS: Readonly<Record<string, Method>> = {
  "com.atproto.sync.getRepo": async (archive, params) => ({ car: repoCar(await archive.repo(didIn(params, "did"))) }),
  "com.atproto.sync.getRecord": async (archive, params) => {
    const repo = await archive.repo(didIn(params, "did"));
    return { car: recordProof(repo, pathIn(params)) };
  },
  "com.atproto.sync.getLatestCommit": async (archive, params) => {
    const repo = await archive.repo(didIn(params, "did"));
    return { json: { cid: commitCid(repo), rev: repo.rev } };
  },
  "com.atproto.sync.listRepos": async (archive, params) => {
    const after = params.get("cursor") || null;
    if (after !== null && !isDid(after))
      throw new XrpcError("InvalidRequest", "The cursor is not one of this archive.");
    const { cursor, repos } = await archive.list(after, limitIn(params, MOST_REPOS, MOST_REPOS));
    return { json: { ...(cursor !== null && { cursor }), repos } };
  },
  "com.atproto.repo.getRecord": async (archive, params) => {
    const did = didIn(params, "repo");
    const path = pathIn(params);
    const record = (await archive.repo(did)).records.find(({ key }) => key.toString() === path);
    const cid = params.get("cid");
    if (record === undefined || (cid !== null && cid !== cidText(record.cid))) {
      throw new XrpcError("RecordNotFound", `${did} has no record ${path}${cid === null ? "" : ` with this CID`}.`);
    }
    return { json: described(did, record) };
  },
  "com.atproto.repo.listRecords": async (archive, params) => {
    const did = didIn(params, "repo");
    const collection = textIn(params, "collection");
    const limit = limitIn(params, USUAL_RECORDS, MOST_RECORDS);
    const cursor = params.get("cursor");
    const isReverse = params.get("reverse") === "true";
    const prefix = Buffer.from(`${collection}/`);
    const all = (await archive.repo(did)).records.filter(({ key }) => key.subarray(0, prefix.length).equals(prefix));
    // Newest first unless asked otherwise: rkeys are times.
    const ordered = isReverse ? all : all.toReversed();
    const after = Buffer.from(`${collection}/${cursor ?? ""}`);
    const rest = ordered.filter(({ key }) => {
      if (cursor === null) return true;
      return isReverse ? Buffer.compare(key, after) > 0 : Buffer.compare(key, after) < 0;
    });
    const page = rest.slice(0, limit);
    const next = rest.length > limit ? page.at(-1)!.key.subarray(prefix.length).toString() : null;
    return { json: { ...(next !== null && { cursor: next }), records: page.map((record) => described(did, record)) } };
  },
};

export const XRPC_METHODS: readonly string[] = Object.keys(METHODS);

function described(did: string, { key, cid, block }: ServedRecord): { uri: string; cid: string; value: unknown } {
  const json = eventRecordJson(block, "lossless");
  const value: unknown = json === null ? null : JSON.parse(json.toString());
  return { uri: `at://${did}/${key.toString()}`, cid: cidText(cid), value };
}

function textIn(params: URLSearchParams, name: string): string {
  const text = params.get(name);
  if (text === null || text === "") throw new XrpcError("InvalidRequest", `The parameter ${name} is missing.`);
  return text;
}

function didIn(params: URLSearchParams, name: string): string {
  const did = textIn(params, name);
  if (!isDid(did))
    throw new XrpcError("InvalidRequest", `${name} must be a DID; handles are not stored in an archive.`);
  return did;
}

function pathIn(params: URLSearchParams): string {
  const path = `${textIn(params, "collection")}/${textIn(params, "rkey")}`;
  if (!isRecordPath(path)) throw new XrpcError("InvalidRequest", "collection and rkey do not name a record.");
  return path;
}

function limitIn(params: URLSearchParams, usual: number, most: number): number {
  const text = params.get("limit");
  const limit = text === null ? usual : Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new XrpcError("InvalidRequest", "limit must be a number from 1.");
  return Math.min(limit, most);
}
