/** `dids:FILE`: one DID per line, optionally with its PDS after a tab; a missing PDS is read from the DID's document. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { TrawlError } from "../../errors.ts";
import { type DidResolver, isDid } from "./did.ts";
import { type DidEntry, type DidPage, type DidSource, END, pageOf, plainEntry } from "./did-page.ts";
import { SourceError } from "./source-client.ts";

export interface DidsSourceOptions {
  path: string;
  resolver: DidResolver;
  pageSize: number;
}

/** Documents requested in parallel; the lane of the directory sets the pace. */
const WIDTH = 16;
/** A page is ready when its slowest document is, so pages are small, to not keep the crawl waiting. */
const MAX_PAGE = 1_000;

export const didsSource = (options: DidsSourceOptions): DidSource => ({
  name: `dids:${options.path}`,
  pages: (from) => readDids(options, from(`dids:${options.path}`)),
});

/** The cursor is the number of lines read. */
async function* readDids(
  { path, resolver, pageSize }: DidsSourceOptions,
  from: string | null,
): AsyncGenerator<DidPage> {
  if (from === END) return;
  const name = `dids:${path}`;
  const skipped = Number(from ?? 0);
  let number = 0;
  let entries: DidEntry[] = [];
  for await (const line of linesOf(path)) {
    if (++number <= skipped) continue;
    const [did = "", pds = ""] = line.split("\t").map((part) => part.trim());
    if (did === "" || did.startsWith("#")) continue;
    if (entries.push(plainEntry(did, pds === "" ? null : pds)) < Math.min(pageSize, MAX_PAGE)) continue;
    yield pageOf(name, await resolveAll(entries, resolver), `${number}`);
    entries = [];
  }
  yield pageOf(name, await resolveAll(entries, resolver), END);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `dids: ${path} cannot be read (${(error as Error).message})`);
  }
}

async function resolveAll(entries: DidEntry[], resolver: DidResolver): Promise<DidEntry[]> {
  const resolved = [...entries];
  const missing = [...entries.keys()].filter((at) => entries[at]!.pds === null && isDid(entries[at]!.did));
  const work = async (): Promise<void> => {
    for (let at = missing.shift(); at !== undefined; at = missing.shift()) {
      resolved[at] = await resolveOne(entries[at]!, resolver);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
  return resolved;
}

async function resolveOne(entry: DidEntry, resolver: DidResolver): Promise<DidEntry> {
  try {
    const { pds } = await resolver.resolve(entry.did);
    return pds === null ? { ...entry, status: "not_found" } : { ...entry, pds };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ...entry, status: error.isNotFound ? "not_found" : "unavailable" };
  }
}
