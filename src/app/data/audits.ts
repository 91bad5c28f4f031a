/** What audits found, and another audit of a crawl. */
import type { Clock } from "../../kernel/clock.ts";
import { auditSettings, checkRule } from "../../site/audit/audit-settings.ts";
import { SCORE_FORMULA } from "../../site/audit/issues.ts";
import { SEVERITIES } from "../../site/audit/rule.ts";
import { RULES } from "../../site/audit/rule-table.ts";
import type { Crawls } from "../crawls/crawls.ts";
import type { AuditQuestion, FindingsAnswer, FindingsQuestion, IssueAnswer } from "../operations/issues.ts";
import type { Reading } from "../reading/reading.ts";
import type { ReadingAnswer, ReadingArgs } from "../reading/readings.ts";
import type { CrawlData } from "./crawl-data.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { Readers } from "./readers.ts";

export interface AuditsParts {
  crawls: Crawls;
  crawlData: CrawlData;
  readers: Readers;
  reading: Reading;
  clock: Clock;
}

export class Audits {
  readonly #parts: AuditsParts;

  constructor(parts: AuditsParts) {
    this.#parts = parts;
  }

  async issues(id: number): Promise<IssueAnswer> {
    const list = await this.#read(id, "issues", null);
    const counts = Object.fromEntries(
      SEVERITIES.map((severity) => [severity, list.issues.filter((issue) => issue.severity === severity).length]),
    ) as IssueAnswer["counts"];
    return { ...list, formula: SCORE_FORMULA, counts };
  }

  async findings({ id, rule, limit, cursor }: FindingsQuestion): Promise<FindingsAnswer> {
    const list = ["findings", id, rule];
    const after = cursor === null ? 0 : (readCursor(list, cursor)[0] as number);
    const found = await this.#read(id, "findings", { rule, limit, after });
    const { id: name, group, name: title, severity, priority, why, fix, link, thresholds } = found.rule;
    return {
      ...{ rule: name, group, name: title, severity, priority, why, fix, link, thresholds: { ...thresholds } },
      ...{ total: found.total, rows: found.rows },
      next: found.next === null ? null : writeCursor(list, [found.next]),
    };
  }

  /** Judges a crawl again, by its own settings where others are not given. */
  async repeat({ id, ...given }: AuditQuestion): Promise<IssueAnswer> {
    const { crawls, crawlData, reading, clock } = this.#parts;
    await crawls.whileHeld(id, async (database, config) => {
      const thresholds = given.thresholds ?? config.thresholds;
      const ignoreRules = given.ignoreRules ?? config.ignoreRules;
      for (const rule of ignoreRules) checkRule(rule);
      await reading.audit(database, auditSettings({ thresholds, ignoreRules }), clock.now());
    });
    crawlData.forget(id);
    return this.issues(id);
  }

  #read<Name extends "issues" | "findings">(
    id: number,
    name: Name,
    args: ReadingArgs<Name>,
  ): Promise<ReadingAnswer<Name>> {
    const { crawls, reading, readers } = this.#parts;
    crawls.get(id);
    return reading.read(name, { path: crawls.home.crawlDatabase(id), open: () => readers.get(id) }, args);
  }
}

export const RULE_IDS: readonly string[] = RULES.map(({ id }) => id);
