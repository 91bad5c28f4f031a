/** `dids:FILE`: one DID per line, optionally with its PDS after a tab. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { TrawlError } from "../../errors.ts";
import { type DidEntry, type DidPage, type DidSource, END, pageOf, plainEntry } from "./did-page.ts";

export interface DidsSourceOptions {
  path: string;
  pageSize: number;
}

export const didsSource = (options: DidsSourceOptions): DidSource => ({
  name: `dids:${options.path}`,
  pages: (from) => readDids(options, from(`dids:${options.path}`)),
});

/** The cursor is the number of lines read. */
async function* readDids({ path, pageSize }: DidsSourceOptions, from: string | null): AsyncGenerator<DidPage> {
  if (from === END) return;
  const name = `dids:${path}`;
  const skipped = Number(from ?? 0);
  let number = 0;
  let entries: DidEntry[] = [];
  for await (const line of linesOf(path)) {
    if (++number <= skipped) continue;
    const [did = "", pds = ""] = line.split("\t").map((part) => part.trim());
    if (did === "" || did.startsWith("#")) continue;
    if (entries.push(plainEntry(did, pds === "" ? null : pds)) < pageSize) continue;
    yield pageOf(name, entries, `${number}`);
    entries = [];
  }
  yield pageOf(name, entries, END);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `dids: ${path} cannot be read (${(error as Error).message})`);
  }
}
