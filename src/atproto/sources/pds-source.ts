/** `pds:https://…`: the repos of one PDS, as it lists them. */
import { z } from "zod";
import { type DidEntry, type DidPage, type DidSource, END, pageOf } from "./did-page.ts";
import { type SourceClient, SourceError } from "./source-client.ts";

/** The most that a PDS gives. */
const PAGE_SIZE = 1_000;

const Listed = z.object({
  did: z.string(),
  rev: z.string().nullish(),
  active: z.boolean().nullish(),
  status: z.string().nullish(),
});
/** Entries are looked at one by one: a single one that is broken must not cost the page. */
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
export async function* listRepos(origin: string, client: SourceClient, from: string | null): AsyncGenerator<DidPage> {
  if (from === END) return;
  for (let cursor = from ?? ""; cursor !== END; ) {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...(cursor === "" ? {} : { cursor }) });
    const answer = Page.safeParse(await client.json(`${origin}/xrpc/com.atproto.sync.listRepos?${query}`));
    if (!answer.success) throw new SourceError(`${origin} does not list its repos as a PDS does`, 200);
    const { repos, cursor: next } = answer.data;
    // A cursor that does not move would be read for ever.
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

/** The statuses of com.atproto.sync.listRepos as error classes. `deleted` repos are gone, `desynchronized` ones are there. */
function classOf(status: string): string | null {
  if (status === "takendown" || status === "suspended" || status === "deactivated") return status;
  if (status === "deleted") return "not_found";
  return status === "desynchronized" || status === "throttled" ? null : "deactivated";
}
