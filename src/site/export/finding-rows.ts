/** What the audit of a crawl found, one row per issue and URL: for exports of any size. */
import { ruleNamed } from "../audit/rule-table.ts";
import { conditionsOf, type Row, type SiteReader, type UrlQuery, values, where } from "../store/reader.ts";

/** Over findings `f`, their rule `r`, URL `u` and its page `p`. The name of a rule is not stored. */
const FINDING_FIELDS: Readonly<Record<string, string>> = {
  url: "u.url",
  issue: "r.rule",
  severity: "r.severity",
  priority: "r.priority",
  rule: "r.rule",
  evidence: "f.evidence",
  status: "p.status",
  title: "p.title",
  inlinks: "(SELECT inlinks FROM graph WHERE id = u.id)",
};

export const FINDING_FIELD_NAMES: readonly string[] = Object.keys(FINDING_FIELDS);

export interface FindingQuery extends Pick<UrlQuery, "fields" | "filters" | "search"> {
  /** Only what this rule found. */
  rule?: string | null;
}

/** By rule, then in the order in which the URLs were found. Filters apply to the URL. */
export function* eachFinding(reader: SiteReader, query: FindingQuery): Generator<Row> {
  const { fields, rule = null } = query;
  const conditions = conditionsOf(query);
  if (rule !== null) conditions.push({ sql: "r.rule = ?", values: [rule] });
  const columns = fields.map((name) => `${FINDING_FIELDS[name]} AS "${name}"`);
  const statement = reader.db.prepare(
    `SELECT ${columns.join(", ")} FROM audit_rules r JOIN findings f ON f.rule = r.number JOIN urls u ON u.id = f.id
     LEFT JOIN pages p ON p.id = u.id ${where(conditions)} ORDER BY r.number, f.id`,
  );
  for (const found of statement.iterate(...values(conditions))) {
    const row = found as Row;
    if (row["issue"] !== undefined) row["issue"] = ruleNamed(String(row["issue"]))?.name ?? row["issue"];
    yield row;
  }
}
