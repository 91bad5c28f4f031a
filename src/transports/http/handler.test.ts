import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { Configs } from "../../app/config/configs.ts";
import { COMMAND_READING, Reading } from "../../app/reading/reading.ts";
import { TrawlError } from "../../errors.ts";
import { systemClock } from "../../kernel/clock.ts";
import { API_ROOT, ROUTES } from "./routes.ts";
import { fakeApp, fakeServer, jsonBody, TOKEN } from "./testing/fake-app.ts";

const PROBLEM_KEYS = ["code", "detail", "hint", "status", "title", "type"];
/** Settings of which none are saved. */
const NO_SAVED = {
  db: () => ({ prepare: () => ({ get: () => undefined }) }) as never,
  clock: systemClock,
  reading: new Reading(COMMAND_READING),
};
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
    return (body["problems"] as { path: string }[]).map((error) => error.path);
  };
  assert.deepEqual(await names("/api/v1/crawls/abc/urls?limit=0&offset=-1"), ["id", "limit", "offset"]);
  assert.deepEqual(await names("/api/v1/crawls/1/urls?limt=5"), ["limt"]);
  assert.deepEqual(await names("/api/v1/crawls/1/urls?limit=1&limit=2"), ["limit"]);
  assert.deepEqual(await names("/api/v1/crawls/1/urls?id=2"), ["id"]);
  assert.deepEqual(await names("/api/v1/crawls/1/url"), ["url"]);
  assert.deepEqual(await names("/api/v1/crawl", jsonBody("POST", { settings: { maxUrls: "many", colour: 1 } })), [
    "settings.maxUrls",
    "settings.colour",
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

test("nothing is told without the token, and a browser gets a cookie for a code", async () => {
  const { ask, tokens } = fakeServer(fakeApp(), { isAnonymous: true, mcp: async () => new Response("inside") });
  const others = ["/openapi.json", "/docs", "/docs.js", "/metrics", "/session", "/index.html", "/", "/api/v1/nothing"];
  const all: [string, string][] = [
    ...ROUTES.filter(({ path }) => path !== "/health").map(({ method, path }): [string, string] => [
      method.toUpperCase(),
      API_ROOT + path.replace(/\{\w+\}/g, "1"),
    ]),
    ...["/crawls/1/export", "/projects/1/favicon", "/events"].map((path): [string, string] => ["GET", API_ROOT + path]),
    ...others.map((path): [string, string] => ["GET", path]),
    ...["GET", "POST", "DELETE"].map((method): [string, string] => [method, "/mcp"]),
    ["POST", "/sign-in"],
    ["DELETE", "/session"],
  ];
  assert.ok(all.length > 60);
  for (const [method, path] of all) {
    const refused = await ask(path, { method });
    assert.equal(refused.status, 401, `${method} ${path}`);
    assert.match(refused.headers.get("www-authenticate")!, /^Bearer/);
    assert.deepEqual(Object.keys((await refused.json()) as object).toSorted(), PROBLEM_KEYS, path);
  }
  const page = await ask("/", { headers: { accept: "text/html" } });
  assert.equal(page.status, 401);
  assert.match(await page.text(), /trawl open/);
  assert.equal((await ask("/api/v1/version", { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200);

  const code = tokens.issueCode(null);
  const signedIn = await ask(`//crawls/1?tab=2&token=${code}`);
  assert.equal(signedIn.status, 200);
  const cookie = signedIn.headers.get("set-cookie")!;
  assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.ok(!cookie.includes(TOKEN));
  assert.match(await signedIn.text(), /content="0;url=\/crawls\/1\?tab=2"/);
  const headers = { cookie: cookie.split(";")[0]! };
  assert.equal((await ask("/api/v1/version", { headers })).status, 200);
  assert.equal((await ask(`/?token=${code}`, { headers: { accept: "text/html" } })).status, 401);
  const again = await ask(`//crawls/1?tab=2&token=${code}`, { headers });
  assert.deepEqual([again.status, again.headers.get("location")], [302, "/crawls/1?tab=2"], "gone from the address");
  const issued = await ask("/sign-in", { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } });
  const { token } = (await issued.json()) as { token: string };
  assert.equal((await ask(`/?token=${token}`)).status, 200);
});

test("a browser signs in by typing the token, and out again", async () => {
  const { ask } = fakeServer(fakeApp(), { isAnonymous: true });
  const page = await ask("/crawls/1/explorer?filter=a", { headers: { accept: "text/html" } });
  assert.match(await page.text(), /action="\/session\?to=%2Fcrawls%2F1%2Fexplorer%3Ffilter%3Da".*name="token"/s);
  assert.equal(
    page.headers.get("referrer-policy"),
    "same-origin",
    "otherwise browsers send the form without its origin",
  );
  const type = (token: string, to: string) =>
    ask(`/session?to=${encodeURIComponent(to)}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: new URLSearchParams({ token }).toString(),
    });
  const wrong = await type("not the token", "/");
  assert.equal(wrong.status, 401);
  assert.match(await wrong.text(), /role="alert"/);
  for (const elsewhere of ["https://evil.example/", "//evil.example/", "/\\evil.example", "/\t/evil.example"]) {
    assert.match(await (await type(TOKEN, elsewhere)).text(), /content="0;url=\/(evil\.example)?\/?"/, elsewhere);
  }
  const signedIn = await type(TOKEN, "/crawls/1/explorer?filter=a");
  assert.equal(signedIn.status, 200);
  assert.match(await signedIn.text(), /content="0;url=\/crawls\/1\/explorer\?filter=a"/);
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  assert.deepEqual(await (await ask("/session", { headers: { cookie } })).json(), { canSignOut: true });
  assert.equal((await ask("/session", { method: "DELETE", headers: { cookie } })).status, 200);
  assert.equal((await ask("/api/v1/version", { headers: { cookie } })).status, 401);
});

test("the form that signs in is measured before it is read: anyone may send it", async () => {
  const { ask } = fakeServer(fakeApp(), { isAnonymous: true });
  const chunk = new TextEncoder().encode("a".repeat(1_024));
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (++chunks > 2_000 ? controller.close() : controller.enqueue(chunk)),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await ask("/session", { method: "POST", headers, body, duplex: "half" } as RequestInit);
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [413, "BODY_TOO_LARGE"]);
  assert.ok(chunks < 20, `${chunks} KB were read`);
});

test("wrong tokens are answered later and later, each after the one before; right ones and none at once", async () => {
  const { ask, clock } = fakeServer(fakeApp(), { isAnonymous: true });
  const times: number[] = [];
  const guess = async (init: RequestInit, path = "/api/v1/version") => {
    assert.equal((await ask(path, init)).status, 401);
    times.push(clock.now());
  };
  const began = clock.now();
  const wrong = { headers: { authorization: "Bearer 0123456789abcdeX" } };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const guesses = [
    guess(wrong),
    guess({ headers: { cookie: "trawl-8080=a.b" } }),
    guess({}, "/?token=wrong"),
    guess({ method: "POST", headers: form, body: "token=wrong" }, "/session"),
    guess(wrong),
    guess(wrong),
  ];
  for (let count = 0; count < 20; count++) await clock.advance(250);
  await Promise.all(guesses);
  assert.deepEqual(
    times.map((at) => at - began),
    [0, 0, 0, 250, 750, 1_750],
  );
  const late = guess(wrong);
  assert.equal((await ask("/api/v1/version", { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200);
  assert.equal((await ask("/api/v1/version")).status, 401);
  assert.equal(times.length, 6, "the wrong one still waits");
  await clock.advance(30_000);
  await late;
  assert.equal(clock.timers, 0);
});

test("other websites may read only when they were named", async () => {
  const origin = "https://mine.example";
  const closed = await fakeServer(fakeApp()).ask("/api/v1/health", { headers: { origin } });
  assert.equal(closed.status, 403);
  assert.equal(closed.headers.get("access-control-allow-origin"), null);
  const { ask } = fakeServer(fakeApp(), { allowedOrigins: [origin] });
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

test("the web app's files are open to all, its screens ask for the token, and a missing script is not answered with a page", async (t) => {
  const uiFolder = mkdtempSync(join(tmpdir(), "trawl-ui-"));
  t.after(() => rmSync(uiFolder, { recursive: true, force: true }));
  mkdirSync(join(uiFolder, "assets"));
  writeFileSync(join(uiFolder, "index.html"), "<title>Trawl</title>");
  writeFileSync(join(uiFolder, "assets", "main-1a2b.js"), "1");
  const { ask, tokens } = fakeServer(fakeApp(), { uiFolder, isAnonymous: true });
  const cookie = `trawl-8080=${tokens.openSession()}`;
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

/** What froze the server for seconds or minutes, and what a 20 MB answer was sent to. */
const HOSTILE: [name: string, path: string, init: RequestInit | undefined, status: number][] = [
  [
    "parameters",
    `/api/v1/crawls/1/urls?${Array.from({ length: 30_000 }, (_, at) => `p${at}=`).join("&")}`,
    undefined,
    422,
  ],
  ["the same parameter", `/api/v1/crawls/1/urls?${"filter=a&".repeat(200)}`, undefined, 422],
  ["parameters of an export", `/api/v1/crawls/1/export?${"filter=a&".repeat(30_000)}`, undefined, 422],
  ["keys", "/api/v1/settings/validate", jsonBody("POST", { settings: unknownKeys(16_000) }), 422],
  ["fewer keys", "/api/v1/settings/validate", jsonBody("POST", { settings: unknownKeys(1_900) }), 200],
  ["settings of a crawl", "/api/v1/crawl", jsonBody("POST", { settings: unknownKeys(1_900) }), 422],
  ["keys of the request", "/api/v1/crawl", jsonBody("POST", unknownKeys(1_900)), 422],
  [
    "regular expressions",
    "/api/v1/settings/validate",
    jsonBody("POST", { settings: { include: patterns(20_000) } }),
    422,
  ],
  [
    "invalid expressions",
    "/api/v1/settings/validate",
    jsonBody("POST", { settings: { include: patterns(2_000, "(") } }),
    200,
  ],
  ["too long a list", "/api/v1/settings/validate", jsonBody("POST", { settings: { include: patterns(2_001) } }), 200],
  ["a long key", "/api/v1/settings/validate", jsonBody("POST", { settings: { ["k".repeat(500_000)]: 1 } }), 200],
  ["a long value", "/api/v1/rules/test", jsonBody("POST", { start: "x".repeat(500_000), urls: ["y"] }), 422],
  [
    "a long pattern",
    "/api/v1/settings/validate",
    jsonBody("POST", { settings: { include: [`/${"(".repeat(3_000)}/`] } }),
    200,
  ],
  ["brackets", "/api/v1/settings/validate", { ...jsonBody("POST", {}), body: "[".repeat(900_000) }, 422],
  ["brackets", "/api/v1/crawl", { ...jsonBody("POST", {}), body: "[".repeat(5_000_000) }, 422],
  ["bytes", "/api/v1/settings/validate", { ...jsonBody("POST", {}), body: " ".repeat(2_000_000) }, 413],
];

function unknownKeys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`maxUrl${index}`, 1]));
}

function patterns(count: number, source = "[a-z]+"): string[] {
  return Array.from({ length: count }, (_, index) => `/${source}${index}/`);
}

for (const [name, path, init, status] of HOSTILE) {
  test(`too many ${name}: ${status}, and the answer stays small`, async () => {
    const { ask, errors } = fakeServer(fakeApp({ configs: new Configs(NO_SAVED) }));
    const response = await ask(path, init);
    const text = await response.text();
    assert.equal(response.status, status, text.slice(0, 500));
    assert.ok(text.length < 20_000, `${text.length} characters`);
    assert.deepEqual(errors, []);
  });
}

test("a name that would be lost on the way is refused wherever it stands", async () => {
  const { ask } = fakeServer(fakeApp({ configs: new Configs(NO_SAVED) }));
  const bodies: [path: string, body: string, said: RegExp][] = [
    ["settings/validate", '{"settings":{"__proto__":1}}', /settings\.__proto__: this name cannot be used/],
    ["settings/validate", '{"settings":{"headers":{"__proto__":"x"}}}', /settings\.headers\.__proto__: this name/],
    [
      "crawl",
      '{"url":"a.test","settings":{"headers":{"\\u005f_proto__":"x"}}}',
      /settings\.headers\.__proto__: this name/,
    ],
    ["crawl", '{"url":"a.test","settings":{"__proto__":{"robots":"ignore"}}}', /settings\.__proto__: there is no such/],
    ["crawl", '{"url":"a.test","__proto__":{"url":"b.test"}}', /__proto__: there is no such/],
  ];
  for (const [path, body, said] of bodies) {
    const response = await ask(`/api/v1/${path}`, { ...jsonBody("POST", {}), body });
    assert.equal(response.status, 422, body);
    assert.match(await response.text(), said);
  }
  assert.equal((await ask("/api/v1/crawls?__proto__=1")).status, 422);
});

test("the first problems are listed, with how many more there are", async () => {
  const { json } = fakeServer(fakeApp({ configs: new Configs(NO_SAVED) }));
  const { body } = await json("/api/v1/settings/validate", jsonBody("POST", { settings: unknownKeys(1_000) }));
  const problems = body["problems"] as { setting: string; message: string }[];
  assert.equal(problems.length, 21);
  assert.match(problems[0]!.message, /did you mean maxUrls/);
  assert.deepEqual(problems.at(-1), { setting: "", message: "and 980 more" });
});

test("more calls and streams than a client may have are refused with 429 and when to try again; /health is not", async () => {
  const { ask } = fakeServer(fakeApp(), { limits: { burst: 3, streams: 1 } });
  const streams = [await ask("/api/v1/events"), await ask("/api/v1/events")];
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 429],
  );
  await streams[0]!.body!.cancel();
  assert.equal((await ask("/api/v1/active-crawls")).status, 200);
  const refused = await ask("/api/v1/active-crawls");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  assert.equal(((await refused.json()) as { code: string }).code, "TOO_MANY_REQUESTS");
  assert.equal((await ask("/api/v1/health")).status, 200);
});

test("a client that leaves takes its question along, and that is not an error of the server", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const sql = (_: unknown, signal: AbortSignal) => {
    asked.resolve(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const { ask, errors } = fakeServer(fakeApp({ crawlData: { sql } }));
  const client = new AbortController();
  const answer = ask("/api/v1/crawls/5/sql", { ...jsonBody("POST", { sql: "SELECT 1" }), signal: client.signal });
  const signal = await asked.promise;
  client.abort();
  assert.equal((await answer).status, 499);
  assert.deepEqual([signal.aborted, errors], [true, []]);
});
