import assert from "node:assert/strict";
import { test } from "node:test";
import { serveHttp } from "../net/testing/servers.ts";
import { until } from "../net/testing/until.ts";
import { fetchRobots } from "./fetch-robots.ts";

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
