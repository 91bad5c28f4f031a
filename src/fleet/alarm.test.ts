import assert from "node:assert/strict";
import { it } from "node:test";
import { drain, FakeClock } from "../kernel/testing/fake-clock.ts";
import { Alarm } from "./alarm.ts";

it("a rest ends when its time is over, when it is ended, and at once when it was ended before it began", async () => {
  const clock = new FakeClock();
  const alarm = new Alarm(clock);
  let rests = 0;
  const rest = () => void alarm.rest(1_000).then(() => rests++);
  rest();
  await clock.advance(999);
  assert.equal(rests, 0);
  await clock.advance(1);
  assert.equal(rests, 1);
  rest();
  await drain();
  assert.equal(rests, 1);
  alarm.ring();
  await drain();
  assert.deepEqual([rests, clock.timers], [2, 0]);
  alarm.ring();
  rest();
  await drain();
  assert.equal(rests, 3);
  rest();
  await drain();
  assert.equal(rests, 3, "once");
});
