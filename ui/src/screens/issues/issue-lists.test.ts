import assert from "node:assert/strict";
import { test } from "node:test";
import { FINDING_STATES as SERVER_STATES } from "../../../../src/site/audit/findings.ts";
import { PRIORITIES, SEVERITIES } from "../../../../src/site/audit/rule.ts";
import {
  chosenIssues,
  countIssues,
  FINDING_STATES,
  groupsOf,
  neighbour,
  PRIORITY_ORDER,
  readIssueChoice,
  SEVERITY_ORDER,
} from "./issue-lists.ts";

const issue = (rule: string, severity: "error" | "warning", priority: "high" | "low", group = "Titles") => ({
  ...{ rule, severity, priority, group },
  name: `About ${rule}`,
});
const ISSUES = [
  issue("title.missing", "error", "high"),
  issue("link.broken", "error", "low", "Links"),
  issue("title.short", "warning", "low"),
];
const rules = (choice: Parameters<typeof chosenIssues>[1]) => chosenIssues(ISSUES, choice).map(({ rule }) => rule);

test("severities and priorities are the server's, the worst first", () => {
  assert.deepEqual([...SEVERITY_ORDER], [...SEVERITIES]);
  assert.deepEqual([...PRIORITY_ORDER], [...PRIORITIES]);
  assert.deepEqual(FINDING_STATES.toSorted(), SERVER_STATES.toSorted());
});

test("issues are chosen by everything that the address says", () => {
  assert.deepEqual(rules({}), ["title.missing", "link.broken", "title.short"]);
  assert.deepEqual(rules({ severity: "error", priority: "low" }), ["link.broken"]);
  assert.deepEqual(rules({ group: "Titles", search: "SHORT" }), ["title.short"]);
  assert.equal(countIssues(ISSUES, { severity: "error" }), 2);
  assert.deepEqual(groupsOf(ISSUES), ["Titles", "Links"]);
});

test("an address with nonsense in it shows everything", () => {
  assert.deepEqual(rules(readIssueChoice({ severity: "awful", priority: 3, group: "", search: {} })), rules({}));
  assert.deepEqual(readIssueChoice({ severity: "error", search: "alt" }).severity, "error");
});

test("the next and the previous issue", () => {
  assert.equal(neighbour(ISSUES, "title.missing", 1)?.rule, "link.broken");
  assert.equal(neighbour(ISSUES, "title.missing", -1), null);
  assert.equal(neighbour(ISSUES, "title.short", 1), null);
  assert.equal(neighbour(ISSUES, "gone", 1), null);
});
