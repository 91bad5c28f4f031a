import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { readServerNote, writeServerNote } from "../http/server-note.ts";
import { claimInstance, type Instance } from "./instance.ts";

const folders: string[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trawl-instance-"));
  folders.push(folder);
});
after(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

async function claimed(): Promise<Instance> {
  const instance = await claimInstance(folder);
  assert.ok(instance !== null);
  return instance;
}

test("the second asks the first for its window, and goes", async () => {
  const first = await claimed();
  let asked = 0;
  first.onFocus = async () => ++asked > 0;
  assert.equal(await claimInstance(folder), null);
  assert.equal(asked, 1);
  await first.close();
  assert.equal(readServerNote(folder), null);
  await (await claimed()).close();
});

test("one that is still opening counts as there", async () => {
  const first = await claimed();
  assert.equal(await claimInstance(folder), null);
  await first.close();
});

test("one that closes is waited for, and then followed", async () => {
  const first = await claimed();
  const asked = Promise.withResolvers<void>();
  first.onFocus = async () => {
    asked.resolve();
    return false;
  };
  const second = claimInstance(folder);
  await asked.promise;
  await first.close();
  const next = await second;
  assert.ok(next !== null);
  await next.close();
});

test("a note that a crash left behind is not believed", async () => {
  writeServerNote(folder, { pid: 1, url: "http://127.0.0.1:1", token: "0123456789abcdef" });
  await (await claimed()).close();
});

test("one that neither answers nor ends is told of", async () => {
  const first = await claimed();
  first.onFocus = () => Promise.reject(new Error("its browser hangs"));
  await assert.rejects(claimInstance(folder, 1), { code: "WINDOW_BUSY" });
  await first.close();
});

test("only who can read the note can raise the window", async () => {
  const first = await claimed();
  first.onFocus = () => assert.fail("an untrusted party raised the window");
  const { url } = readServerNote(folder)!;
  assert.equal(statSync(join(folder, "server.json")).mode & 0o077, 0);
  const headers = { authorization: "Bearer 0123456789abcdef" };
  for (const request of [{}, { method: "POST" }, { method: "POST", headers }]) {
    assert.equal((await fetch(`${url}/focus`, request)).status, 404);
  }
  await first.close();
});
