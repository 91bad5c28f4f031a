import assert from "node:assert/strict";
import { test } from "node:test";
import {
  archiveState,
  choiceQuery,
  commonOrigin,
  isReadable,
  patternOf,
  problemLabel,
  readArchiveView,
  refusalLabel,
  snippetParts,
} from "./archive-view.ts";

test("an address is read, and what it does not know is left out", () => {
  const view = readArchiveView({ tab: "failures", status: "5xx", type: "", page: 3 });
  assert.deepEqual([view.tab, view.status, view.type, view.page], ["failures", "5xx", undefined, undefined]);
  assert.equal(readArchiveView({ tab: "secrets" }).tab, undefined);
});

test("a part of a URL finds URLs that contain it; globs and regular expressions are kept", () => {
  assert.equal(patternOf("linux/issues"), "*linux/issues*");
  assert.equal(patternOf("?page=2"), "*?page=2*");
  assert.equal(patternOf("/torvalds/*"), "/torvalds/*");
  assert.equal(patternOf("/issues.*[0-9]$/i"), "/issues.*[0-9]$/i");
});

test("only what is chosen is sent", () => {
  assert.deepEqual(choiceQuery({}), {});
  assert.deepEqual(choiceQuery({ status: "5xx", match: "a" }), { status: ["5xx"], match: ["*a*"] });
});

test("codes have words, those of a profile's own caps too", () => {
  assert.equal(refusalLabel("robots_disallow"), "Forbidden by robots.txt");
  assert.equal(refusalLabel("repo_max_merge_requests"), "Cap on merge requests of its repo");
  assert.equal(problemLabel("of_tomorrow"), "of tomorrow");
});

test("a snippet is cut into what was found and the rest", () => {
  assert.deepEqual(snippetParts("the \u0001quick\u0002 fox"), [
    { text: "the ", isFound: false },
    { text: "quick", isFound: true },
    { text: " fox", isFound: false },
  ]);
  assert.deepEqual(snippetParts(""), []);
});

test("the state of an archive says whether failures are left", () => {
  const ended = (failures: number) => ({
    problem: null,
    isRunning: false,
    isPauseAsked: false,
    run: {
      state: "ended" as const,
      outcome: { state: "completed" as const, failures, parkedHosts: [], message: null },
    },
  });
  assert.equal(archiveState(ended(0)).label, "Done");
  assert.equal(archiveState(ended(2)).label, "Done, with failures");
  assert.equal(archiveState({ ...ended(0), run: null }).label, "Idle");
  assert.equal(archiveState({ ...ended(0), isRunning: true, isPauseAsked: true }).label, "Paused");
  assert.equal(archiveState({ ...ended(0), problem: "gone" }).label, "Cannot be used");
});

test("pictures and files are not shown as text", () => {
  assert.equal(isReadable("text/html; charset=utf-8"), true);
  assert.equal(isReadable("image/png"), false);
});

test("an origin is left out only when all URLs have it", () => {
  assert.equal(commonOrigin(["https://a.example/1", "https://a.example/2"]), "https://a.example");
  assert.equal(commonOrigin(["https://a.example/1", "https://b.example/"]), null);
  assert.equal(commonOrigin([]), null);
});
