/** A PDS: lists its repos in pages and sends them, or does what each one's fault says. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Clock } from "../../../src/kernel/clock.ts";
import { type Account, faultOf } from "./accounts.ts";
import { sendCar, xrpcError } from "./faults.ts";

export interface PdsOptions {
  accounts: () => readonly Account[];
  /** The most that a page of listRepos holds, whatever was asked for. */
  pageSize: number;
  dripMs: number;
  clock: Clock;
  conduct: Conduct;
}

/** What the whole host does; tests change it while it runs. */
export interface Conduct {
  /** After every so many repos sent, so many requests get 429. */
  busy: { every: number; burst: number; headers: () => Record<string, string> } | null;
  /** How long each repo waits. */
  delayMs: number;
  /** Every getRepo gets this answer instead. */
  instead: ((response: ServerResponse) => void) | null;
  /** It answers getLatestCommit. */
  tellsRevs: boolean;
  /** It answers describeRepo. */
  describes: boolean;
  /** The rev that its list gives an account. */
  listedRev: (account: Account) => string;
  /** The cursor behind a page, which ends at this account. */
  cursor: (end: number) => string;
  /** What it sends for getRepo with `since`; everything unless given. */
  changes: ((account: Account, since: string) => Uint8Array) | null;
}

export const goodConduct = (): Conduct => ({
  busy: null,
  delayMs: 0,
  instead: null,
  tellsRevs: true,
  describes: true,
  listedRev: ({ repo }) => repo.rev,
  cursor: String,
  changes: null,
});

export function pdsListener(options: PdsOptions): RequestListener {
  const attempts = new Map<string, number>();
  const { conduct } = options;
  let answered = 0;
  let refuse = 0;

  return (request, response) => {
    const url = new URL(request.url ?? "/", "http://pds");
    if (url.pathname === "/xrpc/com.atproto.sync.listRepos") return listRepos(url, response, options);
    if (url.pathname === "/xrpc/com.atproto.sync.getLatestCommit" && conduct.tellsRevs) {
      const account = options.accounts().find(({ did }) => did === url.searchParams.get("did"));
      if (account === undefined) return xrpcError(response, 400, "RepoNotFound", "Could not find repo for DID");
      return sendJson(response, { cid: account.repo.commitCid, rev: account.repo.rev });
    }
    if (url.pathname === "/xrpc/com.atproto.repo.describeRepo" && conduct.describes) {
      const account = options.accounts().find(({ did }) => did === url.searchParams.get("repo"));
      if (account === undefined) return xrpcError(response, 400, "RepoNotFound", "Could not find repo for DID");
      const collections = [...new Set(account.repo.paths.map((path) => path.split("/")[0]!))];
      return sendJson(response, { did: account.did, handle: account.handle, collections });
    }
    if (url.pathname !== "/xrpc/com.atproto.sync.getRepo") {
      return xrpcError(response, 501, "MethodNotImplemented", "Method Not Implemented");
    }
    if (conduct.instead !== null) return conduct.instead(response);
    if (conduct.busy !== null) {
      if (refuse > 0) {
        refuse--;
        return xrpcError(response, 429, "RateLimitExceeded", "Rate Limit Exceeded", conduct.busy.headers());
      }
      if (++answered % conduct.busy.every === 0) refuse = conduct.busy.burst;
    }
    const account = options.accounts().find(({ did }) => did === url.searchParams.get("did"));
    if (account === undefined) return xrpcError(response, 400, "RepoNotFound", "Could not find repo for DID");
    const attempt = (attempts.get(account.did) ?? 0) + 1;
    attempts.set(account.did, attempt);
    const since = url.searchParams.get("since");
    if (since !== null && conduct.changes !== null) return sendCar(response, conduct.changes(account, since));
    const answer = () => answerRepo(request, response, account, attempt, options);
    if (conduct.delayMs === 0) answer();
    else options.clock.after(conduct.delayMs, answer);
  };
}

function answerRepo(
  request: IncomingMessage,
  response: ServerResponse,
  account: Account,
  attempt: number,
  { accounts, dripMs, clock }: PdsOptions,
): void {
  const { did, repo } = account;
  const { answer } = faultOf(account);
  const otherCar = () => accounts().find((other) => other.did !== did)!.repo.car;
  if (answer === undefined) sendEncoded(request, response, repo.car, account.index);
  else answer({ response, car: repo.car, otherCar, attempt, did, dripMs, clock });
}

/** As servers do: what the client accepts, and here each in turn so that all are used. */
function sendEncoded(request: IncomingMessage, response: ServerResponse, car: Uint8Array, turn: number): void {
  const accepted = String(request.headers["accept-encoding"] ?? "");
  if (turn % 3 === 1 && /\bgzip\b/.test(accepted)) sendCar(response, gzipSync(car), { "content-encoding": "gzip" });
  else if (turn % 3 === 2 && /\bzstd\b/.test(accepted)) {
    sendCar(response, zstdCompressSync(car), { "content-encoding": "zstd" });
  } else sendCar(response, car);
}

function listRepos({ searchParams }: URL, response: ServerResponse, { accounts, pageSize, conduct }: PdsOptions): void {
  const sorted = [...accounts()].sort((a, b) => (a.did < b.did ? -1 : 1));
  const from = Number(searchParams.get("cursor") ?? 0);
  const limit = Math.min(Number(searchParams.get("limit") ?? 500), pageSize);
  const page = sorted.slice(from, from + limit).map((account) => {
    const { status } = faultOf(account);
    const { did, repo } = account;
    return {
      did,
      head: repo.commitCid,
      rev: conduct.listedRev(account),
      active: status === undefined,
      ...(status && { status }),
    };
  });
  // As real ones do: even after the last one, where nothing follows.
  sendJson(response, { ...(page.length > 0 && { cursor: conduct.cursor(from + page.length) }), repos: page });
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
