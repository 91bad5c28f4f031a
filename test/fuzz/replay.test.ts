/** Every input that fuzzing ever found, every seed, and a few hundred inputs made from the seeds, the same in every run. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom } from "../servers/random.ts";
import { problemWith, slownessOf } from "./check.ts";
import { mutate } from "./mutate.ts";
import { TARGETS } from "./targets/index.ts";

const FOUND = join(import.meta.dirname, "found");
const RUNS = 100;

for (const target of TARGETS) {
  test(`${target.name}: seeds, ${RUNS} inputs made from them, and what was found before`, async () => {
    const seeds = target.seeds.map((seed) => Buffer.from(seed as string));
    const words = (target.words ?? []).map((word) => Buffer.from(word));
    const random = seededRandom(1);
    const made = Array.from({ length: RUNS }, () => mutate(seeds[random(seeds.length)]!, random, words, seeds));
    const folder = join(FOUND, target.name);
    const found = existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name))) : [];
    for (const input of [...seeds, ...found, ...made]) {
      assert.equal(await problemWith(target, input), null, JSON.stringify(input.toString("latin1")).slice(0, 500));
    }
    for (const input of found) assert.equal(await slownessOf(target, input), null);
  });
}

test("what was found belongs to a target", () => {
  const names: string[] = TARGETS.map(({ name }) => name);
  assert.deepEqual(
    readdirSync(FOUND, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !names.includes(entry.name)),
    [],
  );
});
