/**
 * Ten things that people ask an agent, as a good agent would do them: how many calls and tokens each takes. A change that makes
 * an answer longer, or makes a second call necessary, fails here.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { PLACES, type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { tokensOf } from "../../src/transports/mcp/model-text.ts";
import { type Said, StdioAgent, TRAP_LIMITS, temporaryFolder } from "./agent.ts";

const folder = temporaryFolder();
const agent = new StdioAgent(folder.path);
let site: RunningDemoSite;

before(async () => {
  site = await startDemoSite();
  await agent.connect();
  await agent.crawl(site.url, { ...TRAP_LIMITS, maxDepth: 2 });
  await agent.crawl(site.url, { ...TRAP_LIMITS, storeHtml: true });
});
after(async () => {
  await agent.client.close();
  await site.close();
  folder.remove();
});

type Row = Record<string, unknown>;
const rowsOf = ({ structured }: Said): Row[] => structured!["rows"] as Row[];

/** Plays a task and holds its calls and tokens: what was asked and what was answered. */
function task(
  name: string,
  limits: { calls: number; tokens: number },
  play: (call: typeof agent.call) => Promise<void>,
) {
  test(name, async (t) => {
    let calls = 0;
    let tokens = 0;
    await play(async (tool, given = {}) => {
      const said = await agent.call(tool, given);
      assert.equal(said.isError, false, said.text);
      calls++;
      tokens += tokensOf(JSON.stringify(given)) + tokensOf(said.text);
      return said;
    });
    t.diagnostic(`${calls} calls, ${tokens} tokens`);
    assert.ok(calls <= limits.calls, `${calls} calls`);
    assert.ok(tokens <= limits.tokens, `${tokens} tokens`);
  });
}

task("which links are broken, and on which pages are they?", { calls: 1, tokens: 4_000 }, async (call) => {
  const rows = rowsOf(await call("broken_links", { crawl_id: "last", internal: "yes" }));
  for (const path of PLACES.missing) {
    const broken = rows.find(({ url }) => url === new URL(path, site.url).href);
    assert.match(String(broken?.["sources"]), /^http/, path);
  }
});

task("crawl this site and say what to fix first", { calls: 3, tokens: 4_500 }, async (call) => {
  const { structured } = await call("start_crawl", { url: site.url, settings: { ...TRAP_LIMITS, maxUrls: 60 } });
  const { crawl_id } = structured!;
  assert.match((await call("crawl_status", { crawl_id, wait_seconds: 60 })).text, /is limit reached/);
  const issues = await call("issues", { crawl_id, max_tokens: 3_000 });
  assert.equal(rowsOf(issues)[0]!["severity"], "error");
  assert.equal(typeof issues.structured!["score"], "number");
});

task("why is this page not in the crawl?", { calls: 1, tokens: 600 }, async (call) => {
  const { text } = await call("why", { crawl_id: 2, url: PLACES.forbidden[0] });
  assert.match(text, /reason\trobots_disallow/);
});

task("which pages have no title?", { calls: 1, tokens: 800 }, async (call) => {
  const found = await call("query_urls", { crawl_id: 2, filter: "issue=title.missing", fields: ["url"] });
  assert.deepEqual(
    rowsOf(found).map(({ url }) => url),
    [new URL(PLACES.withoutTitle, site.url).href],
  );
});

task("what changed since the crawl before?", { calls: 2, tokens: 4_500 }, async (call) => {
  const crawls = rowsOf(await call("list_crawls", { project_id: 1 })).map((row) => row["crawl_id"] as number);
  const [other, crawl_id] = crawls.toSorted((a, b) => a - b);
  const compared = await call("compare", { crawl_id, other, max_tokens: 3_000 });
  assert.ok((compared.structured!["total"] as number) > 0);
});

task("which pages say the same?", { calls: 1, tokens: 2_500 }, async (call) => {
  const rows = rowsOf(await call("duplicates", { crawl_id: 2 }));
  const group = rows.find(({ url }) => url === new URL(PLACES.duplicate, site.url).href)!["group"];
  assert.equal(rows.filter((row) => row["group"] === group).length, 2);
});

task("what does this page say?", { calls: 1, tokens: 1_500 }, async (call) => {
  assert.match((await call("page_text", { crawl_id: 2, url: "/about" })).text, /began as a net loft/);
});

task("how many pages does each section have?", { calls: 2, tokens: 4_500 }, async (call) => {
  await call("reference", { topic: "tables", search: "pages" });
  const sql = "SELECT substr(url, 1, instr(substr(url, 9), '/') + 8) AS host, count(*) AS n FROM urls GROUP BY 1";
  assert.ok(rowsOf(await call("sql", { crawl_id: 2, sql })).length > 0);
});

task("give me the redirects as a file", { calls: 1, tokens: 200 }, async (call) => {
  const given = { crawl_id: 2, filter: ["status>=300", "status<400"], fields: ["url", "status", "redirectTo"] };
  const { path, total } = (await call("export", given)).structured! as { path: string; total: number };
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  assert.deepEqual([lines[0]!.trim(), lines.length - 1], ["url,status,redirectTo", total]);
  assert.ok(total > 3);
});

task("crawl it every Monday", { calls: 2, tokens: 600 }, async (call) => {
  const project = rowsOf(await call("list_projects"))[0]!;
  const given = { project_id: project["project_id"], cron: "0 6 * * 1", timezone: "UTC" };
  const [schedule] = rowsOf(await call("schedules", given));
  assert.match(String(schedule!["nextRunAt"]), /T06:0\d:\d\d\.\d{3}Z$/);
});

task("what is in the HTML of the home page?", { calls: 1, tokens: 4_200 }, async (call) => {
  assert.match((await call("page_source", { crawl_id: 2, url: "/" })).text, /<!doctype html>/i);
});
