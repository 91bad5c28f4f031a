import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { isLocked, lockCrawl } from "./crawl-lock.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("crawl lock: one at a time, and free again after release", (t) => {
  const path = folder(t);
  assert.equal(isLocked(path), false);
  const lock = lockCrawl(path);
  assert.equal(isLocked(path), true);
  assert.throws(() => lockCrawl(path), { code: "CRAWL_BUSY" });
  assert.equal(isLocked(path), true, "asking does not take it");
  lock.release();
  assert.equal(isLocked(path), false);
  lockCrawl(path).release();
});

test("crawl lock: a process that only reads does not hold it", (t) => {
  const path = folder(t);
  lockCrawl(path).release();
  const looking = new DatabaseSync(join(path, "lock.db"), { readOnly: true });
  looking.exec("BEGIN; SELECT 1 FROM sqlite_master");
  assert.equal(isLocked(path), false);
  looking.close();
});

test("crawl lock: two crawls have two locks", (t) => {
  const one = lockCrawl(folder(t));
  const other = lockCrawl(folder(t));
  one.release();
  other.release();
});

test("crawl lock: holds between processes, and kill -9 releases it", async (t) => {
  const path = folder(t);
  const script = `const { lockCrawl } = await import(${JSON.stringify(new URL("./crawl-lock.ts", import.meta.url).href)});
    lockCrawl(${JSON.stringify(path)});
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  assert.equal(isLocked(path), true);
  assert.throws(() => lockCrawl(path), { code: "CRAWL_BUSY" });
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(isLocked(path), false);
  lockCrawl(path).release();
});
