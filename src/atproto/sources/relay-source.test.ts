import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { serveHttp } from "../../net/testing/servers.ts";
import { didOf, fakePds } from "../testing/fake-pds.ts";
import { END, mergePages } from "./did-page.ts";
import { pdsSource, relaySource } from "./relay-source.ts";
import { readAll, testSourceClient } from "./testing/source-client.ts";

const failOn = (origin: string, reason: string) => assert.fail(`${origin}: ${reason}`);

test("pages of a PDS, from the beginning and from a cursor", async (t) => {
  const pds = await fakePds(t, [0, 1, 2, 3, 4].map(didOf));
  const source = pdsSource({
    maxAccounts: () => null,
    origin: pds.origin,
    client: testSourceClient(t).client,
    onFailure: failOn,
  });
  const pages = await readAll(source);
  assert.deepEqual(
    pages.map(({ cursor }) => cursor),
    ["2", "4", END],
  );
  assert.ok(pages.every((page) => page.source === `pds:${pds.origin}`));
  assert.equal(pages[0]!.entries[0]!.rev?.length, 13);
  const rest = await readAll(source, () => "4");
  assert.deepEqual(
    rest.flatMap(({ entries }) => entries.map(({ did }) => did)),
    [didOf(4)],
  );
  assert.deepEqual(await readAll(source, () => END), []);
});

test("what a PDS says of accounts that are not active", async (t) => {
  const pds = await fakePds(t, []);
  const statuses = [
    "takendown",
    "suspended",
    "deactivated",
    "deleted",
    "desynchronized",
    "throttled",
    "new word",
    undefined,
  ];
  pds.repos = statuses.map((status, number) => ({
    did: didOf(number),
    active: false,
    ...(status === undefined ? {} : { status }),
  }));
  const source = pdsSource({
    maxAccounts: () => null,
    origin: pds.origin,
    client: testSourceClient(t).client,
    onFailure: failOn,
  });
  const entries = (await readAll(source)).flatMap((page) => page.entries);
  assert.deepEqual(
    entries.map(({ status }) => status),
    ["takendown", "suspended", "deactivated", "not_found", null, null, "deactivated", "deactivated"],
  );
});

const answering = (t: TestContext, body: (url: URL) => unknown) =>
  serveHttp(t, (request, response) => {
    response.end(JSON.stringify(body(new URL(request.url!, "http://x"))));
  });

test("a cursor that never moves ends the listing; broken entries cost no others", async (t) => {
  const server = await answering(t, () => ({ cursor: "same", repos: [{ did: didOf(1) }, null, { did: 7 }, "x"] }));
  const pages = await readAll(
    pdsSource({
      maxAccounts: () => null,
      origin: server.origin,
      client: testSourceClient(t).client,
      onFailure: failOn,
    }),
  );
  assert.equal(pages.length, 2);
  assert.deepEqual(
    pages[0]!.entries.map(({ did }) => did),
    [didOf(1)],
  );
});

test("a host that is not a PDS, or fails again and again, is reported, not thrown", async (t) => {
  const reasons: string[] = [];
  const onFailure = (_: string, reason: string) => void reasons.push(reason);
  const strange = await answering(t, () => ({ hello: "world" }));
  const html = await serveHttp(t, (_, response) => void response.end("<html>"));
  const broken = await serveHttp(t, (_, response) => void response.writeHead(503).end());
  const { client, signals, waits } = testSourceClient(t);
  for (const { origin } of [strange, html, broken]) {
    assert.deepEqual(await readAll(pdsSource({ maxAccounts: () => null, origin, client, onFailure })), []);
  }
  assert.match(reasons[0]!, /does not list its repos/);
  assert.match(reasons[1]!, /not JSON/);
  assert.match(reasons[2]!, /answered 503/);
  assert.equal(broken.requests, 5);
  assert.deepEqual(
    waits.filter((ms) => ms >= 1_000 && ms % 1_000 === 0),
    [1_000, 2_000, 4_000, 8_000],
  );
  assert.deepEqual(
    signals.slice(-5),
    Array.from({ length: 5 }, () => "overloaded"),
  );
});

test("a source that is throttled continues when its lane lets it", async (t) => {
  let requests = 0;
  const server = await serveHttp(t, (_, response) => {
    if (++requests <= 7) return response.writeHead(429, { "retry-after": "0" }).end();
    response.end(JSON.stringify({ repos: [] }));
  });
  const { client, signals } = testSourceClient(t);
  const pages = await readAll(pdsSource({ maxAccounts: () => null, origin: server.origin, client, onFailure: failOn }));
  assert.equal(pages.length, 1);
  assert.equal(signals.filter((kind) => kind === "throttled").length, 7);
});

test("a relay: every host by pages, none twice, those that are not wanted left out", async (t) => {
  const pds = await fakePds(t, [didOf(1)]);
  const host = pds.origin.slice(7);
  const relay = await answering(t, (url) =>
    url.searchParams.get("cursor") === "2"
      ? { hosts: [{ hostname: host }, { hostname: "junk host" }] }
      : {
          cursor: "2",
          hosts: [
            { hostname: host, status: "active" },
            { hostname: "skipped.example" },
            { hostname: "b.example", status: "banned" },
          ],
        },
  );
  const options = { origin: relay.origin, client: testSourceClient(t).client, allowPrivate: true, onFailure: failOn };
  const pages = await readAll(
    relaySource({
      check: (pages) => pages,
      maxAccounts: () => null,
      ...options,
      isSkipped: (origin) => origin.includes("skipped"),
    }),
  );
  assert.equal(pages.length, 1);
  assert.equal(pages[0]!.source, `pds:${pds.origin}`);
});

test("a relay that names ever more hosts, none of which can be crawled, is left and reported", async (t) => {
  let pages = 0;
  const relay = await answering(t, () => ({ cursor: `${++pages}`, hosts: [{ hostname: `junk host ${pages}` }] }));
  const reported: string[] = [];
  const found = await readAll(
    relaySource({
      origin: relay.origin,
      client: testSourceClient(t).client,
      allowPrivate: true,
      check: (all) => all,
      maxAccounts: () => null,
      isSkipped: () => false,
      onFailure: (_, reason) => reported.push(reason),
    }),
  );
  assert.deepEqual([found, reported.length], [[], 1]);
  assert.match(reported[0]!, /names more hosts than there can be/);
});

test("a relay that does not list hosts is an error that says so", async (t) => {
  const relay = await answering(t, () => ({ error: "no" }));
  const options = { origin: relay.origin, client: testSourceClient(t).client, allowPrivate: true, onFailure: failOn };
  await assert.rejects(
    readAll(relaySource({ check: (pages) => pages, maxAccounts: () => null, ...options, isSkipped: () => false })),
    {
      code: "SOURCE_FAILED",
    },
  );
});

test("sources side by side: one that waits keeps none waiting, and all are let go of at the end", async () => {
  const gate = Promise.withResolvers<void>();
  const closed: string[] = [];
  async function* pages(key: string) {
    try {
      for (const number of [1, 2, 3]) {
        if (key === "slow") await gate.promise;
        if (key === "bad" && number === 2) throw new Error("bad");
        yield { source: key, entries: [], cursor: `${number}` };
      }
    } finally {
      closed.push(key);
    }
  }
  const failed: string[] = [];
  const merged = mergePages({
    keys: ["slow", "a", "bad", "b"],
    open: pages,
    width: 2,
    onFailure: (key) => void failed.push(key),
  });
  const seen: string[] = [];
  for await (const { source, cursor } of merged) {
    seen.push(`${source}${cursor}`);
    if (seen.length === 7) gate.resolve();
    if (seen.length === 9) break;
  }
  assert.deepEqual(seen.slice(0, 3), ["a1", "bad1", "b1"], "each in its turn");
  assert.equal(seen.filter((page) => page.startsWith("slow")).length, 2);
  assert.deepEqual(failed, ["bad"]);
  assert.deepEqual(closed.sort(), ["a", "b", "bad", "slow"]);
});
