import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../kernel/clock.ts";
import { CookieJar } from "./cookie-jar.ts";
import { testClient } from "./testing/options.ts";
import { serveHttp } from "./testing/servers.ts";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "trawl-cache-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

const files = async (path: string) =>
  (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

test("an answer is kept, served until it is too old, and named by a hash only", async (t) => {
  const cacheDir = await folder(t);
  const server = await serveHttp(t, (_request, response) => {
    response.setHeader("x-count", server.requests).end("../../etc/passwd");
  });
  let now = 1_000;
  const client = testClient(t, { cacheDir, cacheMaxAgeMs: 500, clock: { ...systemClock, now: () => now } });
  const url = `${server.origin}/..%2f..%2fetc?x=../../y`;
  const first = await client.fetch({ url });
  const second = await client.fetch({ url });
  assert.equal(first.fromCache, false);
  assert.equal(second.fromCache, true);
  assert.equal(second.status, 200);
  assert.equal(second.url, first.url);
  assert.equal(second.body.toString(), "../../etc/passwd");
  assert.equal(second.header("x-count"), "1");
  assert.equal(second.wireBytes, first.wireBytes);
  assert.equal(second.timings.total, 0);
  now += 501;
  assert.equal((await client.fetch({ url })).fromCache, false);
  assert.equal(server.requests, 2);
  const stored = await files(cacheDir);
  assert.equal(stored.length, 1, "one file, no temporary ones");
  assert.match(stored[0]!.name, /^[0-9a-f]{62}$/);
});

test("another method, URL, or header is another answer", async (t) => {
  const server = await serveHttp(t, (request, response) => response.end(request.headers["accept-language"]));
  const client = testClient(t, { cacheDir: await folder(t) });
  await client.fetch({ url: server.origin });
  await client.fetch({ url: server.origin, method: "HEAD" });
  await client.fetch({ url: `${server.origin}/other` });
  const german = await client.fetch({ url: server.origin, headers: { "accept-language": "de" } });
  assert.equal(german.body.toString(), "de");
  assert.equal(server.requests, 4);
});

test("cookies of a cached answer are kept, so that the answers after it are found too", async (t) => {
  const cacheDir = await folder(t);
  const server = await serveHttp(t, (request, response) => {
    if (request.url === "/") response.setHeader("set-cookie", "id=1; Path=/");
    response.end(request.headers.cookie);
  });
  for (const fromCache of [false, true]) {
    const client = testClient(t, { cacheDir, cookies: new CookieJar(() => true) });
    await client.fetch({ url: server.origin });
    const second = await client.fetch({ url: `${server.origin}/second` });
    assert.deepEqual([second.body.toString(), second.fromCache], ["id=1", fromCache]);
  }
  assert.equal(server.requests, 2);
});

test("answers that pass, are cut, or say nothing are not kept", async (t) => {
  const cacheDir = await folder(t);
  const server = await serveHttp(t, (request, response) => {
    const status = Number(request.url!.slice(1));
    response.writeHead(status).end(status === 304 ? undefined : "x".repeat(status));
  });
  const client = testClient(t, { cacheDir, limits: { wireBytes: 300 } });
  for (const status of [500, 503, 429, 408, 404]) await client.fetch({ url: `${server.origin}/${status}` });
  await client.fetch({ url: `${server.origin}/304`, etag: '"x"' });
  assert.equal((await files(cacheDir)).length, 0, "404 was cut at 300 bytes");
  await client.fetch({ url: `${server.origin}/204` });
  assert.equal((await files(cacheDir)).length, 1);
});

test("a damaged file is a miss, and is replaced", async (t) => {
  const cacheDir = await folder(t);
  const server = await serveHttp(t, (_request, response) => response.end("body"));
  const client = testClient(t, { cacheDir });
  await client.fetch({ url: server.origin });
  const [file] = await files(cacheDir);
  for (const length of [0, 10, 200]) {
    await truncate(join(file!.parentPath, file!.name), length);
    assert.equal((await client.fetch({ url: server.origin })).fromCache, false);
    assert.equal((await client.fetch({ url: server.origin })).fromCache, true);
  }
});

test("a folder that cannot be written costs the cache, not the page", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("body"));
  for (const cacheDir of ["/dev/null/cache", "/proc/trawl-test/cache"]) {
    const client = testClient(t, { cacheDir });
    assert.equal((await client.fetch({ url: server.origin })).body.toString(), "body");
  }
});
