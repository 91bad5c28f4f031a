/** A data folder that everyone may look into, with a umask that hides nothing: what is in it stays private. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { linesOf, Trawl } from "./trawl.ts";

const trawl = new Trawl();
const umask = process.umask(0);
after(() => {
  process.umask(umask);
  trawl.remove();
});

const home = join(trawl.folder, "home");

/** Files and folders that others could read, with their mode. */
function openToOthers(): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    // The server goes on meanwhile: a temporary file may be gone already.
    const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${path.slice(home.length)} ${mode.toString(8)}`];
  });
}

test("databases, their WAL, the token, lists and traces are private during a crawl and after it", async (t) => {
  mkdirSync(home, { mode: 0o755 });
  const site = await startDemoSite();
  t.after(() => site.close());
  const server = trawl.start("serve", "--port", "0", "--no-ui", "--no-update-check", "--json");
  t.after(() => server.kill("SIGKILL"));
  const { value: line } = await linesOf(server).next();
  const ask = (path: string, method: string, body: unknown) =>
    fetch(`${line!["url"]}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${line!["token"]}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const settings = { auth: "me:secret", maxUrls: 3 };
  assert.equal((await ask("/config", "PUT", { url: site.url, settings })).status, 200);
  assert.equal((await ask("/crawl", "POST", { url: site.url })).status, 200);
  assert.ok(readdirSync(home).includes("registry.db-wal"));
  assert.deepEqual(openToOthers(), []);
  assert.equal(
    (await ask("/projects/1/schedule", "PUT", { cron: "@daily", webhook: "https://example.com/key" })).status,
    200,
  );
  const listed = await trawl.runWith(
    `${site.url}\n`,
    "list",
    "-",
    "--trace",
    "home/trace.har",
    "--cache-dir",
    "home/cache",
  );
  assert.equal(listed.code, 0);
  assert.deepEqual(openToOthers(), []);
  assert.equal(statSync(home).mode & 0o777, 0o755, "the folder is the user's");

  // As an older version left it.
  for (const name of ["registry.db", "crawls"]) chmodSync(join(home, name), 0o755);
  assert.equal((await trawl.run("crawls")).code, 0);
  assert.deepEqual(openToOthers(), []);
});
