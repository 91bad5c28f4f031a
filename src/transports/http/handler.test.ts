import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { fakeApp, fakeServer, jsonBody } from "./testing/fake-app.ts";

const TOKEN = "0123456789abcdef";
const noCrawl = () => {
  throw new TrawlError("CRAWL_NOT_FOUND", "There is no crawl 9.");
};

test("an operation is run with what path, query and body give", async () => {
  const calls: unknown[] = [];
  const note = (answer: unknown) => (input: unknown) => {
    calls.push(input);
    return answer;
  };
  const { json } = fakeServer(
    fakeApp({
      crawlData: { urls: note({ total: 0, rows: [], next: null }), sql: note({}) },
      activeCrawls: { list: () => [], stopProject: note({ stopped: [] }) },
    }),
  );
  await json("/api/v1/crawls/3/urls?fields=url,status&filter=title~a,b&filter=status%3E%3D400&limit=5&search=");
  await json("/api/v1/stop-crawl/4", { method: "POST" });
  await json("/api/v1/crawls/5/sql", jsonBody("POST", { sql: "SELECT 1" }));
  assert.deepEqual(calls, [
    {
      id: 3,
      fields: ["url", "status"],
      filter: ["title~a,b", "status>=400"],
      search: null,
      sort: null,
      limit: 5,
      cursor: null,
      offset: null,
    },
    4,
    { id: 5, sql: "SELECT 1", limit: 200, timeoutMs: 5_000 },
  ]);
});

test("a URL travels in the path, percent-encoded, whatever it holds", async () => {
  let asked = "";
  const pageLinks = ({ url }: { url: string }) => {
    asked = url;
    return {};
  };
  const { ask } = fakeServer(fakeApp({ crawlData: { pageLinks } }));
  const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((url) => url !== "." && url !== "..");
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, fc.webUrl({ withQueryParameters: true, withFragments: true })), async (url) => {
      const response = await ask(`/api/v1/crawls/1/pages/${encodeURIComponent(url)}/links`);
      assert.equal(response.status, 200);
      assert.equal(asked, url);
    }),
  );
});

test("every wrong value is named", async () => {
  const { json } = fakeServer(fakeApp());
  const names = async (path: string, init?: RequestInit): Promise<string[]> => {
    const { status, body } = await json(path, init);
    assert.equal(status, 422);
    assert.equal(body["code"], "BAD_INPUT");
    return (body["errors"] as { path: string }[]).map((error) => error.path);
  };
  assert.deepEqual(await names("/api/v1/crawls/abc/urls?limit=0&offset=-1"), ["id", "limit", "offset"]);
  assert.deepEqual(await names("/api/v1/crawls/1/urls?limt=5"), [""]);
  assert.deepEqual(await names("/api/v1/crawls/1/urls?limit=1&limit=2"), ["limit"]);
  assert.deepEqual(await names("/api/v1/crawls/1/urls?id=2"), ["id"]);
  assert.deepEqual(await names("/api/v1/crawls/1/url"), ["url"]);
  assert.deepEqual(await names("/api/v1/crawl", jsonBody("POST", { settings: { maxUrls: "many", colour: 1 } })), [
    "settings.maxUrls",
    "settings",
  ]);
  assert.deepEqual(await names("/api/v1/crawl", jsonBody("POST", [1])), [""]);
});

test("errors are problem JSON with our code and a fitting status", async () => {
  const { ask, errors } = fakeServer(
    fakeApp({
      crawlData: {
        overview: noCrawl,
        remove: () => {
          throw new TrawlError("CRAWL_BUSY");
        },
        graph: () => {
          throw new Error("inside");
        },
      },
    }),
  );
  const large = JSON.stringify({ url: "x".repeat(11 * 1024 * 1024) });
  const cases: [number, string, string, RequestInit?][] = [
    [404, "CRAWL_NOT_FOUND", "/api/v1/crawls/9/overview"],
    [409, "CRAWL_BUSY", "/api/v1/crawls/9", { method: "DELETE" }],
    [500, "INTERNAL", "/api/v1/crawls/9/graph"],
    [404, "PATH_NOT_FOUND", "/api/v1/nothing"],
    [404, "PATH_NOT_FOUND", "/api/v2/health"],
    [404, "PATH_NOT_FOUND", "/assets/missing.js"],
    [405, "METHOD_NOT_ALLOWED", "/api/v1/health", { method: "POST" }],
    [405, "METHOD_NOT_ALLOWED", "/", { method: "POST" }],
    [
      413,
      "BODY_TOO_LARGE",
      "/api/v1/crawl",
      { method: "POST", body: large, headers: { "content-type": "application/json" } },
    ],
    [
      415,
      "BODY_NOT_JSON",
      "/api/v1/crawl",
      { method: "POST", body: "url=a", headers: { "content-type": "text/plain" } },
    ],
    [422, "BAD_INPUT", "/api/v1/crawl", { method: "POST", body: "{", headers: { "content-type": "application/json" } }],
    [403, "HOST_NOT_ALLOWED", "/api/v1/health", { headers: { host: "evil.example" } }],
    [403, "ORIGIN_NOT_ALLOWED", "/api/v1/crawl", { method: "POST", headers: { origin: "https://evil.example" } }],
  ];
  for (const [status, code, path, init] of cases) {
    const response = await ask(path, init);
    const body = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, body["status"], body["code"]], [status, status, code], path);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.ok(response.headers.get("content-security-policy")?.includes("default-src 'self'"), path);
  }
  assert.equal((errors[0] as Error).message, "inside");
  assert.equal(errors.length, 1);
  assert.equal((await ask("/api/v1/crawls/9", { method: "PUT" })).headers.get("allow"), "GET, DELETE, HEAD");
});

test("with a token nothing is told without it, and a browser gets a cookie for a code", async () => {
  const { ask, tokens } = fakeServer(fakeApp(), { token: TOKEN });
  for (const path of ["/api/v1/health", "/openapi.json", "/docs", "/metrics", "/mcp", "/api/v1/events"]) {
    const refused = await ask(path);
    assert.equal(refused.status, 401, path);
    assert.match(refused.headers.get("www-authenticate")!, /^Bearer/);
  }
  const page = await ask("/", { headers: { accept: "text/html" } });
  assert.equal(page.status, 401);
  assert.match(await page.text(), /trawl open/);
  assert.equal((await ask("/api/v1/health", { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200);

  const code = tokens!.issueCode();
  const signedIn = await ask(`//crawls/1?tab=2&token=${code}`);
  assert.equal(signedIn.status, 200);
  const cookie = signedIn.headers.get("set-cookie")!;
  assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.ok(!cookie.includes(TOKEN));
  assert.match(await signedIn.text(), /content="0;url=\/crawls\/1\?tab=2"/);
  assert.equal((await ask("/api/v1/health", { headers: { cookie: cookie.split(";")[0]! } })).status, 200);
  assert.equal((await ask(`/?token=${code}`, { headers: { accept: "text/html" } })).status, 401);
  const issued = await ask("/sign-in", { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } });
  const { token } = (await issued.json()) as { token: string };
  assert.equal((await ask(`/?token=${token}`)).status, 200);
});

test("a browser signs in by typing the token, and out again", async () => {
  const { ask } = fakeServer(fakeApp(), { token: TOKEN });
  const page = await ask("/crawls/1/explorer?filter=a", { headers: { accept: "text/html" } });
  assert.match(await page.text(), /action="\/session\?to=%2Fcrawls%2F1%2Fexplorer%3Ffilter%3Da".*name="token"/s);
  const type = (token: string, to: string) =>
    ask(`/session?to=${encodeURIComponent(to)}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: new URLSearchParams({ token }).toString(),
    });
  const wrong = await type("not the token", "/");
  assert.equal(wrong.status, 401);
  assert.match(await wrong.text(), /role="alert"/);
  for (const elsewhere of ["https://evil.example/", "//evil.example/", "/\\evil.example"]) {
    assert.match(await (await type(TOKEN, elsewhere)).text(), /content="0;url=\/(evil\.example)?\/?"/, elsewhere);
  }
  const signedIn = await type(TOKEN, "/crawls/1/explorer?filter=a");
  assert.equal(signedIn.status, 200);
  assert.match(await signedIn.text(), /content="0;url=\/crawls\/1\/explorer\?filter=a"/);
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  assert.deepEqual(await (await ask("/session", { headers: { cookie } })).json(), { canSignOut: true });
  assert.equal((await ask("/session", { method: "DELETE", headers: { cookie } })).status, 200);
  assert.equal((await ask("/api/v1/health", { headers: { cookie } })).status, 401);
  const open = fakeServer(fakeApp());
  assert.deepEqual(await (await open.ask("/session")).json(), { canSignOut: false });
});

test("other websites may read only when they were named", async () => {
  const origin = "https://mine.example";
  const closed = await fakeServer(fakeApp()).ask("/api/v1/health", { headers: { origin } });
  assert.equal(closed.status, 403);
  assert.equal(closed.headers.get("access-control-allow-origin"), null);
  const { ask } = fakeServer(fakeApp(), { allowedOrigins: [origin], token: TOKEN });
  const headers = { origin, authorization: `Bearer ${TOKEN}` };
  assert.equal((await ask("/api/v1/health", { headers })).headers.get("access-control-allow-origin"), origin);
  const preflight = await ask("/api/v1/crawl", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-headers")!, /Authorization/);
});

test("icons are pictures and nothing else", async () => {
  const icons = [
    { bytes: Buffer.from("<svg/>"), type: "image/svg+xml" },
    { bytes: Buffer.from("<script>"), type: "text/html" },
    null,
  ];
  const { ask } = fakeServer(fakeApp({ favicons: { get: (id: number) => icons[id - 1] } }));
  const svg = await ask("/api/v1/projects/1/favicon");
  assert.equal(svg.headers.get("content-type"), "image/svg+xml");
  assert.match(svg.headers.get("content-security-policy")!, /default-src 'none'.*sandbox/);
  assert.equal((await ask("/api/v1/projects/2/favicon")).status, 404);
  assert.equal((await ask("/api/v1/projects/3/favicon")).status, 404);
});

test("the MCP handler gets its requests, behind the same guard", async () => {
  const { ask } = fakeServer(fakeApp(), {
    mcp: async (request) => new Response(await request.text(), { status: 202 }),
  });
  const answer = await ask("/mcp", jsonBody("POST", { id: 1 }));
  assert.deepEqual([answer.status, await answer.text()], [202, '{"id":1}']);
  assert.equal((await ask("/mcp", { method: "POST", headers: { origin: "https://evil.example" } })).status, 403);
});

test("without the web app a page says what there is, and HEAD and screens work alike", async () => {
  const { ask } = fakeServer(fakeApp());
  for (const path of ["/", "/crawls/1/explorer"]) {
    const response = await ask(path);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /without its web app/);
  }
  assert.equal(await (await ask("/api/v1/health", { method: "HEAD" })).text(), "");
});

test("the web app's files are open to all, its screens ask for the token, and a missing script is no page", async (t) => {
  const uiFolder = mkdtempSync(join(tmpdir(), "trawl-ui-"));
  t.after(() => rmSync(uiFolder, { recursive: true, force: true }));
  mkdirSync(join(uiFolder, "assets"));
  writeFileSync(join(uiFolder, "index.html"), "<title>Trawl</title>");
  writeFileSync(join(uiFolder, "assets", "main-1a2b.js"), "1");
  const { ask, tokens } = fakeServer(fakeApp(), { uiFolder, token: TOKEN });
  const cookie = `trawl-8080=${tokens!.openSession()}`;
  const status = async (path: string, headers: Record<string, string> = {}) => (await ask(path, { headers })).status;
  assert.equal(await status("/assets/main-1a2b.js"), 200);
  assert.equal(await status("/assets/main-3c4d.js", { cookie }), 404);
  for (const path of ["/", "/index.html", "/crawls/1/explorer?inspect=https://a.test/x.html"]) {
    assert.equal(await status(path), 401, path);
    const page = await ask(path, { headers: { cookie } });
    assert.deepEqual([page.status, await page.text()], [200, "<title>Trawl</title>"]);
  }
});

test("requests are measured by the pattern of their path", async () => {
  const { ask } = fakeServer(fakeApp({ crawlData: { overview: noCrawl } }));
  await ask("/api/v1/crawls/77/overview");
  const text = await (await ask("/metrics")).text();
  assert.match(text, /_count\{method="GET",route="\/api\/v1\/crawls\/\{id\}\/overview",status="4xx"\} 1/);
  assert.doesNotMatch(text, /crawls\/77/);
});

test("events are streamed to whoever listens", async () => {
  const app = fakeApp();
  const { ask } = fakeServer(app);
  const response = await ask("/api/v1/events");
  assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  app.events.emit({ type: "crawl:started", crawlId: 3, projectId: 2 });
  assert.match((await reader.read()).value!, /^id: run-1\nevent: crawl:started\ndata: \{"crawlId":3,"projectId":2\}/);
  await reader.cancel();
});
