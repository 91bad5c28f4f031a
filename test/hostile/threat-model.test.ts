/** docs/threat-model.md names the tests of each threat: they exist, and no threat is without one. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const THREATS = 25;

interface Named {
  threat: number;
  file: string;
  name: string;
}

/** `7. [file](../path): `name`; `name` · [file](../path): `name`` */
function namedTests(page: string): Named[] {
  const lines = [...page.matchAll(/^(\d+)\. (\[.+)$/gm)];
  return lines.flatMap(([, number, text]) =>
    text!.split(" · ").flatMap((part) => {
      const file = /\]\(\.\.\/([^)]+)\)/.exec(part)![1]!;
      const names = [...part.slice(part.indexOf("):")).matchAll(/`([^`]+)`/g)];
      return names.map(([, name]) => ({ threat: Number(number), file, name: name! }));
    }),
  );
}

test("the threat model names the tests of all 25 threats, and each of them exists", () => {
  const named = namedTests(readFileSync(join(ROOT, "docs/threat-model.md"), "utf8"));
  const threats = Array.from({ length: THREATS }, (_, index) => index + 1);
  assert.deepEqual(
    threats.filter((threat) => !named.some((one) => one.threat === threat)),
    [],
  );
  const missing = named.filter(({ file, name }) => !readFileSync(join(ROOT, file), "utf8").includes(name));
  assert.deepEqual(missing, []);
});

test("the page has a row for each threat", () => {
  const rows = [...readFileSync(join(ROOT, "docs/threat-model.md"), "utf8").matchAll(/^\| (\d+) +\|/gm)];
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: THREATS }, (_, index) => index + 1),
  );
});
