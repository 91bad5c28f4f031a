import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptAnswers } from "./answer-cache.ts";

/** Answers that take a while each, on a clock of its own. */
function kept(limit: number) {
  const time = { ms: 0 };
  const made: string[] = [];
  const closed: string[] = [];
  const answers = new KeptAnswers<string>({
    limit,
    monotonic: () => time.ms,
    close: (answer) => void closed.push(answer),
  });
  const ask = (ids: number[], question: string, version: string, tookMs = 5) =>
    answers.get(ids, question, version, () => {
      time.ms += tookMs;
      const answer = `${ids}:${question}@${version}`;
      made.push(answer);
      return answer;
    });
  return { time, made, closed, answers, ask };
}

test("kept answers: made once while the crawl stands still", () => {
  const { ask, made, time } = kept(3);
  assert.equal(ask([1], "a", "v1"), "1:a@v1");
  time.ms += 1_000_000;
  assert.equal(ask([1], "a", "v1"), "1:a@v1");
  ask([1], "b", "v1");
  ask([2], "a", "v1");
  assert.deepEqual(made, ["1:a@v1", "1:b@v1", "2:a@v1"]);
});

test("kept answers: of a crawl that moves on, computed again after ten times what it took", () => {
  const { ask, time, closed } = kept(3);
  ask([1], "a", "v1", 100);
  time.ms += 999;
  assert.equal(ask([1], "a", "v2"), "1:a@v1");
  time.ms += 1;
  assert.equal(ask([1], "a", "v3"), "1:a@v3");
  assert.deepEqual(closed, ["1:a@v1"], "what is replaced is closed");
});

test("kept answers: the one asked for longest ago goes, and all of a crawl go with it", () => {
  const { ask, answers, closed } = kept(2);
  ask([1], "a", "v");
  ask([2], "a", "v");
  ask([1], "a", "v");
  ask([3, 1], "a", "v");
  assert.deepEqual(closed, ["2:a@v"]);
  answers.drop(1);
  assert.deepEqual(closed.slice(1).toSorted(), ["1:a@v", "3,1:a@v"]);
  ask([4], "a", "v");
  answers.close();
  assert.equal(closed.at(-1), "4:a@v");
});
