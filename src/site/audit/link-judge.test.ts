/** Rules about links are judged all at once, however many there are. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { writeGraphFacts } from "../graph/graph-facts.ts";
import { kindNumber } from "../links/link-kinds.ts";
import { LINK_INTERNAL } from "../page/link-types.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { FindingStore } from "./finding-store.ts";
import { showJudgedFacts } from "./judged-facts.ts";
import { linkJudges } from "./link-judge.ts";
import { isLinkRule } from "./rule.ts";
import { ruleNamed } from "./rule-table.ts";

it("a hundred rules about links each find what they are about", (t) => {
  const page = { status: 200, title_count: 1, indexable: "Yes", link_count: 1 } as const;
  const broken = [2, kindNumber("anchor"), 4, LINK_INTERNAL, 0, 0, 0];
  const db = new DatabaseSync(
    siteDatabase(t, [
      { url: "https://a.test/", via: "initial", page, links: broken },
      { url: "https://a.test/gone", parent: 1, page: { status: 404 } },
    ]),
  );
  t.after(() => db.close());
  showJudgedFacts(db);
  const rule = ruleNamed("link.broken_internal")!;
  assert.ok(isLinkRule(rule));
  const rules = Array.from({ length: 100 }, (_, number) => ({ rule, number }));
  const findings = new FindingStore(db);
  writeGraphFacts(db, (size) => linkJudges(db, { rules, size, fill: (sql) => sql, findings }));
  findings.end();
  const found = db.prepare("SELECT rule, id, evidence FROM findings ORDER BY rule").all();
  assert.deepEqual(
    found.map(({ rule: number, id, evidence }) => [number, id, evidence]),
    rules.map(({ number }) => [number, 1, "404 https://a.test/gone"]),
  );
});
