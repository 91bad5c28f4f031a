import assert from "node:assert/strict";
import { test } from "node:test";
import { PieceMemory } from "./piece-memory.ts";

test("what does not fit is set aside, and what is kept is cleared when there is no room", () => {
  const memory = new PieceMemory(10, 30);
  let clears = 0;
  memory.onClear.push(() => clears++);
  const put = (text: string) => {
    const end = memory.keep(text);
    memory.write(memory.start, end);
  };
  const texts = [
    "one ",
    "zwölf ",
    "three ",
    "🐟🐟 ",
    "a text that is longer than all the room there is, by far ",
    "end",
  ];
  for (const text of texts) put(text);
  assert.equal(memory.take().toString(), texts.join(""));
  assert.ok(clears > 0);
  assert.equal(memory.take().length, 0);
  put("again");
  assert.equal(memory.take().toString(), "again");
});
