import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startServer } from "./server.ts";
import { findServer, readServerNote, removeServerNote, writeServerNote } from "./server-note.ts";
import { fakeApp } from "./testing/fake-app.ts";

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-note-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the note is read back, is private, and goes only with the server that wrote it", (t) => {
  const home = temporaryFolder(t);
  assert.equal(readServerNote(home), null);
  const note = { pid: 12, url: "http://127.0.0.1:1", token: "secret" };
  writeServerNote(home, note);
  assert.deepEqual(readServerNote(home), note);
  assert.equal(statSync(join(home, "server.json")).mode & 0o777, 0o600);
  removeServerNote(home, 13);
  assert.deepEqual(readServerNote(home), note);
  removeServerNote(home, 12);
  assert.equal(readServerNote(home), null);
  writeFileSync(join(home, "server.json"), '{"pid":');
  assert.equal(readServerNote(home), null);
});

test("a running server is found and signs in; one that is gone is not found", async (t) => {
  const home = temporaryFolder(t);
  assert.equal(await findServer(home), null);
  const server = await startServer(fakeApp(), { port: 0, token: "0123456789abcdef" });
  t.after(() => server.close());
  writeServerNote(home, { pid: process.pid, url: server.url, token: server.token });
  const url = new URL(await (await findServer(home))!.signInUrl("/crawls/1/overview"));
  assert.equal(url.pathname, "/crawls/1/overview");
  assert.equal((await fetch(url)).status, 200);
  assert.equal((await fetch(url)).status, 401);
  writeServerNote(home, { pid: process.pid, url: server.url, token: "another-token-here" });
  assert.equal(await findServer(home), null);
  // Its process has ended, so whoever listens there now is not the server, and is not sent the token.
  const ended = spawnSync(process.execPath, ["-e", ""]).pid;
  writeServerNote(home, { pid: ended, url: server.url, token: server.token });
  assert.equal(await findServer(home), null);
  writeServerNote(home, { pid: process.pid, url: server.url, token: server.token });
  await server.close();
  assert.equal(await findServer(home), null);
});
