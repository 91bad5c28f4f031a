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

test("answer cache: an answer is computed once while the crawl does not change", () => {
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

test("kept answers: the making ends when all who waited have left, and whoever comes then starts it again", async () => {
  const answers = new KeptAnswers<Promise<string>>({ limit: 3, monotonic: () => 0 });
  const made: AbortSignal[] = [];
  const ask = (signal?: AbortSignal) =>
    answers.load(
      [1],
      "a",
      "v",
      (ended) => {
        made.push(ended);
        return new Promise<string>((resolve, reject) => {
          ended.addEventListener("abort", () => reject(ended.reason as Error));
          finish = () => resolve("answer");
        });
      },
      signal,
    );
  let finish = () => {};
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = [ask(first.signal), ask(second.signal)];
  first.abort(new Error("first left"));
  await assert.rejects(asked[0]!, /first left/);
  assert.equal(made[0]!.aborted, false);
  second.abort(new Error("second left"));
  await assert.rejects(asked[1]!, /second left/);
  assert.equal(made[0]!.aborted, true);
  const third = new AbortController();
  const [staying, leaving] = [ask(), ask(third.signal)];
  third.abort(new Error("third left"));
  await assert.rejects(leaving, /third left/);
  finish();
  assert.equal(await staying, "answer");
  assert.equal(await ask(new AbortController().signal), "answer");
  assert.equal(made.length, 2);
});
