/** The same URL in one crawl after the other. */
import { TrawlError } from "../errors.ts";
import { findUrl } from "../site/store/link-queries.ts";
import type { SiteReader } from "../site/store/reader.ts";

/** What one crawl knows of the URL. */
export interface UrlFacts {
  wasMet: boolean;
  verdict: string | null;
  reason: string | null;
  status: number | null;
  title: string | null;
  wordCount: number | null;
  timeTotal: number | null;
  contentHash: string | null;
}

/** Of a crawl that never met it. */
export const NOT_MET: UrlFacts = {
  wasMet: false,
  verdict: null,
  reason: null,
  status: null,
  title: null,
  wordCount: null,
  timeTotal: null,
  contentHash: null,
};

export function urlFacts(reader: SiteReader, url: string): UrlFacts {
  try {
    const { id, verdict, reason } = findUrl(reader, url);
    const page = reader.db
      .prepare(
        `SELECT status, title, word_count AS wordCount, round(time_total, 1) AS timeTotal, content_hash AS contentHash
         FROM pages WHERE id = ?`,
      )
      .get(id);
    return { ...NOT_MET, wasMet: true, verdict, reason, ...(page as Partial<UrlFacts> | undefined) };
  } catch (error) {
    if (error instanceof TrawlError && error.code === "URL_NOT_IN_CRAWL") return NOT_MET;
    throw error;
  }
}

/** Content or status differ. A page that did not change since may have been answered with 304. */
export const differ = (now: UrlFacts, before: UrlFacts): boolean =>
  now.wasMet !== before.wasMet ||
  (now.status !== before.status && now.status !== 304 && before.status !== 304) ||
  now.contentHash !== before.contentHash;
