/** A relay's stream on loopback: commits that the reference implementation signs, a log with a cursor, and what goes wrong with streams. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { blocksToCarFile, getFullRepo, MemoryBlockstore, type RecordWriteOp, Repo, WriteOpAction } from "@atproto/repo";
import { encode } from "../../../src/atproto/repo/testing/cbor.ts";
import type { WebSocketConnection } from "../../../src/net/websocket/websocket-connection.ts";
import { acceptWebSocket } from "../../../src/net/websocket/websocket-server.ts";
import type { Account } from "./accounts.ts";
import { sendJson } from "./pds.ts";

const LARGEST_MESSAGE = 1_000;

export interface SentFrame {
  seq: number;
  bytes: Buffer;
}

/** One operation that a test asks for. */
export type Write = ["create" | "update", path: string, record: Record<string, unknown>] | ["delete", path: string];

interface Written {
  account: Account;
  repo: Repo;
  storage: MemoryBlockstore;
}

export class Firehose {
  readonly log: SentFrame[] = [];
  readonly #server: Server;
  readonly #connections = new Set<WebSocketConnection>();
  readonly #repos = new Map<string, Written>();
  /** The cursor that each connection asked for. */
  readonly cursors: (string | null)[] = [];
  /** Frames before this one are no longer kept. */
  oldest = 0;
  seq = 1_000;
  port = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://relay");
      if (pathname !== "/xrpc/com.atproto.sync.listRepos")
        return sendJson(response, { error: "MethodNotImplemented" }, 501);
      const from = Number(searchParams.get("cursor") ?? 0);
      const page = [...this.#repos.values()].slice(from, from + 2).map(({ repo }) => {
        return { did: repo.did, head: repo.cid.toString(), rev: repo.commit.rev, active: true };
      });
      sendJson(response, { repos: page, ...(page.length > 0 && { cursor: String(from + page.length) }) });
    });
    this.#server.on("upgrade", (request, socket, head) => {
      const connection = acceptWebSocket(request, socket, head, LARGEST_MESSAGE);
      if (connection !== null)
        this.#serve(connection, new URL(request.url!, "http://relay")).catch(() => connection.destroy());
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get connected(): number {
    return this.#connections.size;
  }

  async up(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async down(): Promise<void> {
    this.hangUp();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** Breaks every connection. */
  hangUp(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#connections.clear();
  }

  repoOf(account: Account): Repo {
    return this.#repos.get(account.did)!.repo;
  }

  /** Replaces the account's repo with an empty one, without telling anybody. */
  async begin(account: Account): Promise<void> {
    const storage = new MemoryBlockstore();
    const repo = await Repo.create(storage, account.did, account.key as never);
    this.#repos.set(account.did, { account, repo, storage });
    await this.#publish(account);
  }

  /** Commits, and tells everybody unless `silent`. Returns the frame. */
  async commit(
    account: Account,
    writes: readonly Write[],
    more: { silent?: boolean; body?: object | ((ops: object[], repo: Repo) => Promise<object>) } = {},
  ): Promise<SentFrame> {
    if (!this.#repos.has(account.did)) await this.begin(account);
    const written = this.#repos.get(account.did)!;
    const before = written.repo;
    const data = await before.formatCommit(writes.map(opOf), account.key as never);
    written.repo = await before.applyCommit(data);
    await this.#publish(account);
    const ops = await Promise.all(
      writes.map(async ([action, path]) => {
        const cid = action === "delete" ? null : await written.repo.data.get(path);
        const prev = action === "create" ? null : await before.data.get(path);
        return {
          action,
          path,
          cid: cid === null ? null : { $link: cid!.bytes },
          ...(prev && { prev: { $link: prev.bytes } }),
        };
      }),
    );
    const body = typeof more.body === "function" ? await more.body(ops, written.repo) : more.body;
    const frame = this.frame("#commit", {
      repo: account.did,
      commit: { $link: data.cid.bytes },
      rev: data.rev,
      since: before.commit.rev,
      prevData: { $link: before.commit.data.bytes },
      blocks: await blocksToCarFile(data.cid, data.relevantBlocks),
      ops,
      blobs: [],
      rebase: false,
      tooBig: false,
      ...body,
    });
    if (!more.silent) this.send(frame);
    return frame;
  }

  /** A frame with the next place in the stream. */
  frame(type: string, body: object, seq = ++this.seq): SentFrame {
    const time = new Date(Date.UTC(2026, 10, 18) + seq).toISOString();
    const bytes = Buffer.concat([encode({ op: 1, t: type }), encode({ seq, time, ...body })]);
    return { seq, bytes };
  }

  send(frame: SentFrame): void {
    this.log.push(frame);
    for (const connection of this.#connections) void connection.send(frame.bytes);
  }

  tell(type: "#identity" | "#account" | "#sync", body: object): void {
    this.send(this.frame(type, body));
  }

  async #serve(connection: WebSocketConnection, { searchParams }: URL): Promise<void> {
    const cursor = searchParams.get("cursor");
    this.cursors.push(cursor);
    if (cursor !== null && Number(cursor) > this.seq) {
      const error = { error: "FutureCursor", message: "Cursor in the future." };
      await connection.send(Buffer.concat([encode({ op: -1 }), encode(error)]));
      connection.close(1008);
      return;
    }
    if (cursor !== null && Number(cursor) < this.oldest) {
      await connection.send(Buffer.concat([encode({ op: 1, t: "#info" }), encode({ name: "OutdatedCursor" })]));
    }
    const from = Math.max(Number(cursor ?? Number.POSITIVE_INFINITY), this.oldest);
    for (const { seq, bytes } of [...this.log]) if (seq > from) void connection.send(bytes);
    this.#connections.add(connection);
    for await (const _ of connection.messages());
    this.#connections.delete(connection);
  }

  /** The PDS serves what the repo is now. */
  async #publish(account: Account): Promise<void> {
    const { repo, storage } = this.#repos.get(account.did)!;
    const pieces: Uint8Array[] = [];
    for await (const piece of getFullRepo(storage, repo.cid)) pieces.push(piece);
    const paths = (await repo.data.list()).map(({ key }) => key);
    account.repo = { car: Buffer.concat(pieces), rev: repo.commit.rev, commitCid: repo.cid.toString(), paths };
  }
}

function opOf([action, path, record]: Write): RecordWriteOp {
  const [collection, rkey] = path.split("/") as [string, string];
  if (action === "delete") return { action: WriteOpAction.Delete, collection, rkey } as never;
  const kind = action === "create" ? WriteOpAction.Create : WriteOpAction.Update;
  return { action: kind, collection, rkey, record } as never;
}
