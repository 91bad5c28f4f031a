import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSources, MAX_LINES, type SourceFile } from "./layer-rules.ts";

const file = (path: string, text = ""): SourceFile => ({ path, text });
const importing = (path: string, specifier: string): SourceFile => file(path, `import { x } from "${specifier}";\n`);

/** Errors about imports only: these sources have no READMEs. */
const importErrors = (...files: SourceFile[]): string[] =>
  checkSources(files, {}).errors.filter((line) => line.includes("import") || line.includes("layer"));

const LINES = (count: number): string => "x\n".repeat(count);

test("a layer may import itself, the layers before it, and the error table", () => {
  assert.deepEqual(
    importErrors(
      importing("src/web/a.ts", "./b.ts"),
      importing("src/web/html/a.ts", "../url.ts"),
      importing("src/web/a.ts", "../net/b.ts"),
      importing("src/web/a.ts", "../kernel/b.ts"),
      importing("src/web/html/a.ts", "../../errors.ts"),
      importing("src/transports/cli/a.ts", "../../demo/index.ts"),
      importing("src/index.ts", "./app/library.ts"),
    ),
    [],
  );
});

test("a layer may not import a later one, in any form of import", () => {
  for (const text of [
    'import { x } from "../site/x.ts";',
    'import type { X } from "../site/x.ts";',
    'import "../site/x.ts";',
    'export * from "../site/x.ts";',
    'const { x } = await import("../site/x.ts");',
    'import {\n  x,\n} from "../site/x.ts";',
  ]) {
    assert.deepEqual(
      importErrors(file("src/net/a.ts", text)),
      ["src/net/a.ts: must not import src/site/x.ts: net comes before site"],
      text,
    );
  }
});

test("every pair of layers in the wrong order is found", () => {
  const wrong: [string, string][] = [
    ["src/kernel/a.ts", "../net/b.ts"],
    ["src/errors.ts", "./kernel/b.ts"],
    ["src/site/a.ts", "../index.ts"],
    ["src/site/a.ts", "../demo/index.ts"],
    ["src/politeness/a.ts", "../settings/b.ts"],
    ["src/web/a.ts", "../politeness/b.ts"],
    ["src/demo/a.ts", "../net/b.ts"],
    ["src/index.ts", "./transports/cli/main.ts"],
    ["src/index.ts", "./net/client.ts"],
    ["src/app/a.ts", "../../test/servers/index.ts"],
    ["src/app/a.ts", "../../tools/command.ts"],
    ["src/app/a.test.ts", "../../bench/net.ts"],
  ];
  for (const [path, specifier] of wrong) assert.equal(importErrors(importing(path, specifier)).length, 1, path);
});

test("transports reach products through app; their tests may import products", () => {
  for (const to of ["site", "archive", "atproto"]) {
    const text = `import { b } from "../../${to}/b.ts";`;
    assert.deepEqual(importErrors(file("src/transports/cli/a.ts", text)), [
      `src/transports/cli/a.ts: must not import src/${to}/b.ts: transports reach products through app`,
    ]);
    assert.deepEqual(importErrors(file("src/transports/cli/a.test.ts", text)), []);
  }
});

test("no product imports another, in either direction", () => {
  const products = ["site", "archive", "atproto"];
  for (const from of products) {
    for (const to of products.filter((name) => name !== from)) {
      assert.deepEqual(importErrors(importing(`src/${from}/a.ts`, `../${to}/b.ts`)), [
        `src/${from}/a.ts: must not import src/${to}/b.ts: a product does not import another`,
      ]);
    }
  }
});

test("only net imports undici", () => {
  assert.deepEqual(importErrors(importing("src/net/a.ts", "undici")), []);
  for (const text of [
    'import { request } from "undici";',
    'import type { Dispatcher } from "undici/types/dispatcher.d.ts";',
    'const { request } = await import("undici");',
  ]) {
    assert.match(importErrors(file("src/app/a.ts", text))[0]!, /src\/app\/a\.ts: must not import undici: /, text);
  }
});

test("only tests import test helpers", () => {
  assert.deepEqual(importErrors(importing("src/net/a.test.ts", "./testing/servers.ts")), []);
  assert.equal(importErrors(importing("src/net/a.ts", "./testing/servers.ts")).length, 1);
});

test("an unknown folder is an error", () => {
  assert.match(importErrors(file("src/stuff/a.ts"))[0]!, /src\/stuff is not a known layer/);
});

test("every folder has a README, except those that belong to another folder", () => {
  const { errors } = checkSources([
    file("src/README.md"),
    file("src/net/README.md"),
    file("src/net/a.ts"),
    file("src/net/testing/a.ts"),
    file("src/web/html/a.ts"),
  ]);
  assert.deepEqual(errors, ["src/web: has no README.md", "src/web/html: has no README.md"]);
});

test("a long file needs a reason, and a reason needs a long file", () => {
  const excused = "src/kernel/crawl.ts";
  const lengths = (path: string, lines: number) =>
    checkSources([file(path, LINES(lines))], { [excused]: "why" }).errors.filter((line) => line.includes("lines"));
  assert.equal(lengths("src/net/a.ts", MAX_LINES).length, 0);
  assert.equal(lengths("src/net/a.ts", MAX_LINES + 1).length, 1);
  assert.equal(lengths("src/net/a.test.ts", MAX_LINES + 1).length, 0);
  assert.equal(lengths(excused, MAX_LINES + 1).length, 0);
  assert.equal(lengths(excused, MAX_LINES).length, 1);
});

test("an unfinished-work marker is a warning with file and line", () => {
  const word = ["TO", "DO"].join("");
  const { warnings } = checkSources([file("test/a.ts", `const a = 1;\n// ${word}: b\n`)]);
  assert.deepEqual(warnings, [`test/a.ts:2: // ${word}: b`]);
});
