/** A PDS for tests on loopback: lists its repos by pages, gives their CARs, and misbehaves where a test says so. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { serveHttp } from "../../net/testing/servers.ts";
import { buildCar, type Keys } from "../repo/testing/build-car.ts";
import { encode } from "../repo/testing/cbor.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** A did:plc for a number; they sort as their numbers do. */
export function didOf(number: number): string {
  let text = "";
  for (let left = number; text.length < 24; left = Math.floor(left / 26)) text = LETTERS[left % 26] + text;
  return `did:plc:${text}`;
}

export const REV = "3kabcdefghij2";

export function carOf(did: string, records = 3, rev = REV, keys?: Keys): Buffer {
  const posts = Array.from({ length: records }, (_, index): [string, Buffer] => [
    `app.bsky.feed.post/${String(index).padStart(4, "0")}`,
    encode({ $type: "app.bsky.feed.post", text: `post ${index} of ${did}`, createdAt: "2026-01-01T00:00:00Z" }),
  ]);
  return buildCar(new Map(posts), { did, rev, ...(keys === undefined ? {} : { keys }) });
}

/** Settings for crawls of it: its DIDs are in no directory, and its repos are not signed, so that there is nothing to prove. */
export const UNSIGNED = { trustSources: true, verify: "blocks", proofs: "none" };

export type Answer = (request: IncomingMessage, response: ServerResponse, tries: number) => void;

export interface ListedRepo {
  did: string;
  rev?: string;
  active?: boolean;
  status?: string;
}

export interface FakePds {
  origin: string;
  /** DIDs whose repo was requested, in order, with the time. */
  asked: { did: string; at: number; accept: string | undefined; encoding: string | undefined }[];
  /** Pages of listRepos that were requested. */
  lists: string[];
  repos: ListedRepo[];
  /** What is answered for a DID instead of its CAR. */
  answers: Map<string, Answer>;
}

export const xrpcError =
  (status: number, error: string, message = "no"): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error, message }));
  };

const PAGE = 2;

/** Its pages have two repos each, so that cursors matter. */
export async function fakePds(
  context: TestContext,
  dids: readonly string[],
  clock: Pick<Clock, "now"> = systemClock,
): Promise<FakePds> {
  const pds: FakePds = { origin: "", asked: [], lists: [], repos: dids.map((did) => ({ did })), answers: new Map() };
  const tries = new Map<string, number>();
  const server = await serveHttp(context, (request, response) => {
    const url = new URL(request.url!, "http://pds");
    if (url.pathname.endsWith("listRepos")) {
      const from = Number(url.searchParams.get("cursor") ?? 0);
      pds.lists.push(`${from}`);
      const repos = pds.repos
        .slice(from, from + PAGE)
        .map((repo) => ({ head: "bafy", rev: REV, active: true, ...repo }));
      const cursor = from + PAGE < pds.repos.length ? { cursor: `${from + PAGE}` } : {};
      response.end(JSON.stringify({ repos, ...cursor }));
      return;
    }
    const did = url.searchParams.get("did")!;
    const { accept, "accept-encoding": encoding } = request.headers;
    pds.asked.push({ did, at: clock.now(), accept, encoding: encoding as string | undefined });
    tries.set(did, (tries.get(did) ?? 0) + 1);
    const answer = pds.answers.get(did);
    if (answer !== undefined) answer(request, response, tries.get(did)!);
    else if (pds.repos.some((repo) => repo.did === did))
      sendCar(response, carOf(did, 3, pds.repos.find((repo) => repo.did === did)!.rev));
    else xrpcError(400, "RepoNotFound")(request, response, 1);
  });
  pds.origin = server.origin;
  return pds;
}

export function sendCar(response: ServerResponse, car: Buffer): void {
  response.writeHead(200, { "content-type": "application/vnd.ipld.car" }).end(car);
}
