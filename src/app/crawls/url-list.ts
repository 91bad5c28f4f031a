/** A list of URLs in a file, one per line. It is read in batches, so it may have any length. */

import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, renameSync } from "node:fs";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { TrawlError } from "../../errors.ts";
import { PRIVATE_FILE } from "../../kernel/sqlite/private-files.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { siteCanonicalizer } from "../../site/url-rules.ts";
import { hostOf, prepareBase } from "../../web/url.ts";
import { normalizeUrl } from "../url-input.ts";

const BATCH = 1_000;

export interface CopiedList {
  urls: number;
  /** One URL per host, up to a thousand hosts: enough to decide what belongs to the site. */
  hosts: string[];
  /** The first few lines that are not URLs. */
  rejected: { line: number; text: string }[];
  rejectedCount: number;
}

/**
 * Copies a list into the crawl's folder, one normalised URL per line. Blank lines and `#` comments are left out. It
 * gets its final name when it is complete: half a list, left by a killed process, must not pass for a whole one.
 */
export async function copyList(input: Readable, target: string): Promise<CopiedList> {
  const unfinished = `${target}.part`;
  const output = createWriteStream(unfinished, { mode: PRIVATE_FILE });
  const written = finished(output).catch((error: Error) => {
    throw new TrawlError("STORE_FAILED", `${target} cannot be written: ${error.message}`);
  });
  // A write error is reported at the end. Without a listener until then, it would end the process.
  written.catch(() => {});
  const hosts = new Map<string, string>();
  const rejected: CopiedList["rejected"] = [];
  let urls = 0;
  let rejectedCount = 0;
  let number = 0;
  for await (const text of lines(input)) {
    number++;
    const line = text.trim();
    if (line === "" || line.startsWith("#")) continue;
    const url = urlOrNull(line);
    if (url === null) {
      if (rejected.length < 5) rejected.push({ line: number, text: line.slice(0, 100) });
      rejectedCount++;
      continue;
    }
    urls++;
    if (hosts.size < 1_000 && !hosts.has(hostOf(url))) hosts.set(hostOf(url), url);
    if (!output.write(`${url}\n`)) await Promise.race([once(output, "drain"), written]);
  }
  output.end();
  await written;
  renameSync(unfinished, target);
  return { urls, hosts: [...hosts.values()], rejected, rejectedCount };
}

export async function* readList(path: string): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const line of lines(createReadStream(path))) {
    if (batch.push(line) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* lines(input: Readable): AsyncGenerator<string> {
  const { createInterface } = await import("node:readline");
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", (error as Error).message);
  }
}

function urlOrNull(text: string): string | null {
  try {
    return normalizeUrl(text);
  } catch (error) {
    if (error instanceof TrawlError) return null;
    throw error;
  }
}

/** A list with its URLs in canonical form, in which two spellings of one page are the same. */
export async function* canonicalBatches(
  batches: AsyncIterable<string[]>,
  config: SiteConfig,
): AsyncGenerator<string[]> {
  const canonicalize = siteCanonicalizer(config);
  for await (const urls of batches) {
    yield urls.map((url) => canonicalize(url, prepareBase(url))).filter((url) => typeof url === "string");
  }
}

/** The settings of a crawl that fetches the URLs of a list, and follows no links. */
export const listSettings = (config: SiteConfig): SiteConfig => ({
  ...config,
  discovery: config.discovery.filter((way) => way === "network"),
  checkResources: false,
  detectSoft404: false,
});

/** Half a list would be crawled as if it were complete. */
export function requireList(file: string, crawlId: number): void {
  if (existsSync(file)) return;
  throw new TrawlError("FILE_NOT_READABLE", `The list of crawl ${crawlId} was never read to its end, or is missing.`, {
    hint: `Start it again with \`trawl list\`; \`trawl crawls rm ${crawlId}\` deletes this one.`,
  });
}
