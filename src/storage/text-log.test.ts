import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TextLog } from "./text-log.ts";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-log-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("lines are in the file as soon as they are written, and later logs append to them", (t) => {
  const path = join(folderOf(t), "logs", "a.log");
  const options = { path, rotateBytes: 1_000, keep: 2 };
  const log = new TextLog(options);
  log.write("one");
  assert.equal(readFileSync(path, "utf8"), "one\n");
  log.close();
  const next = new TextLog(options);
  next.write("two");
  next.close();
  next.write("three");
  assert.equal(readFileSync(path, "utf8"), "one\ntwo\n", "nothing after it is closed");
});

test("at its size a new file is started, and as many old ones are kept as wanted", (t) => {
  const path = join(folderOf(t), "a.log");
  const contents = () =>
    [path, `${path}.1`, `${path}.2`, `${path}.3`].map((file) => existsSync(file) && readFileSync(file, "utf8"));
  const log = new TextLog({ path, rotateBytes: 10, keep: 2 });
  for (const line of ["1111", "2222", "3333", "4444", "5555", "6666", "7777"]) log.write(line);
  assert.deepEqual(contents(), ["7777\n", "5555\n6666\n", "3333\n4444\n", false]);
  log.write("a line longer than a file");
  assert.equal(readFileSync(path, "utf8"), "a line longer than a file\n");
  log.close();
  const alone = new TextLog({ path, rotateBytes: 10, keep: 0 });
  alone.write("8888");
  alone.close();
  assert.deepEqual(contents(), ["8888\n", "7777\n", "5555\n6666\n", false], "old ones of other settings stay");
});

test("a last line that was cut short does not spoil the next, and no text forges a line or an escape", (t) => {
  const path = join(folderOf(t), "a.log");
  writeFileSync(path, "whole\n");
  appendFileSync(path, "cut sh");
  const log = new TextLog({ path, rotateBytes: 1_000, keep: 1 });
  log.write("said\r\nERROR forged \u001b[31mred\u2028x");
  log.close();
  assert.equal(readFileSync(path, "utf8"), "whole\ncut sh\nsaid ERROR forged  [31mred x\n");
});

test("a log that cannot be written stops nothing", (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, "file"), "");
  const log = new TextLog({ path: join(folder, "file", "a.log"), rotateBytes: 10, keep: 1 });
  log.write("lost");
  log.close();
  assert.equal(readFileSync(join(folder, "file"), "utf8"), "");
});
