/** A program that follows `/stream` and keeps a copy of the archive, as the documentation says; and what the copy should have. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Account } from "../servers/at-network/accounts.ts";
import type { Firehose } from "../servers/at-network/firehose.ts";
import { until } from "./following.ts";

interface Message {
  id: number;
  cursor: string;
  type: "repo" | "record" | "repo_end" | "live" | "account" | "identity";
  did: string;
  rev: string;
  live?: boolean;
  collection: string;
  rkey: string;
  action: "create" | "update" | "delete";
  record: { text?: string } | null;
  active?: boolean;
}

/** A copy of the archive, kept as the documentation says. */
export class Copy {
  readonly messages: Message[] = [];
  readonly repos: Map<string, { rev: string; records: Map<string, unknown> }>;
  readonly #socket: WebSocket;
  closed: { code: number } | null = null;
  isLive = false;

  /** `before`: the copy that a broken connection left. What it did not acknowledge is sent again, with the revs that it had. */
  constructor(t: TestContext, { url }: { url: string }, query = "", acknowledges = true, before: Copy | null = null) {
    this.repos = new Map([...(before?.repos ?? [])].map(([did, { records }]) => [did, { rev: "", records }]));
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/stream${query}`);
    t.after(() => this.#socket.close());
    this.#socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      this.messages.push(message);
      this.#apply(message);
      if (acknowledges) this.acknowledge(message.id);
    });
    this.#socket.addEventListener("close", ({ code }) => {
      this.closed = { code };
    });
  }

  acknowledge(id: number): void {
    this.say(JSON.stringify({ ack: id }));
  }

  say(text: string): void {
    this.#socket.send(text);
  }

  async close(): Promise<void> {
    this.#socket.close();
    await until("the end of the connection", () => this.closed !== null);
  }

  #apply({ type, did, rev, collection, rkey, action, record, active }: Message): void {
    if (type === "live") this.isLive = true;
    if (type === "repo") this.repos.set(did, { rev, records: new Map() });
    if (type === "account" && active === false) this.repos.delete(did);
    if (type !== "record") return;
    const repo = this.repos.get(did) ?? { rev: "", records: new Map() };
    this.repos.set(did, repo);
    assert.ok(rev >= repo.rev, "what is sent of a repo is in its order");
    repo.rev = rev;
    if (action === "delete") repo.records.delete(`${collection}/${rkey}`);
    else repo.records.set(`${collection}/${rkey}`, record);
  }
}

/** What each account has now. */
export async function truth(firehose: Firehose, accounts: readonly Account[]): Promise<Map<string, string[]>> {
  const paths = new Map<string, string[]>();
  for (const account of accounts) {
    const found: string[] = [];
    for await (const { collection, rkey } of firehose.repoOf(account).walkRecords())
      found.push(`${collection}/${rkey}`);
    paths.set(account.did, found.sort());
  }
  return paths;
}

export const pathsOf = (copy: Copy): Map<string, string[]> =>
  new Map([...copy.repos].map(([did, { records }]) => [did, [...records.keys()].sort()]));

export const same = (one: Map<string, string[]>, other: Map<string, string[]>): boolean =>
  JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());
