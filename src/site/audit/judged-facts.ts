/**
 * The values that rules refer to: every fact by its name, and a few more that only rules need. Queries see them as a
 * view; rules about single URLs get them in one pass over the crawl.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Fact } from "../facts/fact.ts";
import { urlOf } from "../facts/fact.ts";
import { fieldNamed } from "../facts/fact-fields.ts";
import { isOfBrowser, isOfField, isOfGraph } from "../facts/fact-rows.ts";
import { FACTS } from "../facts/fact-table.ts";
import { GUESSED, kindNumber } from "../links/link-kinds.ts";
import { SCOPES } from "./rule.ts";
import { firstOfSeries, SERIES_KINDS, showSeriesLinks } from "./series-links.ts";
import { addRuleFunctions } from "./sql-functions.ts";

const FROM = `FROM urls u NOT INDEXED LEFT JOIN pages p ON p.id = u.id LEFT JOIN graph g ON g.id = u.id
  LEFT JOIN rendered r ON r.id = u.id LEFT JOIN field_data f ON f.id = u.id`;

/** Names of facts with their SQL over `FROM`. A fact that is the id of a URL has its id next to it. */
const FACT_SQL = new Map<string, string>([
  ["id", "u.id"],
  // The page's links are those with ids from the first of these up to the second.
  ["links_start", "p.first_link"],
  ["links_end", "p.first_link + p.link_count"],
  ["parent", "u.parent"],
  ["is_guess", `(u.via & ${GUESSED} <> 0)`],
  ["is_host_start", "(u.id IN (SELECT id FROM audit_hosts))"],
  ["after_scheme", "substr(u.url, instr(u.url, '//') + 2)"],
]);
for (const [name, fact] of Object.entries<Fact>(FACTS)) {
  const { column = name, type } = fact;
  const table = isOfGraph(fact) ? "g" : isOfBrowser(fact) ? "r" : isOfField(fact) ? "f" : "p";
  if (type === "url") {
    FACT_SQL.set(`${name}_id`, `${table}.${column}`);
    FACT_SQL.set(name, urlOf(`${table}.${column}`));
  } else {
    FACT_SQL.set(name, table === "p" ? (fieldNamed(name)?.sql ?? `p.${column}`) : `${table}.${column}`);
  }
}

// When listed as facts, they are found by reading all links of the page.
for (const kind of SERIES_KINDS)
  FACT_SQL.set(
    kind,
    `iif(g.link_kinds & ${1 << kindNumber(kind)}, (SELECT url FROM urls WHERE id = ${firstOfSeries(kind, "u.id")}), NULL)`,
  );

/** Computed from facts: `path` and `query` of the URL, and whether it belongs to each scope, such as `as_page`. */
const ADDRESS = "substr(after_scheme, instr(after_scheme, '/'))";
const COMPUTED = new Map<string, string>([
  [
    "path",
    `CASE instr(${ADDRESS}, '?') WHEN 0 THEN ${ADDRESS} ELSE substr(${ADDRESS}, 1, instr(${ADDRESS}, '?') - 1) END`,
  ],
  ["query", `CASE instr(${ADDRESS}, '?') WHEN 0 THEN '' ELSE substr(${ADDRESS}, instr(${ADDRESS}, '?') + 1) END`],
  ...Object.entries(SCOPES).map(([scope, { where }]): [string, string] => [`as_${scope}`, `coalesce(${where}, 0)`]),
]);

// In SQL, the fact would silently win, and "Yes" counts as false in a condition.
for (const name of COMPUTED.keys())
  if (FACT_SQL.has(name)) throw new Error(`Rules compute "${name}", which is also a fact.`);

/** The first fetched URL of each host of the site: it stands for the host in rules about a whole host. */
const HOSTS = `CREATE TEMP TABLE audit_hosts AS SELECT ${fieldNamed("host")!.sql} AS host, min(u.id) AS id
  FROM urls u LEFT JOIN pages p ON p.id = u.id WHERE ${fieldNamed("internal")!.sql} = 'Yes' AND u.verdict = 'crawl'
  AND p.id IS NOT NULL AND ${fieldNamed("role")!.sql} = 'document' GROUP BY 1`;

/** Creates, for this connection, the view `judged` and the functions that rules can call. */
export function showJudgedFacts(db: DatabaseSync): void {
  addRuleFunctions(db);
  showSeriesLinks(db);
  db.exec(HOSTS);
  const computed = [...COMPUTED].map(([name, sql]) => `${sql} AS ${name}`);
  db.exec(
    `CREATE TEMP VIEW judged AS SELECT *, ${computed.join(", ")} FROM (SELECT ${columns(FACT_SQL.keys())} ${FROM})`,
  );
}

/**
 * Everything that these SQL texts refer to, as the rows of a subquery; `where` is about `u`. It is not merged into the query around it, so that
 * each fact is computed once for each URL, however many rules use it.
 */
export function judgedRows(texts: readonly string[], where: string): string {
  // Values for evidence are not facts: the one that names all sitemaps of a URL takes longer than everything else.
  const words = new Set(texts.flatMap((text) => text.replace(/'[^']*'/g, "").match(/[a-z][a-z0-9_]*/g) ?? []));
  const computed = [...COMPUTED].filter(([name]) => words.has(name));
  for (const [, sql] of computed) for (const word of sql.match(/[a-z][a-z0-9_]*/g) ?? []) words.add(word);
  const facts = [...FACT_SQL.keys()].filter((name) => words.has(name) || name === "id");
  const added = computed.map(([name, sql]) => `${sql} AS ${name}`);
  return `(SELECT ${["*", ...added].join(", ")} FROM (SELECT ${columns(facts)} ${FROM} WHERE ${where} LIMIT -1 OFFSET 0) LIMIT -1 OFFSET 0)`;
}

const columns = (names: Iterable<string>): string =>
  [...names].map((name) => `${FACT_SQL.get(name)} AS ${name}`).join(", ");

/** Every name that a rule may use. */
export const JUDGED_NAMES: readonly string[] = [...FACT_SQL.keys(), ...COMPUTED.keys()];
