/** Sitemaps of a crawl's indexable pages: one file, or several with an index where one would be too large. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { dirname, join, parse } from "node:path";
import { TrawlError } from "../../errors.ts";
import type { SiteReader } from "../../site/store/reader.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import { escaped } from "./escape.ts";

/** What sitemaps.org allows: 50,000 URLs and 50 MB. */
export const SITEMAP_LIMITS = { urls: 50_000, bytes: 50_000_000 };

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A page of the site's main host that answers 200 and may be listed. */
const FILTERS = ["outcome=page", "internal=Yes", "indexable=Yes", "status=200"];

export interface WrittenSitemaps {
  files: string[];
  urls: number;
}

/**
 * Writes `path`. If the URLs do not fit in one file, `path` becomes the index of `path-1.xml`, `path-2.xml`, …, which
 * the index expects next to it at the root of `origin`.
 */
export async function writeSitemaps(
  reader: SiteReader,
  path: string,
  origin: string,
  limits = SITEMAP_LIMITS,
): Promise<WrittenSitemaps> {
  ensureFolder(dirname(path));
  const { dir, name, ext } = parse(path);
  const parts = [...sitemapTexts(reader, limits)];
  const files: string[] = [];
  const many = parts.length > 1;
  for (const [index, { text }] of parts.entries()) {
    const file = many ? join(dir, `${name}-${index + 1}${ext}`) : path;
    await write(file, `${HEAD}<urlset ${NAMESPACE}>\n${text}</urlset>\n`);
    files.push(file);
  }
  if (many) {
    const entries = files.map(
      (file) => `<sitemap><loc>${escaped(new URL(`/${parse(file).base}`, origin).href)}</loc></sitemap>\n`,
    );
    await write(path, `${HEAD}<sitemapindex ${NAMESPACE}>\n${entries.join("")}</sitemapindex>\n`);
    files.unshift(path);
  }
  return { files, urls: parts.reduce((sum, { urls }) => sum + urls, 0) };
}

function* sitemapTexts(reader: SiteReader, limits: typeof SITEMAP_LIMITS): Generator<{ text: string; urls: number }> {
  let lines: string[] = [];
  let bytes = 0;
  let isFirst = true;
  for (const row of reader.each({ fields: ["url", "lastModified"], filters: FILTERS, search: null })) {
    const line = entry(String(row["url"]), row["lastModified"]);
    const size = Buffer.byteLength(line);
    if (lines.length === limits.urls || bytes + size > limits.bytes - 1_000) {
      yield { text: lines.join(""), urls: lines.length };
      isFirst = false;
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0 || isFirst) yield { text: lines.join(""), urls: lines.length };
}

/** Only a date that the server states is written, because the time of the crawl does not tell when the page changed. */
function entry(url: string, modified: unknown): string {
  const time = typeof modified === "string" ? Date.parse(modified) : Number.NaN;
  const lastmod = Number.isNaN(time) ? "" : `<lastmod>${new Date(time).toISOString().slice(0, 10)}</lastmod>`;
  return `<url><loc>${escaped(url)}</loc>${lastmod}</url>\n`;
}

async function write(file: string, text: string): Promise<void> {
  try {
    const stream = createWriteStream(file);
    stream.end(text);
    await once(stream, "finish");
  } catch (error) {
    throw new TrawlError("FILE_NOT_WRITABLE", `${file} cannot be written: ${(error as Error).message}`);
  }
}
