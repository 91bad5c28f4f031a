/** Every link of a crawl, one at a time: for exports of any size. Filters ask about the link's target. */
import { TrawlError } from "../../errors.ts";
import { wordOf } from "../facts/fact.ts";
import { KINDS } from "../link-kinds.ts";
import { LINK_FLAGS } from "../page/link-flags.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { conditionsOf, type Row, type SiteReader, type UrlQuery, values, where } from "./reader.ts";

/** `u` and `p` are the target, as everywhere; `s` is the page that the link stands on. */
const LINK_FIELDS: Readonly<Record<string, string>> = {
  source: "s.url",
  target: "u.url",
  type: wordOf("l.type", KINDS),
  text: "(SELECT value FROM texts WHERE id = l.text)",
  context: "(SELECT value FROM texts WHERE id = l.context)",
  position: wordOf("l.position", LINK_POSITIONS),
  path: "(SELECT value FROM texts WHERE id = l.path)",
  ...Object.fromEntries(Object.entries(LINK_FLAGS).map(([name, bit]) => [name, `(l.flags & ${bit}) <> 0`])),
  status: "p.status",
  error: "p.error",
  verdict: "u.verdict",
  reason: "u.reason",
};

export const LINK_FIELD_NAMES: readonly string[] = Object.keys(LINK_FIELDS);

export function* eachLink(reader: SiteReader, query: Pick<UrlQuery, "fields" | "filters" | "search">): Generator<Row> {
  const columns = query.fields.map((name) => {
    const sql = Object.hasOwn(LINK_FIELDS, name) ? LINK_FIELDS[name] : undefined;
    if (sql === undefined) {
      throw new TrawlError(
        "BAD_USAGE",
        `There is no field "${name}" of links. Fields: ${LINK_FIELD_NAMES.join(", ")}.`,
      );
    }
    return `${sql} AS "${name}"`;
  });
  const conditions = conditionsOf(query);
  const statement = reader.db.prepare(
    `SELECT ${columns.join(", ")} FROM links l JOIN urls s ON s.id = l.source JOIN urls u ON u.id = l.target
     LEFT JOIN pages p ON p.id = u.id ${where(conditions)} ORDER BY l.id`,
  );
  for (const row of statement.iterate(...values(conditions))) yield row as Row;
}
