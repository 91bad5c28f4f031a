/**
 * `relay:https://…` and `pds:https://…`: the repos of every PDS that a relay knows, or of one PDS, as servers list
 * them.
 */

import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { endpointOfHost } from "./did.ts";
import { type DidEntry, type DidPage, type DidSource, END, mergePages, pageOf } from "./did-page.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

export interface RelaySourceOptions {
  origin: string;
  client: SourceClient;
  allowPrivate: boolean;
  /** Hosts to leave out. */
  isSkipped: (origin: string) => boolean;
  /** A host that was not read to its end: the crawl lacks what it did not list. */
  onFailure: (origin: string, reason: string) => void;
}

const PAGE_SIZE = 1_000;
/** Hosts listed in parallel: enough that slow ones do not hold up the others, few enough to fit into memory. */
const WIDTH = 16;

const Hosts = z.object({
  cursor: z.string().nullish(),
  hosts: z.array(z.object({ hostname: z.string(), status: z.string().nullish() })),
});

export const relaySource = (options: RelaySourceOptions): DidSource => ({
  name: `relay:${options.origin}`,
  pages: (from) => readRelay(options, from),
});

async function* readRelay(
  options: RelaySourceOptions,
  from: (source: string) => string | null,
): AsyncGenerator<DidPage> {
  const { client, onFailure } = options;
  yield* mergePages({
    keys: await listHosts(options),
    open: (origin) => listRepos(origin, client, from(`pds:${origin}`)),
    width: WIDTH,
    onFailure: (origin, error) => {
      // Anything else is the crawl that stops, or a defect.
      if (!(error instanceof SourceError)) throw error;
      onFailure(origin, error.message);
    },
  });
}

/** A few thousand: they are read first, so that all can be listed in parallel. */
async function listHosts({ origin, client, allowPrivate, isSkipped }: RelaySourceOptions): Promise<Set<string>> {
  const origins = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...(cursor === "" ? {} : { cursor }) });
    const page = await readHosts(`${origin}/xrpc/com.atproto.sync.listHosts?${query}`, client);
    for (const { hostname, status } of page.hosts) {
      if (status === "banned") continue;
      const endpoint = endpointOfHost(hostname, allowPrivate);
      if (endpoint.origin !== null && !isSkipped(endpoint.origin)) origins.add(endpoint.origin);
    }
    const next: string | null = page.cursor ?? null;
    cursor = next === "" || next === cursor || page.hosts.length === 0 ? null : next;
  }
  return origins;
}

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
  /** It was not read to its end: the crawl lacks what it did not list. */
  onFailure: (origin: string, reason: string) => void;
}

export const pdsSource = (options: PdsSourceOptions): DidSource => ({
  name: `pds:${options.origin}`,
  pages: (from) => readPds(options, from(`pds:${options.origin}`)),
});

async function* readPds({ origin, client, onFailure }: PdsSourceOptions, from: string | null): AsyncGenerator<DidPage> {
  try {
    yield* listRepos(origin, client, from);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    onFailure(origin, error.message);
  }
}

/** Nothing when it was read to its end before. */
async function* listRepos(origin: string, client: SourceClient, from: string | null): AsyncGenerator<DidPage> {
  if (from === END) return;
  for (let cursor = from ?? ""; cursor !== END; ) {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...(cursor === "" ? {} : { cursor }) });
    const answer = Page.safeParse(await client.json(`${origin}/xrpc/com.atproto.sync.listRepos?${query}`));
    if (!answer.success) throw new SourceError(`${origin} does not list its repos as a PDS does`, 200);
    const { repos, cursor: next } = answer.data;
    // A cursor that does not move would be read forever.
    const isLast = next === null || next === undefined || next === "" || next === cursor || repos.length === 0;
    cursor = isLast ? END : next;
    yield pageOf(
      `pds:${origin}`,
      repos.flatMap((repo) => entryOf(repo, origin)),
      cursor,
    );
  }
}

function entryOf(repo: unknown, origin: string): DidEntry[] {
  const listed = Listed.safeParse(repo);
  if (!listed.success) return [];
  const { did, rev, active, status } = listed.data;
  return [{ did, pds: origin, rev: rev ?? null, status: active === false ? classOf(status ?? "") : null }];
}

/** The statuses of com.atproto.sync.listRepos as error classes. `deleted` repos are gone, `desynchronized` ones still exist. */
function classOf(status: string): string | null {
  if (status === "takendown" || status === "suspended" || status === "deactivated") return status;
  if (status === "deleted") return "not_found";
  return status === "desynchronized" || status === "throttled" ? null : "deactivated";
}
