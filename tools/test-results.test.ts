import assert from "node:assert/strict";
import { test } from "node:test";
import { closingLine, countsOf, fileReport, isGood } from "./test-report.ts";
import { type FileResult, FileResultBuilder, type TestEvent } from "./test-results.ts";

function build(...events: TestEvent[]): FileResult {
  const builder = new FileResultBuilder("src/a.test.ts");
  for (const event of events) builder.add(event);
  return builder.finish(1_500);
}

const start = (name: string, nesting: number): TestEvent => ({ type: "test:start", data: { name, nesting } });
const pass = (name: string, nesting = 0, more = {}): TestEvent => ({
  type: "test:pass",
  data: { name, nesting, details: { type: "test" }, ...more },
});
const fail = (name: string, nesting: number, error: unknown, type = "test"): TestEvent => ({
  type: "test:fail",
  data: { name, nesting, details: { type, error } },
});

test("tests are counted, groups are not", () => {
  const result = build(
    start("group", 0),
    start("one", 1),
    pass("one", 1),
    { type: "test:pass", data: { name: "group", nesting: 0, details: { type: "suite" } } },
    start("two", 0),
    pass("two"),
  );
  assert.equal(closingLine(countsOf([result])), "2 passed, 0 failed, 0 skipped");
});

test("a failed test is named with its group, and the group is not counted as a second failure", () => {
  const result = build(
    start("group", 0),
    start("one", 1),
    fail("one", 1, new Error("boom")),
    fail("group", 0, Object.assign(new Error("1 subtest failed"), { failureType: "subtestsFailed" }), "suite"),
  );
  assert.deepEqual(
    result.failures.map(({ name }) => name),
    ["group › one"],
  );
});

test("a group that fails in a hook counts", () => {
  const error = Object.assign(new Error("hook"), { failureType: "hookFailed" });
  assert.equal(build(start("group", 0), fail("group", 0, error, "suite")).failures.length, 1);
});

test("skipped tests are reported with their reasons, each once", () => {
  const result = build(pass("one", 0, { skip: "no browser" }), pass("two", 0, { skip: "no browser" }), pass("three"));
  assert.equal(closingLine(countsOf([result])), "1 passed, 0 failed, 2 skipped");
  assert.match(fileReport(result), /2 skipped \(no browser\)/);
});

test("when a file fails, its output and the complete error are shown", () => {
  const written: TestEvent = { type: "test:stderr", data: { message: "half way\n" } };
  const thrown = new Error("test failed", { cause: new Error("the real reason") });
  assert.doesNotMatch(fileReport(build(written, pass("one"))), /half way/);
  const text = fileReport(build(written, start("one", 0), fail("one", 0, thrown)));
  assert.match(text, /half way/);
  assert.match(text, /the real reason/);
});

test("a run without tests is not a success", () => {
  assert.equal(isGood({ passed: 0, failed: 0, skipped: 3 }), false);
  assert.equal(isGood({ passed: 1, failed: 0, skipped: 0 }), true);
  assert.equal(isGood({ passed: 1, failed: 1, skipped: 0 }), false);
});
