/** What pages need to look as they did: fetched once, kept in the WARC, counted nowhere, and shown by a browser without a network. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync, gunzipSync } from "node:zlib";
import type { Browser } from "puppeteer-core";
import puppeteer from "puppeteer-core";
import { stringify } from "yaml";
import { ArchiveCrawl, type ArchiveCrawlOptions } from "../../src/archive/archive-crawl.ts";
import { readZip } from "../../src/archive/store/testing/readers.ts";
import { writeWacz } from "../../src/archive/store/wacz/wacz.ts";
import { verifyWarcs } from "../../src/archive/store/warc/verify-warcs.ts";
import { workspaceBlobs } from "../../src/archive/stores.ts";
import { checkLedgers, repairWorkspace } from "../../src/archive/verify-workspace.ts";
import { openWorkspace, type Workspace } from "../../src/archive/workspace.ts";
import { findBrowser, isExecutable } from "../../src/render/find-browser.ts";
import { needsBrowser } from "../../src/render/testing/browser.ts";
import { childEnd } from "../servers/child-end.ts";
import { type PlainAnswer, type PlainHost, plainHost } from "../servers/plain-host.ts";
import { AGENT, linesOf, metadataOf } from "./archiving.ts";

const ROBOTS = { body: "User-agent: *\nDisallow: /secret\n", headers: { "content-type": "text/plain" } };
const typed = (type: string, body: string | Buffer): PlainAnswer => ({ body, headers: { "content-type": type } });

/** A picture of one colour. */
function png(red: number, green: number, blue: number, size = 40): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: size }, () => [red, green, blue]).flat()]);
  const rows = Buffer.concat(Array.from({ length: size }, () => row));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A font with pictures instead of letters: it cannot be mistaken for another. */
const font = (): Buffer => {
  const root = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  return readFileSync(join(root, "lib/vite/traceViewer/codicon.DCmgc-ay.ttf"));
};

const ASSETS: Record<string, () => PlainAnswer> = {
  "/robots.txt": () => ROBOTS,
  "/style.css?v=2": () =>
    typed(
      "text/css",
      '@import "more.css"; @font-face { font-family: icons; src: url(icons.ttf) } body { background: url("bg.png") }',
    ),
  "/more.css": () =>
    typed("text/css", "h1 { color: rgb(200, 0, 0); font: 60px icons } .moved { position: absolute; left: 300px }"),
  "/icons.ttf": () => typed("font/ttf", font()),
  "/bg.png": () => typed("image/png", png(220, 240, 220)),
  "/old.png": () => ({ status: 301, headers: { location: "/new.png" } }),
  "/new.png": () => typed("image/png", png(0, 0, 200)),
  "/large.png": () => typed("image/png", png(200, 0, 200, 80)),
  "/small.png": () => typed("image/png", png(0, 0, 200)),
  "/secret.png": () => typed("image/png", png(9, 9, 9)),
  "/missing.png": () => typed("text/html", "<h1>Not here</h1>"),
  "/app.js": () => typed("text/javascript", "document.querySelector('#box').className = 'moved'"),
};

const pageHtml = (assets: string, title: string): string => `<!doctype html><html><head><title>${title}</title>
<link rel="stylesheet" href="http://${assets}/style.css?v=2"><style>#box { background: url(/own.png); width: 90px; height: 90px }</style>
</head><body><h1>&#xea60;&#xea61;</h1><p>${title}</p><div id="box">box</div>
<img src="http://${assets}/old.png" width=40 height=40>
<img srcset="http://${assets}/small.png 40w, http://${assets}/large.png 80w" sizes="80px">
${title === "page /two" ? `<img src="http://${assets}/secret.png"><img src="http://${assets}/missing.png">` : ""}
<a href="/two">two</a><script src="http://${assets}/app.js"></script></body></html>`;

interface Site {
  pages: PlainHost;
  assets: PlainHost;
  workspace: Workspace;
}

/** Two pages on one host, and most of what they need on another. */
async function startSite(t: TestContext, requisites: object = {}): Promise<Site> {
  const assets = await plainHost(t, (path) => ASSETS[path]?.() ?? null);
  const pages = await plainHost(t, (path) => {
    if (path === "/robots.txt") return ROBOTS;
    if (path === "/own.png") return typed("image/png", png(250, 200, 0));
    return path === "/" || path === "/two" ? pageHtml(assets.host, `page ${path}`) : null;
  });
  return { pages, assets, workspace: siteWorkspace(t, [pages.host, assets.host], requisites) };
}

function siteWorkspace(t: TestContext, [own, ...others]: string[], requisites: object): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "trawl-requisites-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const config = {
    user_agent: AGENT,
    profile: "generic",
    scope: { allowed_hosts: [own], private_hosts: [own, ...others] },
    limits: { req_per_sec: 10_000, global_concurrency: 4, per_host_concurrency: 4, backoff_base_ms: 1 },
    storage: { min_free_mb: 0 },
    requisites,
  };
  writeFileSync(join(folder, "archive.yaml"), stringify(config));
  writeFileSync(join(folder, "seeds.txt"), `http://${own}/\n`);
  return openWorkspace(folder, Date.now());
}

async function archive({ pages, workspace }: Site, options: Partial<ArchiveCrawlOptions> = {}): Promise<ArchiveCrawl> {
  const crawl = await ArchiveCrawl.start({ workspace, seeds: [`http://${pages.host}/`], ...options });
  const { error, state } = await crawl.ended;
  if (error !== null) throw error;
  assert.equal(state, "completed");
  return crawl;
}

interface Captured {
  status: number;
  type: string;
  location: string | null;
  body: Buffer;
}

/** The captures of a package by URL, read from its index and its WARCs, as a replay tool does. */
async function capturesOf(workspace: Workspace): Promise<{ captures: Map<string, Captured>; pages: number }> {
  const output = join(workspace.root, "out.wacz");
  const options = { title: "t", description: "d", software: "test", mainPageUrl: null, now: Date.now(), output };
  const blobs = workspaceBlobs(workspace);
  const { pages } = await writeWacz({ ...options, warcFolder: workspace.paths.warc, blobs });
  const files = await readZip(output);
  const captures = new Map<string, Captured>();
  for (const line of gunzipSync(files.get("indexes/index.cdx.gz")!.bytes).toString().trim().split("\n")) {
    const entry = JSON.parse(line.slice(line.indexOf("{"))) as Record<"url" | "filename" | "offset" | "length", string>;
    const start = Number(entry.offset);
    const warc = files.get(`archive/${entry.filename}`)!.bytes;
    const record = gunzipSync(warc.subarray(start, start + Number(entry.length)));
    const http = record.subarray(record.indexOf("\r\n\r\n") + 4, -4);
    const end = http.indexOf("\r\n\r\n");
    const head = http.subarray(0, end).toString();
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, "mi").exec(head)?.[1]?.trim() ?? null;
    const status = Number(head.split(" ")[1]);
    const type = header("content-type") ?? "";
    captures.set(entry.url, { status, type, location: header("location"), body: http.subarray(end + 4) });
  }
  return { captures, pages };
}

async function screenshot(browser: Browser, url: string, captures: Map<string, Captured> | null): Promise<Buffer> {
  const tab = await browser.newPage();
  await tab.setViewport({ width: 640, height: 480 });
  if (captures !== null) {
    await tab.setRequestInterception(true);
    tab.on("request", (request) => {
      const found = captures.get(request.url());
      if (found === undefined) return void request.abort();
      const headers = {
        "content-type": found.type,
        "access-control-allow-origin": "*",
        ...(found.location && { location: found.location }),
      };
      void request.respond({ status: found.status, headers, body: found.body });
    });
  }
  await tab.goto(url, { waitUntil: "networkidle0" });
  await tab.evaluate("document.fonts.ready.then(() => 1)");
  const image = Buffer.from(await tab.screenshot());
  await tab.close();
  return image;
}

test("a package replayed without a network looks as the live page did", needsBrowser, async (t) => {
  const site = await startSite(t);
  // A font from another origin needs its leave, live and in the replay.
  const { executablePath } = findBrowser(null, process.env, isExecutable)!;
  const args = ["--no-sandbox", "--disable-web-security", "--disable-gpu", "--hide-scrollbars"];
  const browser = await puppeteer.launch({ executablePath, args, headless: "shell", protocolTimeout: 300_000 });
  t.after(() => browser.close());
  const url = `http://${site.pages.host}/`;
  const live = await screenshot(browser, url, null);
  await archive(site, { requisites: true });
  const { captures } = await capturesOf(site.workspace);
  await Promise.all([site.pages.close(), site.assets.close()]);
  const replayed = await screenshot(browser, url, captures);
  assert.ok(live.equals(replayed), "the same picture, to the pixel");
  const bare = new Map([...captures].filter(([at]) => at === url));
  assert.ok(!live.equals(await screenshot(browser, url, bare)), "which the page alone does not give");
});

test("requisites are fetched once, under their own policy, and are pages in no count", async (t) => {
  const site = await startSite(t);
  const crawl = await archive(site, { requisites: true });
  const needed = [
    "/bg.png",
    "/icons.ttf",
    "/large.png",
    "/missing.png",
    "/more.css",
    "/new.png",
    "/old.png",
    "/small.png",
  ];
  const expected = [...needed, "/app.js", "/robots.txt", "/style.css?v=2"].sort();
  assert.deepEqual(site.assets.counts(), Object.fromEntries(expected.map((path) => [path, 1])), "robots.txt is obeyed");
  assert.equal(site.pages.counts()["/own.png"], 1);
  const { workspace } = site;
  assert.deepEqual(
    metadataOf(workspace).map(({ page_type }) => page_type),
    ["page", "page"],
  );
  assert.equal(linesOf(workspace.paths.ledger.fetched).length, 2);
  const progress = crawl.progress();
  assert.deepEqual([progress.fetched, progress.discovered, progress.open, progress.failed], [2, 2, 0, 0]);
  assert.deepEqual(progress.requisites, { fetched: 11, failed: 0, open: 0, refused: 1 });
  assert.deepEqual(
    [crawl.metrics.get("fetch_ok"), crawl.metrics.get("frontier_push"), crawl.failures.count],
    [2, 2, 0],
  );
  const { captures, pages } = await capturesOf(workspace);
  assert.equal(pages, 2);
  assert.ok(!captures.has(`http://${site.assets.host}/missing.png`), "an error page is not a file that a page needs");
  assert.equal(captures.get(`http://${site.assets.host}/old.png`)?.status, 301);
  const problems: unknown[] = [];
  await verifyWarcs({
    folder: workspace.paths.warc,
    of: workspace.paths,
    onProblem: (problem) => problems.push(problem),
  });
  assert.deepEqual(problems, []);

  // It is a property of the workspace: another run does the same, and asks for nothing twice.
  await archive(site, { refresh: true });
  assert.deepEqual(site.assets.counts(), Object.fromEntries(expected.map((path) => [path, 1])));
  const { requisites } = (await archive(site)).progress();
  assert.equal(requisites?.fetched, 11);
  assert.equal((await archive(site, { requisites: false })).progress().requisites, null);
});

test("once requisites were fetched, a lost note of that choice does not end it", async (t) => {
  const site = await startSite(t);
  await archive(site, { requisites: true });
  rmSync(site.workspace.paths.requisitesChoice);
  assert.equal((await archive(site)).progress().requisites?.fetched, 11);
});

test("damage to the queue of requisites is named, refused and repaired, and no file is lost", async (t) => {
  const site = await startSite(t);
  await archive(site, { requisites: true });
  const { workspace } = site;
  const files = Object.values(workspace.paths.requisiteLedger).filter((path) => existsSync(path));
  const good = new Map(files.map((path) => [path, readFileSync(path)]));
  const { captures } = await capturesOf(workspace);
  for (const [path, bytes] of good) {
    const damages = new Map<string, Buffer | null>([["cut", bytes.subarray(0, -3)]]);
    damages.set("flipped", Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 4 : byte))));
    damages.set("removed", null);
    for (const [how, bad] of damages) {
      const where = `${basename(path)} ${how}`;
      // Nothing is waiting, so there is nothing to damage.
      if (bytes.length === 0) continue;
      if (bad === null) rmSync(path);
      else writeFileSync(path, bad);
      const found = await checkLedgers(workspace);
      assert.ok(found.length > 0 && found.every(({ file }) => file.startsWith("requisites/")), where);
      await assert.rejects(archive(site), { code: "ARCHIVE_DAMAGED" }, where);
      for (const [each, whole] of good) writeFileSync(each, whole);
    }
  }
  writeFileSync(workspace.paths.requisiteLedger.commits, "");
  await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  assert.deepEqual(await checkLedgers(workspace), []);
  await archive(site);
  const { captures: again } = await capturesOf(workspace);
  assert.deepEqual([...again.keys()].sort(), [...captures.keys()].sort());
});

test("kinds, hosts and caps limit what is fetched", async (t) => {
  const own = await startSite(t, { enabled: true, kinds: ["image"], per_host_max: 2 });
  await archive(own);
  assert.deepEqual(Object.keys(own.assets.counts()).sort(), ["/old.png", "/robots.txt", "/small.png"]);
  const other = await startSite(t, { enabled: true, allowed_hosts: ["elsewhere.example"] });
  await archive(other);
  assert.deepEqual(other.assets.requests, []);
});

test("a file that is not there is missing from the pages: it has failed, unlike a page that is gone", async (t) => {
  const pages = await plainHost(t, (path) =>
    path === "/"
      ? '<title>x</title><img src="/gone.png"><a href="/gone">gone</a>'
      : path === "/robots.txt"
        ? ROBOTS
        : null,
  );
  const workspace = siteWorkspace(t, [pages.host], { enabled: true });
  const { requisites, failed } = (await archive({ assets: pages, pages, workspace })).progress();
  assert.deepEqual([failed, requisites!.failed, requisites!.fetched], [0, 1, 0]);
});

test("without a setting, a private address is refused for requisites too", async (t) => {
  const { assets, pages } = await startSite(t);
  const workspace = siteWorkspace(t, [pages.host], { enabled: true, max_rest_sec: 1 });
  const { requisites } = (await archive({ assets, pages, workspace })).progress();
  assert.deepEqual(assets.requests, []);
  assert.ok(requisites!.open > 0, "they stay open, and nothing says that they were fetched");
});

const SCRIPT = fileURLToPath(new URL("run-plain.ts", import.meta.url));

test("killed five times while requisites are fetched: all are kept, and no page is fetched again", async (t) => {
  const names = Array.from({ length: 60 }, (_, index) => `/image-${index}.png`);
  const assets = await plainHost(t, (path) =>
    names.includes(path) ? typed("image/png", png(names.indexOf(path), 0, 0, 4)) : ROBOTS,
  );
  const html = `<title>x</title>${names.map((name) => `<img src="http://${assets.host}${name}">`).join("")}`;
  const pages = await plainHost(t, (path) => (path === "/robots.txt" ? ROBOTS : html));
  const workspace = siteWorkspace(t, [pages.host, assets.host], { enabled: true });
  for (let kill = 1; ; kill++) {
    const child = spawn(process.execPath, [SCRIPT, workspace.root], { stdio: ["ignore", "ignore", "pipe"] });
    if (kill > 5) {
      const { code, said } = await childEnd(child);
      assert.equal(code, 0, said);
      break;
    }
    await Promise.race([assets.until(kill * 9), once(child, "exit")]);
    child.kill("SIGKILL");
    await childEnd(child);
  }
  assert.deepEqual(pages.counts(), { "/": 1, "/robots.txt": 1 }, "the page once");
  const { captures } = await capturesOf(workspace);
  assert.deepEqual(
    names.filter((name) => !captures.has(`http://${assets.host}${name}`)),
    [],
  );
  const fetched = linesOf(workspace.paths.requisiteLedger.fetched);
  assert.deepEqual([fetched.length, new Set(fetched).size], [60, 60]);
  // After a kill only what was in flight, or not yet committed, is asked for again.
  const asked = assets.requests.filter((path) => path !== "/robots.txt").length;
  assert.ok(asked < 60 + 5 * 60, `${asked} requests`);
});
