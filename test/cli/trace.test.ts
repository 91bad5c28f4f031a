/** `--trace`: the file has exactly the requests that the server got, without secrets, and can be read however the crawl ends. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { linking, redirect, type TableSite, tableSite, text } from "../site/table-site.ts";
import { finished, jsonLines, Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

const SECRETS = [
  "--auth",
  "user:pass-word",
  "--header",
  "X-Api-Key: key-of-test",
  "--header",
  "Cookie: typed=session-one",
];
const SECRET_TEXTS = ["pass-word", btoa("user:pass-word"), "key-of-test", "session-one", "session-two"];

interface Entry {
  startedAt: string;
  method: string;
  url: string;
  requestHeaders: [string, string][];
  status: number | null;
  responseHeaders: [string, string][];
  wireBytes: number;
  decodedBytes: number | null;
  isSent: boolean;
  timings: Record<string, number>;
  error: { code: string; message: string } | null;
}

/** Auth, a cookie, a redirect, a 503 that is retried, robots.txt, a sitemap, an image, and an answer that breaks off. */
async function richSite(t: TestContext): Promise<TableSite> {
  let refused = false;
  const page = `${linking("/moved", "/busy", "/broken", "/missing")}<img src="/picture.png">`;
  const site: TableSite = await tableSite(t, {
    "/robots.txt": (_request, response) => response.end(`Sitemap: ${site.origin}/map.xml\n`),
    "/map.xml": (_request, response) => {
      response.setHeader("content-type", "application/xml");
      response.end(`<urlset><url><loc>${site.origin}/mapped?a=1&amp;b=2</loc></url></urlset>`);
    },
    "/": { headers: { "set-cookie": "own=session-two" }, body: page, type: "text/html" },
    "/moved": redirect("/landed"),
    "/landed": "<p>x",
    "/mapped?a=1&b=2": "<p>x",
    "/picture.png": { type: "image/png", body: "png" },
    "/busy": (_request, response) => {
      response.writeHead(refused ? 200 : 503, { "content-type": "text/html", "retry-after": "0" });
      refused = true;
      response.end("<p>x");
    },
    "/broken": (request) => request.socket.destroy(),
  });
  return site;
}

const traceFile = (name: string): string => join(trawl.folder, name);
const readText = (name: string): string => readFileSync(traceFile(name), "utf8");
const serverLog = ({ requests, origin }: TableSite): string[] =>
  requests.map(({ method, path }) => `${method} ${origin}${path}`).sort();

test("JSON lines: the requests that the server got, with headers as sent, answers and errors, without secrets", async (t) => {
  const site = await richSite(t);
  const { code } = await trawl.run(
    "crawl",
    site.url,
    ...SECRETS,
    "--check-head",
    "--retries",
    "1",
    "--trace",
    "a.jsonl",
  );
  assert.equal(code, 0);
  const entries = jsonLines(readText("a.jsonl")) as unknown as Entry[];
  assert.deepEqual(entries.map(({ method, url }) => `${method} ${url}`).sort(), serverLog(site));
  for (const path of ["/robots.txt", "/map.xml", "/moved", "/landed", "/mapped?a=1&b=2", "/picture.png"]) {
    assert.ok(
      entries.some(({ url }) => url === site.origin + path),
      path,
    );
  }
  const of = (path: string) => entries.filter(({ url }) => url === site.origin + path);
  assert.ok(of("/picture.png").some(({ method }) => method === "HEAD"));
  assert.deepEqual([...new Set(of("/busy").map(({ status }) => status))].sort(), [200, 503]);
  assert.ok(of("/broken").every(({ status, error, isSent }) => status === null && error?.code === "reset" && isSent));
  const landed = of("/landed").at(-1)!;
  assert.deepEqual([landed.wireBytes, landed.decodedBytes, landed.error], [4, 4, null]);
  assert.ok(Math.abs(Date.parse(landed.startedAt) - Date.now()) < 600_000);
  assert.deepEqual(Object.keys(landed.timings), ["dns", "connect", "tls", "firstByte", "download", "total"]);
  for (const secret of SECRET_TEXTS) assert.ok(!readText("a.jsonl").includes(secret), secret);
});

test("request headers are those on the wire, in name and in every value that is not secret", async (t) => {
  const site = await richSite(t);
  await trawl.run("crawl", site.url, ...SECRETS, "--check-head", "--retries", "0", "--trace", "h.jsonl");
  const entries = jsonLines(readText("h.jsonl")) as unknown as Entry[];
  const hidden = new Set(["authorization", "cookie", "x-api-key"]);
  const shown = (method: string, path: string, headers: Record<string, unknown>) =>
    JSON.stringify([
      method,
      path,
      Object.entries(headers)
        .map(([k, v]) => [k, hidden.has(k) ? "…" : v])
        .sort(),
    ]);
  assert.deepEqual(
    entries
      .map(({ method, url, requestHeaders }) =>
        shown(method, url.slice(site.origin.length), Object.fromEntries(requestHeaders)),
      )
      .sort(),
    site.requests.map(({ method, path, headers }) => shown(method, path, headers)).sort(),
  );
  const start = entries.find(({ url }) => url === site.url)!;
  assert.deepEqual(
    start.responseHeaders.find(([name]) => name === "set-cookie"),
    ["set-cookie", "…"],
  );
});

test("HAR: valid, with every required field, and times that add up", async (t) => {
  const site = await richSite(t);
  await trawl.run("crawl", site.url, ...SECRETS, "--retries", "1", "--trace", "a.har");
  const { log } = JSON.parse(readText("a.har"));
  assert.equal(log.version, "1.2");
  assert.deepEqual(Object.keys(log.creator), ["name", "version"]);
  const lines = log.entries.map(({ request }: { request: Entry }) => `${request.method} ${request.url}`);
  assert.deepEqual(lines.sort(), serverLog(site));
  for (const entry of log.entries) {
    const { request, response, timings } = entry;
    assert.equal(new Date(entry.startedDateTime).toISOString(), entry.startedDateTime);
    for (const name of "method url httpVersion cookies headers queryString headersSize bodySize".split(" ")) {
      assert.ok(name in request, name);
    }
    for (const name of "status statusText httpVersion cookies headers content redirectURL headersSize bodySize".split(
      " ",
    )) {
      assert.ok(name in response, name);
    }
    assert.equal(typeof response.content.size, "number");
    assert.equal(typeof response.content.mimeType, "string");
    assert.deepEqual(entry.cache, {});
    const phases = ["blocked", "dns", "connect", "send", "wait", "receive"].map((name) => Math.max(0, timings[name]));
    assert.ok(Math.abs(phases.reduce((sum, ms) => sum + ms, 0) - entry.time) < 0.01, JSON.stringify(entry));
  }
  const mapped = log.entries.find(({ request }: { request: Entry }) => request.url.endsWith("/mapped?a=1&b=2"));
  assert.deepEqual(mapped.request.queryString, [
    { name: "a", value: "1" },
    { name: "b", value: "2" },
  ]);
  const moved = log.entries.find(({ request }: { request: Entry }) => request.url.endsWith("/moved"));
  assert.deepEqual([moved.response.status, moved.response.redirectURL], [301, "/landed"]);
  const broken = log.entries.find(({ request }: { request: Entry }) => request.url.endsWith("/broken"));
  assert.deepEqual([broken.response.status, broken.response._error], [0, "reset"]);
  for (const secret of SECRET_TEXTS) assert.ok(!readText("a.har").includes(secret), secret);
});

/** Crawls a page that links to one that never answers; sends the signals while that is being requested. */
async function interruptedCrawl(t: TestContext, file: string, signals: NodeJS.Signals[]): Promise<string[]> {
  const asked = Promise.withResolvers<void>();
  const site = await tableSite(t, { "/": linking("/endless"), "/endless": () => asked.resolve() });
  const child = trawl.start("crawl", site.url, "--discovery", "spider", "--trace", file);
  const ended = finished(child);
  await asked.promise;
  for (const [index, signal] of signals.entries()) {
    if (index > 0) await once(child.stderr, "data");
    child.kill(signal);
  }
  await ended;
  return serverLog(site);
}

const urlsOfHar = (file: string): string[] =>
  JSON.parse(readText(file)).log.entries.map(({ request }: { request: Entry }) => `${request.method} ${request.url}`);

test("Ctrl-C leaves whole files, with the request that was given up", async (t) => {
  const sent = await interruptedCrawl(t, "c.jsonl", ["SIGINT", "SIGTERM"]);
  const entries = jsonLines(readText("c.jsonl")) as unknown as Entry[];
  assert.deepEqual(entries.map(({ method, url }) => `${method} ${url}`).sort(), sent);
  assert.equal(entries.find(({ url }) => url.endsWith("/endless"))!.error?.code, "aborted");
  const alsoSent = await interruptedCrawl(t, "c.har", ["SIGINT", "SIGTERM"]);
  assert.deepEqual(urlsOfHar("c.har").sort(), alsoSent);
});

test("a killed process leaves whole files, with the requests that had ended", async (t) => {
  for (const file of ["k.jsonl", "k.har"]) {
    const sent = await interruptedCrawl(t, file, ["SIGKILL"]);
    const urls = file.endsWith(".har")
      ? urlsOfHar(file)
      : jsonLines(readText(file)).map(({ method, url }) => `${method} ${url}`);
    assert.deepEqual(
      urls.sort(),
      sent.filter((line) => !line.endsWith("/endless")),
    );
  }
});

test("a file that cannot be written is an error before the crawl, and before anything is stored", async (t) => {
  const site = await tableSite(t, { "/": "<p>x" });
  const before = (await trawl.json("crawls")).lines;
  for (const file of ["no/such/folder.jsonl", ".", "no/such/folder.har"]) {
    const { code, stderr } = await trawl.run("crawl", site.url, "--trace", file);
    assert.equal(code, 2);
    assert.ok(stderr.includes(`${file} cannot be written: `), stderr);
  }
  assert.deepEqual(site.requests, []);
  assert.deepEqual((await trawl.json("crawls")).lines, before);
});

test("a disk that fills up is reported once, and the crawl goes on", { skip: !existsSync("/dev/full") }, async (t) => {
  const site = await tableSite(t, { "/": linking("/a"), "/a": "<p>x" });
  const { code, stderr } = await trawl.run("crawl", site.url, "--trace", "/dev/full");
  assert.equal(code, 0);
  assert.equal(stderr.match(/^warning: the request trace \/dev\/full ends here/gm)?.length, 1, stderr);
});

test("list and resume write one too", async (t) => {
  const site = await tableSite(t, { "/a": "<p>x", "/b": text("x") });
  writeFileSync(join(trawl.folder, "list.txt"), `${site.origin}/a\n${site.origin}/b\n`);
  await trawl.run("list", "list.txt", "--trace", "l.jsonl");
  const urls = () => jsonLines(readText("l.jsonl")).map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(urls().sort(), serverLog(site));
  assert.ok(urls().includes(`GET ${site.origin}/b`));
  const other = await tableSite(t, {
    "/": linking("/endless"),
    "/endless": (_request, response) => (child.killed ? response.end("x") : child.kill("SIGKILL")),
  });
  const child = trawl.start("crawl", other.url);
  await finished(child);
  other.requests.length = 0;
  await trawl.run("resume", "last", "--trace", "r.har");
  assert.deepEqual(urlsOfHar("r.har").sort(), serverLog(other));
  assert.ok(urlsOfHar("r.har").includes(`GET ${other.origin}/endless`));
});
