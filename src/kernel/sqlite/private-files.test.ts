import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { keepFilePrivate, keepFolderPrivate, openPrivateDatabase } from "./private-files.ts";

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-private-"));
  chmodSync(folder, 0o755);
  const umask = process.umask(0);
  t.after(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;
const files = (path: string) => [path, `${path}-wal`, `${path}-shm`];

test("a new database and its other files are private, whatever the umask", (t) => {
  const path = join(openFolder(t), "new.db");
  const db = openPrivateDatabase(path);
  t.after(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE secrets (text); INSERT INTO secrets VALUES ('x')");
  assert.deepEqual(files(path).map(modeOf), [0o600, 0o600, 0o600]);
});

test("a database that others could read is made private while another connection uses it, whose lock stays", (t) => {
  const path = join(openFolder(t), "old.db");
  const first = new DatabaseSync(path);
  t.after(() => first.close());
  first.exec("PRAGMA journal_mode = WAL; CREATE TABLE a (b); BEGIN IMMEDIATE; INSERT INTO a VALUES (1)");
  assert.deepEqual(files(path).map(modeOf), [0o644, 0o644, 0o644]);
  const second = openPrivateDatabase(path);
  t.after(() => second.close());
  assert.deepEqual(files(path).map(modeOf), [0o600, 0o600, 0o600]);
  assert.throws(() => second.exec("BEGIN IMMEDIATE"), /locked/);
});

test("the owner's own permissions stay, and missing files are ignored", (t) => {
  const folder = openFolder(t);
  const file = join(folder, "read-only");
  writeFileSync(file, "", { mode: 0o444 });
  keepFilePrivate(file);
  keepFolderPrivate(folder);
  assert.deepEqual([modeOf(file), modeOf(folder)], [0o400, 0o700]);
  keepFilePrivate(join(folder, "missing"));
  assert.throws(() => openPrivateDatabase(join(folder, "missing", "a.db")), /unable to open/);
});

test("a folder where a database is expected stays open to others", (t) => {
  const folder = openFolder(t);
  chmodSync(folder, 0o1777);
  assert.throws(() => openPrivateDatabase(folder), /unable to open/);
  assert.equal(statSync(folder).mode & 0o7777, 0o1777);
});
