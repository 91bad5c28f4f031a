/** How many links lead to a URL, where that can be told quickly. */
import type { SiteReader } from "./reader.ts";

/** Links that may be read one by one for want of the index: about a tenth of a second. */
const FEW_LINKS = 1_000_000;

/** Links of the whole crawl. Ids have no gaps. */
export const allLinks = (reader: SiteReader): number =>
  Number(reader.db.prepare("SELECT coalesce(max(id), 0) AS n FROM links").get()!["n"]);

/** While a large crawl runs, the index by target is not built yet, and counting would hold everything up. */
export const canCountLinksIn = (reader: SiteReader): boolean =>
  reader.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'links_target'").get() !== undefined ||
  allLinks(reader) <= FEW_LINKS;

/** How many links lead to each of these URLs; null when that cannot be told quickly. */
export function countLinksIn(reader: SiteReader, ids: readonly number[]): Map<number, number> | null {
  if (!canCountLinksIn(reader)) return null;
  const counts = new Map(ids.map((id) => [id, 0]));
  const rows = reader.db
    .prepare("SELECT target, count(*) AS n FROM links WHERE target IN (SELECT value FROM json_each(?)) GROUP BY target")
    .all(JSON.stringify(ids));
  for (const row of rows) counts.set(Number(row["target"]), Number(row["n"]));
  return counts;
}
