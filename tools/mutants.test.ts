import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./command.ts";
import { MUTANTS } from "./mutants/list.ts";
import { MUTANTS_PAGE, mutantsPage, resultRow, rowsOf } from "./mutants/mutants-page.ts";
import { type Placed, placeMutants, tryMutant } from "./mutants/run-mutants.ts";

test("every mutant in the list applies to exactly one place, has tests, and is on the page", () => {
  const placed = placeMutants(MUTANTS);
  assert.equal(new Set(placed.map(({ name }) => name)).size, placed.length);
  const page = readFileSync(join(ROOT, MUTANTS_PAGE), "utf8");
  for (const { name, file } of placed)
    assert.ok(page.includes(`| ${name} | ${basename(file)} |`), `${name}: npm run mutants -- --write`);
  assert.ok(!page.includes("**survived**"));
});

test("a list that does not match the sources is refused, with every mismatch named", () => {
  const tests = ["tools/mutants.test.ts"];
  const slip = { name: "a", find: "no source has this text", replace: "", tests };
  const common = { name: "b", find: "import ", replace: "", tests: ["no/such.test.ts"] };
  assert.throws(
    () => placeMutants([slip, common]),
    /a: its text occurs 0 times[\s\S]*b: its text[\s\S]*no\/such\.test\.ts/,
  );
});

test("a mutant is killed when a test fails, survives when none does, and is undone", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-mutants-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "src"));
  const source = 'export const price = "$1";\nexport const unused = 1;\n';
  writeFileSync(join(folder, "src/price.mjs"), source);
  writeFileSync(
    join(folder, "price.test.mjs"),
    `import assert from "node:assert/strict"; import { describe, test } from "node:test"; import { price } from "./src/price.mjs";
    describe("group", () => { test("the price", () => assert.equal(price, "$1")); });`,
  );
  const mutant = (find: string, replace: string): Placed => ({
    ...{ name: "m", find, replace, tests: [], file: "src/price.mjs", testFiles: ["price.test.mjs"] },
  });
  assert.equal((await tryMutant(mutant('"$1"', '"$&"'), folder)).killedBy, "the price");
  assert.equal((await tryMutant(mutant("unused = 1", "unused = 2"), folder)).killedBy, null);
  assert.equal(readFileSync(join(folder, "src/price.mjs"), "utf8"), source);
  const results = ["a | b", null].map((killedBy) => ({ mutant: mutant("", ""), killedBy, seconds: 1 }));
  const page = mutantsPage(results.map(resultRow));
  assert.match(page, /^The tests notice 1 of 2 defects/m);
  assert.match(page, /^\| m \| price\.mjs \| a \\\| b \|\n\| m \| price\.mjs \| \*\*survived\*\* \|$/m);
  assert.deepEqual([...rowsOf(page)], [["m", resultRow(results[1]!)]]);
});
