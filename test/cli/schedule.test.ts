import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { type CountingSite, countingSite } from "../servers/index.ts";
import { finished, linesOf, Trawl } from "./trawl.ts";

const trawl = new Trawl();
const told: { event: string; crawl: { id: number; state: string }; changes: unknown }[] = [];
let site: CountingSite;
let hook: Server;
let hookUrl: string;
let project: string;

before(async () => {
  site = await countingSite({ pages: 5 });
  project = new URL(site.url).host;
  hook = createServer(async (request, response) => {
    told.push(JSON.parse(await text(request)));
    response.writeHead(204).end();
  });
  await once(hook.listen(0, "127.0.0.1"), "listening");
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
});
after(async () => {
  hook.close();
  await site.close();
  trawl.remove();
});

test("a site that was never crawled, a wrong time and a wrong event are bad usage", async () => {
  const unknown = await trawl.run("schedule", "set", project, "@daily");
  assert.deepEqual([unknown.code, /Crawl it once/.test(unknown.stderr)], [2, true]);
  await trawl.run("crawl", site.url);
  const wrong = await trawl.run("schedule", "set", project, "0 6 * *");
  assert.deepEqual([wrong.code, /five fields/.test(wrong.stderr)], [2, true]);
  assert.equal((await trawl.run("schedule", "set", project, "@daily", "--notify", "never")).code, 2);
  assert.equal((await trawl.run("schedule", "set", project, "@daily", "--webhook", "ftp://x")).code, 2);
  assert.equal((await trawl.run("schedule", "rm", project)).code, 2);
});

test("a schedule is set, listed, run with its webhook, and removed", async () => {
  const set = await trawl.run("schedule", "set", project, "@daily", "--webhook", hookUrl, "--notify", "completed");
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stdout, /will be crawled at \d{4}-/);
  const run = await trawl.run("schedule", "run", project);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /completed; webhook sent \(204\)/);
  assert.deepEqual(
    told.map(({ event, crawl: { id, state }, changes }) => ({ event, id, state, changes })),
    [
      {
        event: "completed",
        id: 2,
        state: "completed",
        changes: { previousId: 1, added: 0, gone: 0, notCrawled: 0, changed: 0, removed: 0 },
      },
    ],
  );
  assert.match((await trawl.run("schedule", "list")).stdout, /completed, crawl 2/);
  assert.equal((await trawl.run("schedule", "rm", project)).code, 0);
  assert.match((await trawl.run("schedule", "list")).stdout, /No schedules yet/);
});

test("`schedule start` catches up once on missed runs, and ends on Ctrl-C", async () => {
  await trawl.run("schedule", "set", project, "@daily", "--webhook", hookUrl, "--notify", "completed", "--jitter", "0");
  // As if the machine had been off for a week.
  const registry = new DatabaseSync(join(trawl.folder, "home", "registry.db"));
  registry.exec("UPDATE schedules SET next_run_at = next_run_at - 604800000, due_at = due_at - 604800000");
  registry.close();
  const child = trawl.start("schedule", "start", "--json");
  const events: unknown[] = [];
  for await (const line of linesOf(child)) {
    events.push([line["event"], line["crawlId"], line["state"]]);
    if (line["event"] === "crawl:completed") break;
  }
  assert.deepEqual(events, [
    ["crawl:started", 3, "running"],
    ["crawl:completed", 3, "completed"],
  ]);
  child.kill("SIGINT");
  assert.equal((await finished(child)).code, 0);
  const { rows } = (await trawl.json("schedule", "list")).lines[0] as unknown as {
    rows: { lastRuns: { state: string }[] }[];
  };
  const [schedule] = rows;
  assert.deepEqual(
    schedule!.lastRuns.map(({ state }) => state),
    ["completed"],
  );
});
