/** Two real workers on one crawl: the same pages as one machine's crawl, each URL fetched once, and pulled as an ordinary crawl. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { NO_POSTGRES, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { PROGRAM } from "../cli/trawl.ts";

const run = promisify(execFile);
const HOSTS = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
const PAGES = 8;

it("two workers crawl what one machine crawls, and each URL once", async (t) => {
  const postgres = await TestPostgres.start();
  if (postgres === null) return t.skip(NO_POSTGRES);
  const home = mkdtempSync(join(tmpdir(), "trawl-fleet-"));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const at = Number(/^\/p(\d+)$/.exec(request.url!)?.[1] ?? (request.url === "/" ? 0 : Number.NaN));
    asked.push(`${request.headers.host}${request.url}`);
    if (Number.isNaN(at)) return response.writeHead(404).end();
    const { port } = server.address() as AddressInfo;
    // Every page leads to the next one of its host, and to the same one of the next host.
    const host = HOSTS[(HOSTS.indexOf(request.headers.host!.split(":")[0]!) + 1) % HOSTS.length];
    const next = at + 1 < PAGES ? `<a href="/p${at + 1}">next</a>` : "";
    response.setHeader("content-type", "text/html");
    response.end(
      `<title>${at}</title><p>page ${at} of ${request.headers.host}</p>${next}<a href="http://${host}:${port}/p${at}">over</a>`,
    );
  }).listen(0, "0.0.0.0");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const starts = HOSTS.map((host) => `http://${host}:${port}/`);
  const env = { ...process.env, TRAWL_HOME: home, TRAWL_POSTGRES: postgres.url, TRAWL_NO_UPDATE_CHECK: "1" };
  const trawl = async (...args: string[]) =>
    (await run(process.execPath, [PROGRAM, ...args, "--json"], { env, timeout: 60_000 })).stdout.trim().split("\n");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  });
  await trawl("fleet", "start", "web1", ...starts, "--rate", "0");
  const ends = await Promise.all([trawl("fleet", "work", "web1"), trawl("fleet", "work", "web1")]);
  for (const lines of ends) assert.equal(JSON.parse(lines.at(-1)!).state, "done");
  const pages = asked.filter((url) => /\/(?:p\d+)?$/.test(url)).sort();
  assert.deepEqual(pages, [...new Set(pages)], "each once");
  // "/" of every host, and p0 to p7, which it is not.
  assert.equal(pages.length, HOSTS.length * (PAGES + 1));
  const status = JSON.parse((await trawl("fleet", "status", "web1"))[0]!);
  assert.deepEqual([status.state, status.open, status.inbox, status.workers], ["done", 0, 0, []]);
  assert.equal(status.settled, pages.length, "guessed sitemaps that were not there are not counted");
  const pulled = JSON.parse((await trawl("fleet", "pull", "web1"))[0]!);
  const [{ durationMs, startedAt }] = JSON.parse((await trawl("crawls"))[0]!).rows;
  assert.ok(durationMs > 0 && Date.parse(startedAt) + durationMs <= Date.now(), "the crawl's times, not the copy's");
  const urls = (await trawl("urls", `${pulled.crawlId}`, "--limit", "1000")).join("\n");
  for (const url of pages) assert.ok(urls.includes(url), url);
  const one = JSON.parse((await trawl("fleet", "pull", "web1", "--host", `127.0.0.2:${port}`))[0]!);
  assert.deepEqual([one.records, one.open], [PAGES + 1, 0]);
  const [rows] = await trawl("urls", `${one.crawlId}`, "--fields", "url,verdict,reason,status", "--limit", "1000");
  const own = (JSON.parse(rows!).rows as Record<string, unknown>[]).map(({ url, verdict, reason, status }) => {
    return [new URL(url as string).hostname, verdict, reason, status].join(" ");
  });
  assert.deepEqual([...new Set(own)].sort(), [
    "127.0.0.2 crawl  200",
    "127.0.0.2 skip no_sitemap ",
    "127.0.0.3 record not_pulled ",
  ]);
  const [compared] = await trawl("compare", `${pulled.crawlId}`, `${one.crawlId}`);
  assert.equal(typeof JSON.parse(compared!), "object");
});
