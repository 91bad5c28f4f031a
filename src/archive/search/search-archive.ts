/** `trawl archive search`: finds words in the stored pages, with an index that is brought up to date first. */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { MetadataRecord } from "../store/metadata-record.ts";
import { isStillThere, metadataSince } from "../store/metadata-since.ts";
import { workspaceBlobs } from "../stores.ts";
import type { Workspace } from "../workspace.ts";
import { pageText } from "./page-text.ts";
import { type IndexedPage, isDamage, type Match, type Reached, TextIndex } from "./text-index.ts";

export interface SearchOptions {
  /** The most hits that are returned. */
  limit: number;
  /** `no`: searches the index as it is. `rebuild`: rebuilds it from the store. */
  update: "yes" | "no" | "rebuild";
  onProgress?: (pages: number) => void;
}

export interface SearchAnswer {
  query: string;
  /** Pages that match; `matches` holds the best of them. */
  total: number;
  matches: Match[];
  index: {
    /** Pages in it. */
    pages: number;
    /** The index has everything that was fetched up to this time (Unix, in seconds); null when it is empty. */
    upTo: number | null;
    /** Fetches of pages since then that are not in the index. */
    behind: number;
  };
}

const BATCH = 200;

export async function searchArchive(
  workspace: Workspace,
  words: string,
  options: SearchOptions,
): Promise<SearchAnswer> {
  const query = ftsQuery(words);
  try {
    return await search(workspace, query, words, options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return search(workspace, query, words, { ...options, update: "rebuild" });
  }
}

async function search(
  workspace: Workspace,
  query: string,
  words: string,
  { limit, update, onProgress = () => {} }: SearchOptions,
): Promise<SearchAnswer> {
  const { searchIndex, metadata } = workspace.paths;
  if (!existsSync(metadata)) {
    throw new TrawlError(
      "BAD_USAGE",
      `Nothing has been archived in ${workspace.root} yet. Start with \`trawl archive run\`.`,
    );
  }
  let index = TextIndex.open(searchIndex, { isFresh: update === "rebuild" });
  try {
    if (update !== "no") {
      const { reached } = index;
      if (reached !== null && !(await isStillThere(metadata, reached))) {
        // Pages in the index may no longer be in the archive.
        index.close();
        index = TextIndex.open(searchIndex, { isFresh: true });
      }
      await bringUpToDate(index, metadata, workspaceBlobs(workspace), onProgress);
    }
    const { reached, pages } = index;
    const upTo = reached?.timestamp ?? null;
    const behind = update === "no" ? await countBehind(reached, metadata) : 0;
    return { query: words, ...index.find(query, limit), index: { pages, upTo, behind } };
  } finally {
    index.close();
  }
}

async function bringUpToDate(
  index: TextIndex,
  metadata: string,
  blobs: Pick<BlobStore, "read">,
  onProgress: (pages: number) => void,
): Promise<void> {
  let reached: Reached | null = null;
  let batch: IndexedPage[] = [];
  let done = index.pages;
  for await (const { record, mark } of metadataSince(metadata, index.reached)) {
    reached = { ...mark, timestamp: record.timestamp };
    if (!isPage(record)) continue;
    const bytes = await blobs.read(record.content_sha256).catch(() => null);
    if (bytes === null) continue;
    const { url, page_type, content_sha256: sha256, timestamp } = record;
    batch.push({ url, page_type, sha256, timestamp, ...pageText(bytes, record.content_type || null) });
    if (batch.length < BATCH) continue;
    index.add(batch, reached);
    done += batch.length;
    onProgress(done);
    batch = [];
  }
  if (reached !== null) index.add(batch, reached);
}

/** A 304 names a page that is indexed already, unless an earlier line of that page was lost. */
const isPage = ({ content_sha256, content_type }: MetadataRecord): boolean =>
  content_sha256 !== "" && /\b(?:html|text)\b/i.test(content_type);

async function countBehind(reached: Reached | null, metadata: string): Promise<number> {
  let behind = 0;
  for await (const { record } of metadataSince(metadata, reached)) if (isPage(record)) behind++;
  return behind;
}

/** Words must all occur. "Quotes" make a phrase, word* matches words that begin this way, and -word must not occur. */
export function ftsQuery(words: string): string {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, phrase, word = ""] of words.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const text = (phrase ?? word.replace(/\*$/, "")).trim();
    // A term without letters or digits is not a word to the index, and an empty phrase would match nothing.
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const term = `"${text}"${phrase === undefined && word.endsWith("*") ? "*" : ""}`;
    (minus === "-" ? unwanted : wanted).push(term);
  }
  if (wanted.length === 0) {
    throw new TrawlError(
      "BAD_USAGE",
      `"${words}" has no word to search for; words with - before them are only left out.`,
    );
  }
  return [wanted.join(" AND "), ...unwanted].join(" NOT ");
}
