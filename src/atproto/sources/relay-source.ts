/**
 * `relay:https://…` and `pds:https://…`: the repos of every PDS that a relay knows, or of one PDS, as servers list
 * them.
 */

import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { endpointOfHost } from "../identity/did.ts";
import { isTid } from "../repo/tid.ts";
import { CursorCircle } from "./cursor-circle.ts";
import {
  type Demand,
  type DidEntry,
  type DidPage,
  type DidSource,
  END,
  mergePages,
  pageOf,
  plainEntry,
} from "./did-page.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

export interface RelaySourceOptions {
  origin: string;
  client: SourceClient;
  allowPrivate: boolean;
  /** Hosts to leave out. */
  isSkipped: (origin: string) => boolean;
  /** The most accounts to take from a host's list; null for what its relay makes plausible, infinite for all. May change meanwhile. */
  maxAccounts: (origin: string) => number | null;
  /** Which hosts should list more; all of them unless given. */
  demand?: Demand;
  /** A host has so many accounts, as the relay counts them. */
  onSize?: (origin: string, accounts: number) => void;
  /** Only accounts with records in one of these collections; all when empty. */
  signals?: readonly string[];
  /** Holds what a host lists against the documents of the DIDs: for each host by itself, so that a slow one holds up no other. */
  check: (pages: AsyncIterable<DidPage>) => AsyncIterable<DidPage>;
  /** A host that was not read to its end: the crawl lacks what it did not list. */
  onFailure: (origin: string, reason: string) => void;
}

const PAGE_SIZE = 1_000;
/** Hosts listed in parallel: enough that dead ones, which take minutes, do not hold up the others; few enough for memory. */
const WIDTH = 64;

const Hosts = z.object({
  cursor: z.string().nullish(),
  hosts: z.array(
    z.object({ hostname: z.string(), status: z.string().nullish(), accountCount: z.number().min(0).nullish() }),
  ),
});

export const relaySource = (options: RelaySourceOptions): DidSource => ({
  name: `relay:${options.origin}`,
  pages: (from) => readRelay(options, from),
});

async function* readRelay(
  options: RelaySourceOptions,
  from: (source: string) => string | null,
): AsyncGenerator<DidPage> {
  const { client, check, demand, onSize, onFailure, maxAccounts } = options;
  const bySignal = await listBySignal(options, from);
  if (bySignal !== null) {
    try {
      yield* check(bySignal);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      onFailure(options.origin, error.message);
    }
    return;
  }
  const hosts = await listHosts(options);
  for (const [origin, accounts] of hosts) if (accounts !== null) onSize?.(origin, accounts);
  yield* mergePages({
    keys: hosts.keys(),
    open: (origin) =>
      check(
        listRepos(origin, client, from(`pds:${origin}`), () =>
          accountLimit(hosts.get(origin) ?? null, maxAccounts(origin)),
        ),
      ),
    width: WIDTH,
    ...(demand === undefined ? {} : { demand }),
    onFailure: (origin, error) => {
      // Anything else is the crawl that stops, or a defect.
      if (!(error instanceof SourceError)) throw error;
      onFailure(origin, error.message);
    },
  });
}

/** Hosts with the number of accounts that the relay knows there; null when it does not say. */
type KnownHosts = Map<string, number | null>;

/**
 * A relay has seen the accounts of a host that did anything. A host that lists many times more makes them up, and would keep
 * the crawl busy for ever. Small hosts grow by more than their size, and a relay does not count the newest.
 */
const EXPECTED_GROWTH = 2;
const EXPECTED_NEW = 10_000;

function accountLimit(known: number | null, setting: number | null): number {
  if (setting === Number.POSITIVE_INFINITY) return setting;
  const byRelay = known === null ? Number.POSITIVE_INFINITY : known * EXPECTED_GROWTH + EXPECTED_NEW;
  return Math.min(byRelay, setting ?? Number.POSITIVE_INFINITY);
}

/** The pages of `listReposByCollection` of the relay, for each collection; null when it does not offer that, or none is looked for. */
async function listBySignal(
  { origin, client, signals = [] }: RelaySourceOptions,
  from: (source: string) => string | null,
): Promise<AsyncIterable<DidPage> | null> {
  const lists = signals.map((collection) =>
    readCollection(origin, client, collection, from(partOf(origin, collection))),
  );
  const first = lists[0];
  if (first === undefined) return null;
  try {
    const { value } = await first.next();
    return inOrder(value === undefined ? [] : [value], lists);
  } catch (error) {
    if (error instanceof SourceError && NOT_OFFERED.has(error.status ?? 0)) return null;
    if (error instanceof SourceError) throw new TrawlError("SOURCE_FAILED", `${error.message}.`);
    throw error;
  }
}

/** What servers answer to a method that they do not know. */
const NOT_OFFERED: ReadonlySet<number> = new Set([400, 404, 405, 501]);

async function* inOrder(read: readonly DidPage[], rest: readonly AsyncIterable<DidPage>[]): AsyncGenerator<DidPage> {
  yield* read;
  for (const pages of rest) yield* pages;
}

const partOf = (origin: string, collection: string): string => `relay:${origin} ${collection}`;

const Collected = z.object({ cursor: z.string().nullish(), repos: z.array(z.object({ did: z.string() })) });

async function* readCollection(
  origin: string,
  client: SourceClient,
  collection: string,
  from: string | null,
): AsyncGenerator<DidPage> {
  const circle = new CursorCircle();
  for (let cursor = from ?? ""; cursor !== END; ) {
    const query = new URLSearchParams({ collection, limit: `${PAGE_SIZE}`, ...(cursor === "" ? {} : { cursor }) });
    const answer = Collected.safeParse(
      await client.json(`${origin}/xrpc/com.atproto.sync.listReposByCollection?${query}`),
    );
    if (!answer.success) throw new SourceError(`${origin} does not list repos by collection as a relay does`, 200);
    const { repos, cursor: next } = answer.data;
    const isLast = next === null || next === undefined || next === "" || next === cursor || repos.length === 0;
    cursor = isLast ? END : next;
    if (circle.closes(cursor)) throw inCircles(origin, "repos");
    const entries = repos.map(({ did }): DidEntry => ({ ...plainEntry(did, null), hasSignal: true }));
    yield pageOf(partOf(origin, collection), entries, cursor);
  }
}

/** Far more than there are: a relay that names ever more of them would be read for ever, and fill memory. */
const MOST_HOSTS = 100_000;
const MOST_HOST_PAGES = 1_000;

/** A few thousand: they are read first, so that all can be listed in parallel. */
async function listHosts(options: RelaySourceOptions): Promise<KnownHosts> {
  const { origin, client, allowPrivate, isSkipped, onFailure } = options;
  const origins: KnownHosts = new Map();
  const circle = new CursorCircle();
  for (let [cursor, pages] = ["" as string | null, 0]; cursor !== null; pages++) {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...(cursor === "" ? {} : { cursor }) });
    const page = await readHosts(`${origin}/xrpc/com.atproto.sync.listHosts?${query}`, client);
    for (const { hostname, status, accountCount } of page.hosts) {
      if (status === "banned") continue;
      const endpoint = endpointOfHost(hostname, allowPrivate);
      if (endpoint.origin !== null && !isSkipped(endpoint.origin)) origins.set(endpoint.origin, accountCount ?? null);
    }
    const next: string | null = page.cursor ?? null;
    cursor = next === "" || next === cursor || page.hosts.length === 0 ? null : next;
    if (cursor === null) break;
    const isCircle = circle.closes(cursor);
    if (!isCircle && origins.size < MOST_HOSTS && pages < MOST_HOST_PAGES) continue;
    onFailure(origin, isCircle ? inCircles(origin, "hosts").message : `${origin} names more hosts than there can be`);
    break;
  }
  return origins;
}

const inCircles = (origin: string, what: string): SourceError =>
  new SourceError(`${origin} lists its ${what} in a circle`, 200);

async function readHosts(url: string, client: SourceClient): Promise<z.infer<typeof Hosts>> {
  try {
    return Hosts.parse(await client.json(url));
  } catch (error) {
    if (error instanceof SourceError) throw new TrawlError("SOURCE_FAILED", `${error.message}.`);
    if (error instanceof z.ZodError)
      throw new TrawlError("SOURCE_FAILED", `${url} does not list hosts as a relay does.`);
    throw error;
  }
}

/** `pds:https://…`: the repos of one PDS, as it lists them. */
const Listed = z.object({
  did: z.string(),
  rev: z.string().nullish(),
  active: z.boolean().nullish(),
  status: z.string().nullish(),
});
/** Entries are validated one by one: a single broken one must not cost the page. */
const Page = z.object({ cursor: z.string().nullish(), repos: z.array(z.unknown()) });

export interface PdsSourceOptions {
  origin: string;
  client: SourceClient;
  /** As of a relay. */
  maxAccounts: (origin: string) => number | null;
  /** Whether it should list more; always unless given. */
  demand?: Demand;
  /** It was not read to its end: the crawl lacks what it did not list. */
  onFailure: (origin: string, reason: string) => void;
}

export const pdsSource = (options: PdsSourceOptions): DidSource => ({
  name: `pds:${options.origin}`,
  pages: (from) => readPds(options, from(`pds:${options.origin}`)),
});

const readPds = (
  { origin, client, maxAccounts, demand, onFailure }: PdsSourceOptions,
  from: string | null,
): AsyncGenerator<DidPage> =>
  mergePages({
    keys: [origin],
    open: () => listRepos(origin, client, from, () => accountLimit(null, maxAccounts(origin))),
    width: 1,
    ...(demand === undefined ? {} : { demand }),
    onFailure: (_, error) => {
      if (!(error instanceof SourceError)) throw error;
      onFailure(origin, error.message);
    },
  });

/** Nothing when it was read to its end before. */
async function* listRepos(
  origin: string,
  client: SourceClient,
  from: string | null,
  limit: () => number,
): AsyncGenerator<DidPage> {
  if (from === END) return;
  const circle = new CursorCircle();
  let listed = 0;
  for (let cursor = from ?? ""; cursor !== END; ) {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...(cursor === "" ? {} : { cursor }) });
    const answer = Page.safeParse(await client.json(`${origin}/xrpc/com.atproto.sync.listRepos?${query}`));
    if (!answer.success) throw new SourceError(`${origin} does not list its repos as a PDS does`, 200);
    const { repos, cursor: next } = answer.data;
    const most = limit();
    // A cursor that does not move would be read forever.
    const isLast = next === null || next === undefined || next === "" || next === cursor || repos.length === 0;
    cursor = isLast ? END : next;
    if (circle.closes(cursor)) throw inCircles(origin, "repos");
    const taken = repos.slice(0, Math.max(0, most - listed));
    // The rest of a page that was cut is read when the limit is raised: its cursor is that of the page before.
    yield pageOf(
      `pds:${origin}`,
      taken.flatMap((repo) => entryOf(repo, origin)),
      taken.length === repos.length ? cursor : null,
    );
    listed += repos.length;
    if (listed > most || (listed === most && cursor !== END)) {
      throw new SourceError(
        `${origin} lists more than the ${most} accounts that are taken of it (--max-accounts)`,
        200,
      );
    }
  }
}

function entryOf(repo: unknown, origin: string): DidEntry[] {
  const listed = Listed.safeParse(repo);
  if (!listed.success) return [];
  const { did, rev, active, status } = listed.data;
  // What is not a time cannot be compared with what is stored: its host is asked.
  const known = rev != null && isTid(rev) ? rev : null;
  return [{ did, pds: origin, rev: known, status: active === false ? classOf(status ?? "") : null }];
}

/** The statuses of com.atproto.sync.listRepos as error classes. `deleted` repos are gone, `desynchronized` ones still exist. */
function classOf(status: string): string | null {
  if (status === "takendown" || status === "suspended" || status === "deactivated") return status;
  if (status === "deleted") return "not_found";
  return status === "desynchronized" || status === "throttled" ? null : "deactivated";
}
