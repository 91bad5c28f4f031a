import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { GroupWriter } from "./group-writer.ts";
import { temporaryFolder } from "./testing/files.ts";

test("files written together are all there, and one that fails fails alone", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = new GroupWriter();
  const write = (name: string, text: string) => writer.write(join(folder, name), Buffer.from(text), 0o644, [folder]);
  // A folder stands where this file should be: it is written and synced, and cannot get its name.
  await mkdir(join(folder, "taken/x"), { recursive: true });
  const results = await Promise.allSettled([
    write("a", "first"),
    write("taken", "second"),
    write("none/b", "third"),
    write("c", "fourth"),
    writer.sync([folder]),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "fulfilled", "fulfilled"],
  );
  for (const result of results) if (result.status === "rejected") assert.equal(result.reason.code, "FILE_NOT_WRITABLE");
  assert.deepEqual((await readdir(folder)).sort(), ["a", "c", "taken"], "no temporary file stays");
  assert.equal(await readFile(join(folder, "c"), "utf8"), "fourth");
  await write("later", "fifth");
  assert.equal(await readFile(join(folder, "later"), "utf8"), "fifth");
});
