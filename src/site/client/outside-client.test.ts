import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../kernel/clock.ts";
import { serveHttp } from "../../net/testing/servers.ts";
import { until } from "../../net/testing/until.ts";
import { parseConfig, type SiteOptions } from "../site-config.ts";
import { fetchRobots, OutsideClient, type OutsideOptions } from "./outside-client.ts";

function clientFor(t: TestContext, origin: string, config: SiteOptions = {}, over: Partial<OutsideOptions> = {}) {
  const client = new OutsideClient({
    config: parseConfig(config),
    startUrls: [`${origin}/`],
    clock: systemClock,
    ...over,
  });
  t.after(() => client.close());
  return client;
}

test("outside client: follows redirects and asks robots.txt before each hop", async (t) => {
  const asked: string[] = [];
  const server = await serveHttp(t, ({ url = "" }, response) => {
    asked.push(url);
    if (url === "/robots.txt") response.end("User-agent: *\nDisallow: /private\n");
    else if (url === "/a") response.writeHead(301, { location: "/b" }).end();
    else if (url === "/sly") response.writeHead(302, { location: "/private/x" }).end();
    else if (url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    else if (url === "/bad") response.writeHead(302, { location: "mailto:x@y.test" }).end();
    else response.end("here");
  });
  const client = clientFor(t, server.origin, { maxRedirects: 3 });
  const { url, body } = await client.get(`${server.origin}/a`);
  assert.deepEqual([url, body.toString()], [`${server.origin}/b`, "here"]);
  assert.deepEqual(asked, ["/robots.txt", "/a", "/b"]);
  await assert.rejects(client.get(`${server.origin}/private/x`), { code: "ROBOTS_DISALLOWED", message: /line 2/ });
  await assert.rejects(client.get(`${server.origin}/sly`), { code: "ROBOTS_DISALLOWED" });
  for (const path of ["/loop", "/bad"]) {
    await assert.rejects(client.get(server.origin + path), { code: "PAGE_NOT_FETCHED" });
  }
  assert.ok(!asked.includes("/private/x"));
  const ignoring = clientFor(t, server.origin, { robots: "ignore" });
  assert.equal((await ignoring.get(`${server.origin}/private/x`)).status, 200);
});

test("outside client: a robots.txt that a crawl knows is not requested again", async (t) => {
  const server = await serveHttp(t, (_request, response) => response.end("here"));
  const note = { kind: "rules", why: "", text: "User-agent: *\nDisallow: /no\n", expiresAt: Date.now() + 60_000 };
  const notes = [{ key: `robots:${server.origin}`, value: JSON.stringify(note) }];
  const client = clientFor(t, server.origin, {}, { notes });
  await assert.rejects(client.get(`${server.origin}/no`), { code: "ROBOTS_DISALLOWED" });
  await client.get(`${server.origin}/yes`);
  assert.equal(server.requests, 1);
});

test("outside client: headers of the site stay with it, and private neighbours are not reached", async (t) => {
  const keys: unknown[] = [];
  const server = await serveHttp(t, (request, response) => {
    keys.push(request.headers["x-key"]);
    response.end();
  });
  const neighbour = await serveHttp(t, (_request, response) => response.end());
  const client = clientFor(t, server.origin, { headers: { "X-Key": "secret" }, robots: "ignore" });
  await client.get(`${server.origin}/`);
  assert.deepEqual(keys, ["secret"]);
  await assert.rejects(client.get(`${neighbour.origin}/`), { code: "PAGE_NOT_FETCHED", message: /private/i });
  assert.equal(neighbour.requests, 0);
});

test("outside client: closing aborts requests in flight, including robots.txt", async (t) => {
  const server = await serveHttp(t, () => {});
  for (const robots of ["respect", "ignore"] as const) {
    const before = server.requests;
    const client = clientFor(t, server.origin, { robots });
    const got = client.get(`${server.origin}/`).catch((error) => error.code);
    await until(() => server.requests > before);
    await client.close();
    assert.equal(await got, "PAGE_NOT_FETCHED");
  }
  await until(() => server.sockets.size === 0);
});

test("fetchRobots: one answer an origin, over redirects, by the rules of a crawl", async (t) => {
  const rules = await serveHttp(t, (request, response) => {
    if (request.url === "/robots.txt") response.writeHead(302, { location: "/real.txt" }).end();
    else response.end("User-agent: *\nDisallow: /private\n");
  });
  const none = await serveHttp(t, (_request, response) => response.writeHead(404).end());
  const answers = await fetchRobots([`${rules.origin}/a`, `${rules.origin}/private`, `${none.origin}/`]);
  assert.deepEqual(
    new Map([...answers].map(([origin, { kind, text }]) => [origin, [kind, text]])),
    new Map([
      [rules.origin, ["rules", "User-agent: *\nDisallow: /private\n"]],
      [none.origin, ["allow-all", ""]],
    ]),
  );
  assert.deepEqual([rules.requests, none.requests], [2, 1]);
  // The servers hear a moment later that the sockets are closed.
  await until(() => rules.sockets.size + none.sockets.size === 0);
});
