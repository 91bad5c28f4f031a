import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { storeError } from "./store-error.ts";

function fileIn(t: TestContext, content = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "some.db");
  writeFileSync(path, content);
  return path;
}

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return assert.fail("it did not fail");
}

it("names a file that is not a database, and does not ask for free space", (t) => {
  const path = fileIn(t, "not a database, though long enough to look like one ".repeat(99));
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  const error = storeError(
    failureOf(() => db.exec("SELECT * FROM sqlite_master")),
    path,
  ) as Error & { hint: string };
  assert.equal(error.message, `${path} is damaged: file is not a database.`);
  assert.match(error.hint, /Restore it from a backup/);
});

it("names a file that cannot be opened", () => {
  const path = "/nowhere/at/all.db";
  const error = storeError(
    failureOf(() => new DatabaseSync(path)),
    path,
  );
  assert.match((error as Error).message, /^\/nowhere\/at\/all\.db cannot be opened or written: unable to open/);
});

it("tells a locked file from a damaged one", (t) => {
  const path = fileIn(t);
  const [holder, other] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 0 })];
  t.after(() => [holder, other].forEach((db) => void db.close()));
  holder.exec("BEGIN EXCLUSIVE");
  const error = storeError(
    failureOf(() => other.exec("BEGIN EXCLUSIVE")),
    path,
  );
  assert.match((error as Error).message, /is in use: database is locked/);
});

it("leaves our own mistakes as they are", () => {
  const mistake = failureOf(() => new DatabaseSync(":memory:").exec("SELEKT"));
  assert.equal(storeError(mistake, "x"), mistake);
  const other = new Error("something else");
  assert.equal(storeError(other, "x"), other);
});
