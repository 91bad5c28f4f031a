/** `relay:https://…`: the repos of every PDS that a relay knows. */
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import type { DidPage, DidSource } from "./did-page.ts";
import { mergePages } from "./did-page.ts";
import { endpointOfHost } from "./endpoint.ts";
import { listRepos } from "./pds-source.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

export interface RelaySourceOptions {
  origin: string;
  client: SourceClient;
  allowPrivate: boolean;
  /** Hosts that are not to be asked. */
  isSkipped: (origin: string) => boolean;
  /** A host that was not read to its end: the crawl lacks what it did not list. */
  onFailure: (origin: string, reason: string) => void;
}

const PAGE_SIZE = 1_000;
/** Hosts listed side by side: enough that slow ones hold nothing up, few enough to stay in memory. */
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

/** Some thousand: they are read first, so that all can be listed side by side. */
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
