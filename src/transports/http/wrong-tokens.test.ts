import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { drain, FakeClock } from "../../kernel/testing/fake-clock.ts";
import { WrongTokens } from "./wrong-tokens.ts";

/** How long each of these wrong tokens, sent at once, waits for its answer. */
async function waits(wrong: WrongTokens, clock: FakeClock, clients: string[]): Promise<number[]> {
  const began = clock.now();
  const times = clients.map(async (client) => {
    await wrong.answer(client);
    return clock.now() - began;
  });
  await drain();
  for (let count = 0; count < 240; count++) await clock.advance(250);
  return Promise.all(times);
}

test("guesses of a client wait for each other, with a longest wait; other clients do not wait", async () => {
  const clock = new FakeClock();
  const wrong = new WrongTokens(clock);
  const [first, ...rest] = await waits(wrong, clock, ["a", "b", "b", ...new Array<string>(12).fill("a"), "c"]);
  assert.equal(first, 0);
  assert.deepEqual(rest, [0, 0, 0, 0, 250, 750, 1_750, 3_750, 7_750, 15_750, 23_750, 30_000, 30_000, 30_000, 0]);
});

test("a client that was quiet for ten minutes starts over", async () => {
  const clock = new FakeClock();
  const wrong = new WrongTokens(clock);
  assert.deepEqual(await waits(wrong, clock, ["a", "a", "a", "a"]), [0, 0, 0, 250]);
  assert.deepEqual(await waits(wrong, clock, ["a"]), [500]);
  await clock.advance(11 * 60_000);
  assert.deepEqual(await waits(wrong, clock, ["a"]), [0]);
});

test("a flood of guesses is refused instead of kept waiting", async () => {
  const clock = new FakeClock();
  const wrong = new WrongTokens(clock);
  const answers = Promise.allSettled(Array.from({ length: 1_000 }, () => wrong.answer("a")));
  await drain();
  for (let count = 0; count < 240; count++) await clock.advance(250);
  const refused = (await answers).flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
  assert.equal(refused.length, 1_000 - 3 - 200);
  for (const error of refused) {
    assert.ok(error instanceof TrawlError && error.code === "TOO_MANY_REQUESTS" && error.retryAfterSeconds! > 0);
  }
  await clock.advance(11 * 60_000);
  assert.deepEqual(await waits(wrong, clock, ["a"]), [0]);
});
