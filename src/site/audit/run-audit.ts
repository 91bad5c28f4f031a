/**
 * The audit of a crawl: applies all rules to its URLs and stores the findings in the crawl's database. It can be
 * repeated at any time without a request, and replaces the findings of the last audit.
 */
import { DatabaseSync } from "node:sqlite";
import { LEDGER_MIGRATIONS, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { openStore } from "../../kernel/sqlite/store-error.ts";
import { writeGraphFacts } from "../graph/graph-facts.ts";
import { addFactColumns, SITE_INDEXES, SITE_MIGRATIONS, SITE_PART } from "../store/site-schema.ts";
import { showAlternates } from "./alternates.ts";
import type { AuditSettings } from "./audit-settings.ts";
import { FindingStore, MOST_EVIDENCE } from "./finding-store.ts";
import { judgedRows, showJudgedFacts } from "./judged-facts.ts";
import { linkJudges } from "./link-judge.ts";
import { isLinkRule, isQuery, type PredicateRule, type Rule, SCOPES, type Scope } from "./rule.ts";
import { RULES, thresholdValues } from "./rule-table.ts";
import { PAGE_COSTS, scoreOf } from "./score.ts";
import { SeriesLinks } from "./series-links.ts";
import { attachPrevious, compareFindings, forgetComparison, type PreviousCrawl } from "./since-last.ts";

/** How much of the database is kept in memory meanwhile, in KB. */
const CACHE_KB = 20_000;

export interface AuditRun {
  settings: AuditSettings;
  now: number;
  /** The crawl that the findings are compared with. */
  previous: PreviousCrawl | null;
}

/** Nothing else may write to the database meanwhile. */
export function runAudit(path: string, { settings, now, previous }: AuditRun): void {
  const db = openStore(path, prepare, (location) => new DatabaseSync(location));
  try {
    const isCompared = attachPrevious(db, previous);
    db.exec("BEGIN IMMEDIATE");
    forgetComparison(db);
    judge(db, { settings, now, isCompared });
    if (isCompared) compareFindings(db, previous!.id);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  } finally {
    db.close();
  }
}

function prepare(db: DatabaseSync): void {
  openForWriting(db);
  db.exec(`PRAGMA cache_size = -${CACHE_KB}`);
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, SITE_PART, SITE_MIGRATIONS);
  addFactColumns(db);
  // A crawl that was stopped may not have them yet.
  db.exec(SITE_INDEXES);
}

function judge(
  db: DatabaseSync,
  { settings, now, isCompared }: Pick<AuditRun, "settings" | "now"> & { isCompared: boolean },
): void {
  showJudgedFacts(db);
  showAlternates(db);
  db.exec("DELETE FROM audit_rules; DELETE FROM audits");
  const findings = new FindingStore(db);
  const numbered = rulesFor(settings)
    .filter(({ phase }) => phase !== "diff" || isCompared)
    .map((rule, number) => ({ rule, number }));
  judgeLinks(db, numbered, { settings, findings });
  const applies = judgeUrls(db, numbered, { settings, findings });
  for (const { rule, number } of numbered) if (isQuery(rule)) judgeByQuery(db, rule.query, number, settings);
  findings.end();
  const count = db.prepare("SELECT count(*) AS n FROM findings WHERE rule = ?");
  const store = db.prepare("INSERT INTO audit_rules VALUES (?, ?, ?, ?, ?, ?)");
  for (const { rule, number } of numbered) {
    const found = Number(count.get(number)!["n"]);
    store.run(number, rule.id, rule.severity, rule.priority, applies[rule.on], found);
  }
  db.exec(PAGE_COSTS);
  const score = scoreOf(db, applies.indexable);
  db.prepare("INSERT INTO audits VALUES (?, ?, ?, ?)").run(now, JSON.stringify(settings), score, applies.indexable);
}

interface Judging {
  settings: AuditSettings;
  findings: FindingStore;
}

/** The facts of the graph, and the rules about links: all links are read once for both. */
function judgeLinks(db: DatabaseSync, numbered: readonly NumberedRule[], { settings, findings }: Judging): void {
  const rules = numbered.flatMap(({ rule, number }) => (isLinkRule(rule) ? [{ rule, number }] : []));
  const fill = (sql: string): string => withThresholds(sql, settings);
  writeGraphFacts(db, (size) => [...linkJudges(db, { rules, size, fill, findings }), new SeriesLinks(db, size)]);
}

/** The rules that are not turned off. */
export const rulesFor = ({ ignoredRules }: Pick<AuditSettings, "ignoredRules">): Rule[] =>
  RULES.filter(({ id }) => !ignoredRules.includes(id) && !ignoredRules.includes(id.split(".", 1)[0]!));

interface NumberedRule {
  rule: Rule;
  number: number;
}

const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];
/** Characters that separate findings in a text; in evidence they are replaced. */
const FINDING = "\u001e";
const EVIDENCE = "\u001f";

/** In some crawls, most URLs were only found. Few rules apply to those, so the other rules skip them. */
const PASSES: readonly { where: string; scopes: readonly Scope[] }[] = [
  { where: "u.verdict = 'crawl'", scopes: SCOPE_NAMES },
  { where: "u.verdict <> 'crawl'", scopes: ["known"] },
];

/** All rules about one URL in one pass. Returns how many URLs each scope has. */
function judgeUrls(
  db: DatabaseSync,
  numbered: readonly NumberedRule[],
  { settings, findings }: Judging,
): Record<Scope, number> {
  const applies = Object.fromEntries(SCOPE_NAMES.map((scope) => [scope, 0])) as Record<Scope, number>;
  for (const { where, scopes } of PASSES) {
    const rules = numbered.filter(({ rule }) => scopes.includes(rule.on));
    const found = rules.flatMap(({ rule, number }) =>
      isQuery(rule) || isLinkRule(rule) ? [] : foundText(rule, number),
    );
    for (const [id, mask, text] of judged(db, { found, scopes, where }, settings)) {
      scopes.forEach((scope, bit) => {
        if (mask & (1 << bit)) applies[scope]++;
      });
      if (text === "") continue;
      for (const finding of text.slice(1).split(FINDING)) {
        const [rule, evidence] = finding.split(EVIDENCE, 2) as [string, string];
        findings.add(Number(rule), id, evidence === "" ? null : evidence);
      }
    }
  }
  return applies;
}

interface Pass {
  found: readonly string[];
  scopes: readonly Scope[];
  where: string;
}

/**
 * SQLite writes what it found about a URL into one text: a row of 200 values for each of a million URLs would take ten times
 * as long. The mask has a bit for each scope.
 */
function judged(db: DatabaseSync, { found, scopes, where }: Pass, settings: AuditSettings) {
  const mask = scopes.map((scope, bit) => `as_${scope} * ${1 << bit}`).join(" + ");
  const rows = judgedRows([...found, mask], where);
  const statement = db.prepare(withThresholds(`SELECT id, ${mask}, ${joined(found)} FROM ${rows}`, settings));
  statement.setReturnArrays(true);
  return statement.iterate() as unknown as Iterable<[id: number, mask: number, found: string]>;
}

/**
 * The largest number of arguments that any build of SQLite accepts. Null and an empty text are the same to it, and null
 * is faster.
 */
const MOST_ARGUMENTS = 100;

function joined(texts: readonly string[]): string {
  const parts = Array.from(
    { length: Math.ceil(texts.length / MOST_ARGUMENTS) },
    (_, part) => `concat(${texts.slice(part * MOST_ARGUMENTS, (part + 1) * MOST_ARGUMENTS).join(", ")})`,
  );
  return `concat(${["NULL", ...parts].join(", ")})`;
}

function foundText({ on, when, evidence }: Rule & PredicateRule, number: number): string {
  const text = evidence === undefined ? "''" : shownEvidence(evidence);
  return `iif(as_${on} AND (${when}), '${FINDING}${number}${EVIDENCE}' || ${text}, NULL)`;
}

const shownEvidence = (sql: string): string =>
  `coalesce(substr(replace(replace(${sql}, '${FINDING}', ' '), '${EVIDENCE}', ' '), 1, ${MOST_EVIDENCE}), '')`;

function judgeByQuery(db: DatabaseSync, query: string, number: number, settings: AuditSettings): void {
  const rows = withThresholds(query, settings);
  db.prepare(
    `INSERT OR IGNORE INTO findings (rule, id, evidence)
     SELECT ${number}, id, substr(evidence, 1, ${MOST_EVIDENCE}) FROM (${rows}) WHERE id IS NOT NULL`,
  ).run();
}

/** `$name` stands for the number of a threshold. */
function withThresholds(sql: string, { thresholds }: AuditSettings): string {
  const values = thresholdValues(thresholds);
  return sql.replace(/\$([a-zA-Z][a-zA-Z0-9]*)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no rule has a threshold ${name}`);
    return String(value);
  });
}
