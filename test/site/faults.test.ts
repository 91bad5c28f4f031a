/** A server that misbehaves in every way: each fault gets its own result, and the crawl still completes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_NAMES, type FaultName, faultServer, GOOD_PATHS } from "../servers/index.ts";
import { crawlInto, facts } from "./crawling.ts";
import { linking, tableSite } from "./table-site.ts";

/** Status, error, and why the body was cut. An endless redirect chain is ended by the redirect limit. */
const EXPECTED: Partial<Record<FaultName, [number | null, string | null, string | null]>> = {
  "/silent": [null, "total_timeout", null],
  "/slow-drip": [null, "total_timeout", null],
  "/reset": [null, "reset", null],
  "/reset-midway": [null, "reset", null],
  "/short-body": [null, "reset", null],
  "/endless": [200, null, "length"],
  "/bad-gzip": [null, "bad_encoding", null],
  "/cut-gzip": [200, null, "encoding"],
  "/gzip-bomb": [200, null, "decoded"],
  // A hundred kilobytes of headers is a lot, but still accepted.
  "/header-flood": [200, null, null],
  "/not-http": [null, "bad_response", null],
  "/redirect-loop": [302, null, null],
  "/redirect-forever": [302, null, null],
  "/redirect-to-file": [302, null, null],
  "/redirect-to-nowhere": [302, null, null],
  "/flaky": [503, null, null],
  "/deep-html": [200, null, null],
  "/huge-attribute": [200, null, null],
  "/bad-charset": [200, null, null],
};

/** Faults that only a time limit ends. */
const UNENDING: readonly FaultName[] = ["/silent", "/slow-drip"];

const SETTINGS = {
  discovery: ["spider" as const],
  checkResources: false,
  parallelism: 10,
  retries: 0,
  maxBytes: 4_000_000,
  maxRedirects: 3,
};

for (const [name, faults, timeout] of [
  ["a fault that never ends is ended by the time limit", UNENDING, 2.5],
  // No time limit that a busy machine could reach: what ends these is the fault itself, or another limit.
  [
    "every other fault gets its own result",
    FAULT_NAMES.filter((fault) => fault !== "/busy-once" && !UNENDING.includes(fault)),
    200,
  ],
] as const) {
  test(`${name}, all good pages are crawled, and no socket stays open`, async (t) => {
    const server = await faultServer({ faults, dripMs: 100 });
    t.after(() => server.close());
    const origin = server.url.slice(0, -1);
    const { summary, database } = await crawlInto(t, server.url, { ...SETTINGS, timeout });
    assert.deepEqual([summary.state, summary.open], ["completed", 0]);
    const rows = facts(database, origin, "status error truncated", ["verdict=crawl"]);
    for (const path of faults) assert.deepEqual(rows[path], EXPECTED[path], path);
    for (const path of GOOD_PATHS) assert.deepEqual(rows[path], [200, null, null], path);
    if (faults !== UNENDING) {
      assert.equal(facts(database, origin, "title")["/bad-charset"], "café");
      const cut = Object.values(facts(database, origin, "rule", ["reason=too_many_redirects"]));
      assert.deepEqual(cut, ["maxRedirects 3"]);
    }
    while (server.openSockets() > 0) await new Promise(setImmediate);
  });
}

test("endless headers and an endless page are cut off; other pages are crawled", async (t) => {
  const flood = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`x-${index}`, "y".repeat(200)]));
  const site = await tableSite(t, {
    "/": linking("/flood", "/long", "/good"),
    "/flood": { headers: flood, body: "<p>x" },
    "/long": `<title>Long</title>${"<p>more".repeat(1_000_000)}${linking("/never-read")}`,
    "/good": "<p>x",
  });
  const { database } = await crawlInto(t, site.url, { discovery: ["spider"], maxBytes: 1_000_000 });
  assert.deepEqual(facts(database, site.origin, "status error truncated title"), {
    "/": [200, null, null, "Page"],
    "/flood": [null, "too_many_headers", null, null],
    "/long": [200, null, "length", "Long"],
    "/good": [200, null, null, null],
  });
});
