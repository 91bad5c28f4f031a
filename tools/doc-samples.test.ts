import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { LEDGER_MIGRATIONS, migrate } from "../src/kernel/sqlite/schema.ts";
import { addFactColumns, SITE_MIGRATIONS } from "../src/site/store/site-schema.ts";
import { ROOT, runCommand, TSC } from "./command.ts";
import { anchorsOf, documentationPages, localLinks, readPage, samplesOf } from "./doc-samples.ts";
import { firstCells } from "./markdown.ts";

// Inside the repository, so that the compiler finds the installed types; ignored by git.
mkdirSync(join(ROOT, ".tmp"), { recursive: true });
const folder = mkdtempSync(join(ROOT, ".tmp", "samples-"));
after(() => rmSync(folder, { recursive: true }));

function emptyCrawl(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, "site", SITE_MIGRATIONS);
  addFactColumns(db);
  return db;
}

test("every link leads to a page, and to a heading where it names one", () => {
  const broken = documentationPages().flatMap((path) =>
    localLinks(path, readPage(path))
      .filter(
        ({ target, heading }) =>
          !existsSync(join(ROOT, target)) || (heading !== null && !anchorsOf(readPage(target)).has(heading)),
      )
      .map(({ target, heading }) => `${path}: ${target}${heading === null ? "" : `#${heading}`}`),
  );
  assert.deepEqual(broken, []);
});

test("every TypeScript sample compiles", async () => {
  const samples = documentationPages()
    .filter((path) => !path.startsWith("src/") && path !== "docs/api.md")
    .flatMap((path) => samplesOf(readPage(path), "ts"));
  assert.ok(samples.length > 0);
  for (const [index, text] of samples.entries()) {
    writeFileSync(join(folder, `sample-${index}.ts`), `${text}\nexport {};\n`);
  }
  const config = { extends: "../../tsconfig.json", include: ["*.ts"], compilerOptions: { paths: {} } };
  config.compilerOptions.paths = {
    trawl: [join(ROOT, "src/index.ts")],
    "trawl/atproto": [join(ROOT, "src/atproto/index.ts")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { exitCode, output } = await runCommand([...TSC, "-p", folder], { quiet: true });
  // Errors in src are reported by the type check.
  const errors = output.split("\n").filter((line) => line.includes("sample-"));
  assert.ok(exitCode === 0 || output.includes("error TS"), output);
  assert.deepEqual(errors, []);
});

test("every SQL sample fits the tables", () => {
  const db = emptyCrawl();
  const samples = documentationPages().flatMap((path) => samplesOf(readPage(path), "sql"));
  assert.ok(samples.length > 0);
  for (const sql of samples) assert.doesNotThrow(() => db.prepare(sql), sql);
  db.close();
});

test("docs/reference/tables.md names every column of every table, and no other", () => {
  const db = emptyCrawl();
  const written = new Map<string, string[]>();
  for (const section of readPage("docs/reference/tables.md").split(/^## /m).slice(1)) {
    written.set(section.split("\n", 1)[0]!, firstCells(section));
  }
  const columns = (table: string) =>
    db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map((row) => String(row["name"]));
  for (const table of ["urls", "pages", "rendered", "links", "bodies", "texts", "lanes", "notes"]) {
    assert.deepEqual((written.get(table) ?? []).sort(), columns(table).sort(), table);
  }
  db.close();
});

test("docs/dependencies.md gives a reason for exactly the packages in use", () => {
  const { dependencies, devDependencies } = JSON.parse(readPage("package.json")) as Record<string, object>;
  const [runTime, development] = readPage("docs/dependencies.md").split(/^## /m).slice(1);
  // The first name in an item, and all names in the first cell of a row.
  const places = (section: string) => section.match(/^(?:- `[^`]+`|\| `[^|]+\|)/gm) ?? [];
  const named = (section: string) =>
    places(section)
      .flatMap((place) => [...place.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
      .sort();
  assert.deepEqual(named(runTime!), Object.keys(dependencies!).sort());
  assert.deepEqual(named(development!), Object.keys(devDependencies!).sort());
});

test("samples and links are found as they are written", () => {
  const page = "# A `b` (c)\n\n[x](y.md#z) [w](https://a.b/) `[n](o.md)`\n\n```ts\nconst a = 1; // [p](q.md)\n```\n";
  assert.deepEqual(samplesOf(page, "ts"), ["const a = 1; // [p](q.md)\n"]);
  assert.deepEqual(localLinks("docs/a.md", page), [{ target: "docs/y.md", heading: "z" }]);
  assert.deepEqual([...anchorsOf(page)], ["a-b-c"]);
});
