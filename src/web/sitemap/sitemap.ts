/** Reads a sitemap in any format, within limits. From a broken one, it reads everything that can be read. */
import { createCollector, type SitemapCollector, type SitemapLimits, type SitemapUrl } from "./collector.ts";
import { decodeSitemap, type SitemapInput } from "./decode.ts";
import { createXmlReader, type SitemapReader, type XmlKind } from "./xml.ts";

export type { Alternate, SitemapLimits, SitemapUrl } from "./collector.ts";
export type { SitemapInput } from "./decode.ts";

export type SitemapKind = XmlKind | "text";

export interface SitemapResult {
  /** `unknown`: it is not a sitemap; the problems say why. */
  kind: SitemapKind | "unknown";
  urls: SitemapUrl[];
  /** The sitemaps that an index names. */
  sitemaps: string[];
  /** What was wrong, in words. */
  problems: string[];
  /** There was more than could be read: a limit was reached, or the transfer broke off. */
  truncated: boolean;
}

/** The limits of sitemaps.org: 50 MB uncompressed and 50,000 entries per file, addresses of 2,048 characters. */
export const SITEMAP_LIMITS: SitemapLimits = Object.freeze({
  maxBytes: 50 * 1024 * 1024,
  maxUrls: 50_000,
  maxUrlLength: 2_048,
});

/**
 * Reads one file. The caller fetches the sitemaps listed in an index, and decides which hosts to trust. Never throws because
 * of the file's contents. Addresses of images and videos are ignored.
 */
export async function readSitemap(input: SitemapInput, limits: Partial<SitemapLimits> = {}): Promise<SitemapResult> {
  const allLimits = { ...SITEMAP_LIMITS, ...limits };
  const collector = createCollector(allLimits);
  let reader: SitemapReader<SitemapKind> | null = null;
  for await (const piece of decodeSitemap(input, allLimits.maxBytes, collector)) {
    // The parser knows DOCTYPE only in capitals, and would complain about each letter.
    const text: string = reader === null ? piece.trimStart().replace(/^<!doctype/i, "<!DOCTYPE") : piece;
    if (text === "") continue;
    reader ??= text.startsWith("<") ? createXmlReader(collector) : createTextReader(collector);
    reader.write(text);
    if (reader.done || collector.truncated) break;
  }
  if (reader === null) collector.addProblem("not a sitemap: it is empty");
  else if (!reader.done && !collector.truncated) reader.end();
  collector.finish();
  const { urls, sitemaps, problems, truncated } = collector;
  return { kind: reader?.kind ?? "unknown", urls, sitemaps, problems, truncated };
}

/** A longer line is not an address. Without this limit, an endless line would fill the memory. */
const MAX_LINE = 64 * 1024;

/** After this many lines without an address, it is not a sitemap. */
const MAX_FOREIGN_LINES = 1000;

/** Reads text sitemaps: one address per line. */
function createTextReader(collector: SitemapCollector): SitemapReader<"text"> {
  let rest = "";
  let foreign = 0;
  let found = false;

  function takeLine(line: string): void {
    const address = line.trim();
    if (address === "") return;
    if (/^(?:(?:https?:)?\/\/|www\.)[^\s/]+\.\S+$|^https?:\/\//i.test(address)) {
      found = true;
      collector.addUrl(address);
    } else foreign++;
  }

  return {
    write(piece) {
      const lines = (rest + piece).split(/\r\n|\r|\n/);
      rest = lines.pop()!;
      for (const line of lines) takeLine(line);
      if (rest.length > MAX_LINE) {
        takeLine(rest.slice(0, MAX_LINE));
        rest = "";
      }
    },
    end() {
      takeLine(rest);
      if (foreign === 0) return;
      collector.addProblem(found ? `${foreign} lines are not addresses` : "not a sitemap: neither XML nor addresses");
    },
    get done() {
      return !found && foreign > MAX_FOREIGN_LINES;
    },
    get kind() {
      return found ? ("text" as const) : null;
    },
  };
}
