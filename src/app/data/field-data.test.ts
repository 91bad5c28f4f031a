import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { serveHttp } from "../../net/testing/servers.ts";
import { smallSite } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";

const NONE = { thresholds: null, ignoreRules: null, crux: null, searchConsole: null };
const p75 = (value: number | string) => ({ percentiles: { p75: value } });

/** Google on this machine: it knows one key, one token, and of the pages the first only. */
async function google(t: TestContext, page: string) {
  const asked: { url: string; body: Record<string, unknown> }[] = [];
  const { origin } = await serveHttp(t, async (request, response) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const url = request.url!;
    asked.push({ url, body });
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    if (request.headers["x-goog-api-key"] !== "right" && request.headers.authorization !== "Bearer right")
      answer(400, { error: { message: "API key not valid. Please pass a valid API key." } });
    else if (url.startsWith("/sites/")) {
      const rows = [
        { keys: [page], clicks: 12, impressions: 340, position: 7.5 },
        { keys: ["https://elsewhere.test/"], clicks: 1, impressions: 1, position: 1 },
      ];
      answer(200, { rows });
    } else if (body["url"] !== page) answer(404, { error: { message: "chrome ux report data not found" } });
    else {
      const metrics = {
        largest_contentful_paint: p75(4_800),
        interaction_to_next_paint: p75(120),
        cumulative_layout_shift: p75("0.31"),
      };
      answer(200, { record: { metrics } });
    }
  });
  return { services: { crux: `${origin}/crux`, searchConsole: `${origin}/sites`, pauseMs: 0 }, asked };
}

test("what Google measured becomes facts, and rules judge them", async (t) => {
  const { url } = await smallSite(t, 3);
  const { services, asked } = await google(t, url);
  const { app, crawl } = temporaryApp(t, { fieldServices: services });
  const id = await crawl(url);
  const before = await app.audits.issues(id);
  assert.ok(before.notApplicable.some(({ rule }) => rule === "perf.lcp"));

  const crux = { key: "right", pages: 2 };
  const searchConsole = { token: "right", property: "sc-domain:example.com" };
  const { issues, passed } = await app.audits.repeat({ ...NONE, id, crux, searchConsole });
  const found = issues.filter(({ rule }) => rule.startsWith("perf.")).map(({ rule, applies }) => [rule, applies]);
  assert.deepEqual(found.sort(), [
    ["perf.cls", 1],
    ["perf.lcp", 1],
  ]);
  assert.ok(passed.some(({ rule }) => rule === "perf.inp"));
  assert.equal(asked.filter(({ url: path }) => path === "/crux").length, 2, "no more pages than asked for");
  const question = asked.at(-1)!;
  assert.equal(question.url, "/sites/sc-domain%3Aexample.com/searchAnalytics/query");
  assert.deepEqual(question.body["dimensions"], ["page"]);

  const rows = app.crawls.read(id);
  t.after(() => rows.close());
  const fields = { lcp: 4_800, inp: 120, cls: 0.31, clicks: 12, impressions: 340, search_position: 7.5 };
  const stored = rows.db.prepare("SELECT * FROM field_data").all();
  assert.deepEqual(
    stored.map(({ id: _, ...facts }) => facts),
    [fields],
  );

  const wrong = [{ crux: { ...crux, key: "wrong" } }, { searchConsole: { ...searchConsole, token: "wrong" } }];
  for (const access of wrong)
    await assert.rejects(app.audits.repeat({ ...NONE, id, ...access }), { code: "SERVICE_REFUSED" });
  const kept = rows.db.prepare("SELECT * FROM field_data").all();
  assert.deepEqual(kept, stored, "what was asked before with the right key stays");
});

test("a key that is refused is an error that says so, and does not repeat the key", async (t) => {
  const { url } = await smallSite(t, 1);
  const { services } = await google(t, url);
  const { app, crawl } = temporaryApp(t, { fieldServices: services });
  const id = await crawl(url);
  await assert.rejects(app.audits.repeat({ ...NONE, id, crux: { key: "wrong-secret", pages: 1 } }), (error: Error) => {
    assert.equal((error as Error & { code: string }).code, "SERVICE_REFUSED");
    assert.match(error.message, /400: API key not valid/);
    assert.doesNotMatch(error.message, /wrong-secret/);
    return true;
  });
  assert.notEqual((await app.audits.issues(id)).auditedAt, null, "what was found before is still there");
});
