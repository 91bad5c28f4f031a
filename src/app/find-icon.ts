/** Where a site's icon is, as far as a crawl knows. */
import { kindNumber } from "../site/link-kinds.ts";
import { LINK_INTERNAL } from "../site/site-record.ts";
import type { SiteReader } from "../site/store/reader.ts";
import { originOf } from "../web/url.ts";

/**
 * The URL to fetch: what the first page names, or /favicon.ico of its host. Null when there is none to fetch: no page is
 * known yet, the crawl may still fetch the icon by itself, or the crawl decided against it.
 */
export function findIcon({ db }: SiteReader, hasEnded: boolean): string | null {
  const page = db
    .prepare(
      `SELECT u.url AS url, p.first_link AS first, p.link_count AS count FROM pages p JOIN urls u USING (id)
       WHERE p.title_count IS NOT NULL AND p.status = 200 ORDER BY p.id LIMIT 1`,
    )
    .get() as { url: string; first: number | null; count: number | null } | undefined;
  if (page === undefined) return null;
  const first = page.first ?? 0;
  const icon = db
    .prepare(
      `SELECT u.url AS url, u.verdict AS verdict, u.state AS state, l.flags AS flags FROM links l
       JOIN urls u ON u.id = l.target WHERE l.id >= ? AND l.id < ? AND l.type = ? ORDER BY l.id LIMIT 1`,
    )
    .get(first, first + (page.count ?? 0), kindNumber("icon")) as
    | { url: string; verdict: string; state: string | null; flags: number }
    | undefined;
  if (icon === undefined) return `${originOf(page.url)}/favicon.ico`;
  if (icon.verdict === "skip") return null;
  const isOwn = icon.verdict === "crawl" && (icon.flags & LINK_INTERNAL) !== 0;
  // One of the site's own is caught when it comes by. If it came by and was not caught, it is no icon.
  return isOwn && (icon.state !== "open" || !hasEnded) ? null : icon.url;
}
