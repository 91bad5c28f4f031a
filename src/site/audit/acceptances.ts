/** Findings that people have accepted, or have dismissed as wrong: for one finding, a pattern of URLs or a whole rule, with a reason and perhaps an end. */
import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { compileFilter } from "../../web/filter.ts";
import { ruleNamed } from "./rule-table.ts";

/** Accepted: a problem that stays for now. Ignored: not a problem. */
export const ACCEPTANCE_ACTIONS = ["accept", "ignore"] as const;
export type AcceptanceAction = (typeof ACCEPTANCE_ACTIONS)[number];

export interface Acceptance {
  action: AcceptanceAction;
  rule: string;
  /** One finding: its URL, and its evidence if a URL can have several findings over time. */
  url: string | null;
  evidence: string | null;
  /**
   * All findings at matching URLs, written as in `exclude`. If both `url` and `pattern` are missing: every finding of
   * the rule.
   */
  pattern: string | null;
  reason: string;
  /** The last day on which it applies, such as 2027-01-31; null means until it is removed. */
  until: string | null;
  /** The day it was made. */
  since: string | null;
}

export const acceptanceKey = ({
  rule,
  url,
  evidence,
  pattern,
}: Pick<Acceptance, "rule" | "url" | "evidence" | "pattern">): string =>
  hash("sha1", JSON.stringify([rule, url, evidence, pattern])).slice(0, 16);

const DAY_MS = 86_400_000;

/** `until` is the last day, wherever on Earth. */
export const isActive = ({ until }: Pick<Acceptance, "until">, now: number): boolean =>
  until === null || now < Date.parse(`${until}T00:00:00Z`) + 1.5 * DAY_MS;

/**
 * Writes the findings that are accepted to the temporary table `accepted`: `entry` is the place in the list. Where
 * several match, the most precise one counts: an entry for one finding before a pattern, and a pattern before a rule.
 */
export function markAccepted(db: DatabaseSync, acceptances: readonly Acceptance[]): void {
  db.exec(`CREATE TEMP TABLE IF NOT EXISTS accepted (rule INTEGER, id INTEGER, entry INTEGER, ignored INTEGER,
    PRIMARY KEY (rule, id)) WITHOUT ROWID; DELETE FROM temp.accepted`);
  const numbers = new Map(
    db
      .prepare("SELECT rule, number FROM audit_rules")
      .all()
      .map((row) => [String(row["rule"]), Number(row["number"])]),
  );
  const precise = acceptances
    .map((acceptance, entry) => ({ acceptance, entry }))
    .sort((a, b) => breadth(a) - breadth(b));
  for (const { acceptance, entry } of precise) {
    const rule = numbers.get(acceptance.rule);
    if (rule !== undefined) mark(db, acceptance, { rule, entry });
  }
}

const breadth = ({ acceptance: { url, pattern } }: { acceptance: Acceptance }): number =>
  url !== null ? 0 : pattern !== null ? 1 : 2;

function mark(db: DatabaseSync, acceptance: Acceptance, { rule, entry }: { rule: number; entry: number }): void {
  const { url, evidence, pattern, action } = acceptance;
  const ignored = Number(action === "ignore");
  const insert = "INSERT OR IGNORE INTO temp.accepted SELECT f.rule, f.id, ?, ? FROM findings f";
  if (url !== null) {
    const isByEvidence = ruleNamed(acceptance.rule)?.key === "evidence" && evidence !== null;
    const same = isByEvidence ? "AND f.evidence = ?" : "";
    db.prepare(`${insert} WHERE f.rule = ? AND f.id = (SELECT id FROM urls WHERE url = ?) ${same}`).run(
      ...[entry, ignored, rule, url],
      ...(isByEvidence ? [evidence] : []),
    );
  } else if (pattern === null) {
    db.prepare(`${insert} WHERE f.rule = ?`).run(entry, ignored, rule);
  } else {
    const { matches } = compileFilter(pattern);
    const add = db.prepare("INSERT OR IGNORE INTO temp.accepted VALUES (?, ?, ?, ?)");
    const rows = db.prepare(
      "SELECT f.id AS id, u.url AS url FROM findings f JOIN urls u ON u.id = f.id WHERE f.rule = ?",
    );
    for (const row of rows.all(rule)) if (matches(String(row["url"]))) add.run(rule, Number(row["id"]), entry, ignored);
  }
}
