/** What audits found, which findings were accepted, and repeating the audit of a crawl. */

import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Acceptance, acceptanceKey, isActive } from "../../site/audit/acceptances.ts";
import { auditSettings, checkRule } from "../../site/audit/audit-settings.ts";
import { SEVERITIES } from "../../site/audit/rule.ts";
import { RULES, ruleNamed } from "../../site/audit/rule-table.ts";
import { SCORE_FORMULA } from "../../site/audit/score.ts";
import { acceptedFile, comparedWith } from "../crawls/audit-files.ts";
import type { Crawls } from "../crawls/crawls.ts";
import { WITH_RESULTS } from "../crawls/registry.ts";
import type {
  AcceptancesAnswer,
  AcceptQuestion,
  AuditQuestion,
  FindingsAnswer,
  FindingsQuestion,
  IssueAnswer,
  TrendPoint,
} from "../operations/issues.ts";
import { allOf } from "../operations/operation.ts";
import { isoTime, isoTimeOrNull } from "../operations/time.ts";
import type { Reading } from "../reading/reading.ts";
import type { ReadingAnswer, ReadingArgs } from "../reading/readings.ts";
import type { ChangedFile } from "./accepted-findings.ts";
import type { CrawlData } from "./crawl-data.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { FieldServices } from "./field-data.ts";
import type { Readers } from "./readers.ts";

export interface AuditsParts {
  crawls: Crawls;
  crawlData: CrawlData;
  readers: Readers;
  reading: Reading;
  clock: Clock;
  /** Null: Google's. */
  services: FieldServices | null;
}

export class Audits {
  readonly #parts: AuditsParts;

  constructor(parts: AuditsParts) {
    this.#parts = parts;
  }

  async issues(id: number): Promise<IssueAnswer> {
    const { issues, auditedAt, ...list } = await this.#read(id, "issues", { acceptances: await this.#active(id) });
    const counts = Object.fromEntries(
      SEVERITIES.map((severity) => [
        severity,
        issues.filter((issue) => issue.severity === severity && issue.open > 0).length,
      ]),
    ) as IssueAnswer["counts"];
    return { auditedAt: isoTimeOrNull(auditedAt), ...list, ...allOf(issues), issues, formula: SCORE_FORMULA, counts };
  }

  async findings({ id, rule, state, limit, cursor }: FindingsQuestion): Promise<FindingsAnswer> {
    const list = ["findings", id, rule, state];
    const after = cursor === null ? 0 : (readCursor(list, cursor)[0] as number);
    const acceptances = await this.#active(id);
    const found = await this.#read(id, "findings", { rule, state, limit, after, acceptances });
    const { id: name, group, name: title, severity, priority, why, fix, link, thresholds } = found.rule;
    return {
      ...{ rule: name, group, name: title, severity, priority, why, fix, link, thresholds: { ...thresholds } },
      total: found.total,
      rows: found.rows.map(({ acceptance, ...row }) => ({
        ...row,
        acceptance: acceptance === null ? null : this.#shown(acceptances[acceptance]!),
      })),
      next: found.next === null ? null : writeCursor(list, [found.next]),
    };
  }

  /** Audits a crawl again, by its own settings unless others are given. */
  async repeat({ id, ...given }: AuditQuestion): Promise<IssueAnswer> {
    const { crawls, crawlData, reading, clock, services } = this.#parts;
    await crawls.whileHeld(id, async (database, config) => {
      const thresholds = given.thresholds ?? config.thresholds;
      const ignoreRules = given.ignoreRules ?? config.ignoreRules;
      for (const rule of ignoreRules) checkRule(rule);
      const settings = auditSettings({ thresholds, ignoreRules });
      if (given.crux !== null || given.searchConsole !== null) {
        const { askForFieldData } = await import("./field-data.ts");
        await askForFieldData(database, given, { services, clock });
      }
      await reading.audit(database, { settings, now: clock.now(), previous: comparedWith(crawls, id) });
    });
    crawlData.forget(id);
    return this.issues(id);
  }

  async acceptances(id: number): Promise<AcceptancesAnswer> {
    const { readAcceptances } = await acceptedFindings();
    const file = acceptedFile(this.#parts.crawls, id);
    return { file, ...allOf(readAcceptances(file).map((each) => this.#shown(each))) };
  }

  async accept({ id, ...acceptance }: AcceptQuestion): Promise<AcceptancesAnswer> {
    const { crawls, clock } = this.#parts;
    const since = new Date(clock.now()).toISOString().slice(0, 10);
    const url = acceptance.url === null ? null : crawls.canonical(id, acceptance.url);
    // Where the evidence may differ between crawls, the finding is the same whatever its evidence.
    const evidence = ruleNamed(acceptance.rule)?.key === "evidence" ? acceptance.evidence : null;
    const { addAcceptance } = await acceptedFindings();
    await addAcceptance(this.#changed(id), { ...acceptance, url, evidence, since });
    return this.acceptances(id);
  }

  async unaccept({ id, key }: { id: number; key: string }): Promise<AcceptancesAnswer> {
    const { removeAcceptance } = await acceptedFindings();
    if (!(await removeAcceptance(this.#changed(id), key))) {
      throw new TrawlError("BAD_USAGE", `Nothing with the key ${key} is accepted or ignored.`);
    }
    return this.acceptances(id);
  }

  #changed(id: number): ChangedFile {
    const { crawls } = this.#parts;
    return { path: acceptedFile(crawls, id), lock: crawls.home.acceptedFindingsLock };
  }

  async trend(id: number, limit: number): Promise<TrendPoint[]> {
    const { crawls } = this.#parts;
    const { projectId, mode } = crawls.get(id);
    const records = crawls
      .listOf(projectId)
      .filter((record) => record.mode === mode && record.id <= id && WITH_RESULTS.includes(record.state));
    const points: TrendPoint[] = [];
    for (const { id: crawlId, startedAt } of records) {
      if (points.length === limit) break;
      const totals = await this.#read(crawlId, "auditTotals", null).catch(() => null);
      if (totals !== null)
        points.push({ crawlId, startedAt: isoTime(startedAt), crawlDateTime: Math.floor(startedAt / 1000), ...totals });
    }
    return points.reverse();
  }

  async #active(id: number): Promise<Acceptance[]> {
    const { crawls, clock } = this.#parts;
    crawls.get(id);
    const { readAcceptances } = await acceptedFindings();
    return readAcceptances(acceptedFile(crawls, id)).filter((each) => isActive(each, clock.now()));
  }

  #shown(acceptance: Acceptance): AcceptancesAnswer["rows"][number] {
    return {
      key: acceptanceKey(acceptance),
      ...acceptance,
      isActive: isActive(acceptance, this.#parts.clock.now()),
    };
  }

  #read<Name extends "issues" | "findings" | "auditTotals">(
    id: number,
    name: Name,
    args: ReadingArgs<Name>,
  ): Promise<ReadingAnswer<Name>> {
    const { crawls, reading, readers } = this.#parts;
    crawls.get(id);
    return reading.read(name, { path: crawls.home.crawlDatabase(id), open: () => readers.get(id) }, args);
  }
}

/** Loaded on demand: the YAML parser is large, and most commands read no findings. */
const acceptedFindings = () => import("./accepted-findings.ts");

export const RULE_IDS: readonly string[] = RULES.map(({ id }) => id);
