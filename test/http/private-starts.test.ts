/** Start URLs inside the network of the machine: over REST on loopback, over REST for others, and for agents. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { REMOTE } from "../../src/app/caller.ts";
import { ScheduleStore } from "../../src/app/schedules/schedule-store.ts";
import { createMcpServer } from "../../src/transports/mcp/server.ts";
import { Agent } from "../mcp/agent.ts";
import { tableSite } from "../site/table-site.ts";
import { startServing } from "./serving.ts";

async function codes(t: TestContext, options: Parameters<typeof startServing>[0], url: string) {
  const serving = await startServing(options);
  t.after(() => serving.close());
  const ask = async (path: string, body: unknown) => {
    const answer = await serving.ask<{ code?: string }>("POST", path, body);
    return answer.status === 200 ? 200 : answer.body.code;
  };
  const settings = { maxUrls: 1, discovery: ["spider"] };
  const starts = [
    await ask("/crawl", { url, settings }),
    await ask("/crawl", { urls: [`${url}a`], settings: { parallelism: 1 } }),
    await ask("/rules/test", { start: url, urls: ["/"], askRobots: true }),
    await ask("/robots/test", { urls: [url] }),
  ];
  const metadata = await ask("/crawl", { url: "http://169.254.169.254/latest/" });
  return { serving, starts, metadata };
}

const RULE = { cron: "0 6 * * 1", timezone: null, jitterSeconds: 0, isEnabled: true, notifyOn: ["failed" as const] };

const REFUSED = ["PRIVATE_START", "PRIVATE_START", "PRIVATE_START", "PRIVATE_START"];

test("REST on loopback crawls this machine; on other addresses only with --allow-private; metadata services never", async (t) => {
  const site = await tableSite(t, { "/": "<p>x", "/a": "<p>y" });
  const others = await codes(t, { host: "0.0.0.0" }, site.url);
  assert.deepEqual([others.starts, others.metadata], [REFUSED, "PRIVATE_START"]);
  assert.equal(others.serving.app.crawls.list().length, 0, "a refused start leaves nothing");
  assert.deepEqual(site.requests, []);
  for (const options of [{}, { host: "0.0.0.0", allowPrivate: true }]) {
    const { starts, metadata } = await codes(t, options, site.url);
    assert.ok(
      starts.every((code) => code === 200 || code === "PROJECT_BUSY"),
      String(starts),
    );
    assert.equal(metadata, "PRIVATE_START");
  }
});

test("webhooks: nor may they be private where starts may not, and what the owner set stays where it was", async (t) => {
  for (const { options, may } of [
    { options: { host: "0.0.0.0" }, may: false },
    { options: { host: "0.0.0.0", allowPrivate: true }, may: true },
    { options: {}, may: true },
  ]) {
    const serving = await startServing(options);
    t.after(() => serving.close());
    const { app } = serving;
    const store = new ScheduleStore(app.home.registry, () => 0);
    t.after(() => store.close());
    const projectId = app.crawls.registry.project("https://shop.test/", "shop.test");
    const set = async (webhook: string, cron = "0 6 * * 1") => {
      const { status, body } = await serving.ask("PUT", `/projects/${projectId}/schedule`, { cron, webhook });
      return status === 200 ? 200 : body["code"];
    };
    const expected = may ? 200 : "PRIVATE_START";
    for (const host of ["127.0.0.1:9", "10.0.0.5", "[::ffff:192.168.0.1]", "localhost", "2130706433"]) {
      assert.equal(await set(`http://${host}/hook`), expected, host);
    }
    assert.equal(await set("http://169.254.169.254/latest/"), "PRIVATE_START");
    assert.equal(await set("http://[2001:db8::1]/hook"), expected, "reserved");
    assert.equal(await set("https://192.0.66.1/hook"), 200);
    assert.deepEqual(store.receiverClasses("192.0.66.1:443"), may ? null : ["public"]);

    app.schedules.set({ ...RULE, projectId, webhook: "http://10.0.0.7/hook" });
    store.setReceiver("10.0.0.7:80", ["private"]);
    assert.equal(await set("http://10.0.0.7/hook", "0 7 * * 1"), 200, "sent back");
    assert.deepEqual(store.receiverClasses("10.0.0.7:80"), ["private"]);
  }
});

test("a schedule crawls what whoever made it could crawl, and the owner's goes on where it goes", async (t) => {
  const site = await tableSite(t, { "/": "<p>x" });
  const serving = await startServing({ host: "0.0.0.0" });
  t.after(() => serving.close());
  const { app } = serving;
  const store = new ScheduleStore(app.home.registry, () => 0);
  t.after(() => store.close());
  const projectId = app.crawls.registry.project(site.url, new URL(site.url).host);
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await serving.ask(method, `/projects/${projectId}/schedule${path}`, body);
    return answer.status === 200 ? 200 : answer.body["code"];
  };
  const cron = "0 6 1 1 *";
  assert.equal(await ask("PUT", "", { cron }), "PRIVATE_START");
  assert.deepEqual(app.schedules.list(), []);
  const agent = new Agent();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([createMcpServer(app).connect(ours), agent.client.connect(theirs)]);
  t.after(() => agent.client.close());
  const { text } = await agent.call("schedules", { project_id: projectId, cron });
  assert.match(text, /^error PRIVATE_START/);

  // As if its name had led to the internet when a client scheduled it.
  store.set(projectId, { ...RULE, webhook: null }, { dueAt: null, nextRunAt: null }, false);
  assert.equal(await ask("POST", "/run"), "PRIVATE_START");
  assert.deepEqual([site.requests, app.schedules.list()[0]!.lastRuns[0]!.state], [[], "failed"]);

  app.schedules.set({ ...RULE, projectId, webhook: null });
  assert.equal(await ask("PUT", "", { cron }), 200, "a client may change its times");
  assert.equal(await ask("POST", "/run"), 200);
  await app.activeCrawls.ended(app.crawls.list()[0]!.id);
  assert.ok(site.requests.length > 0);
});

test("an agent has no page of the owner's network fetched either", async (t) => {
  const site = await tableSite(t, { "/": "<p>x" });
  const serving = await startServing();
  t.after(() => serving.close());
  const { crawlId } = await serving.crawl({ url: site.url, settings: { discovery: ["spider"] } });
  const before = site.requests.length;
  for (const mayStartPrivate of [false, true]) {
    const agent = new Agent();
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = createMcpServer(serving.app, { ...REMOTE, mayStartPrivate });
    await Promise.all([server.connect(ours), agent.client.connect(theirs)]);
    t.after(() => agent.client.close());
    const { text, isError } = await agent.call("page_text", { crawl_id: crawlId, url: "/" });
    assert.equal(isError, !mayStartPrivate, text);
    if (!mayStartPrivate) assert.deepEqual([/PRIVATE_START/.test(text), site.requests.length], [true, before]);
  }
});

test("an agent crawls this machine only if it was allowed to, and metadata services never", async (t) => {
  const site = await tableSite(t, { "/": "<p>x" });
  const serving = await startServing();
  t.after(() => serving.close());
  for (const mayStartPrivate of [false, true]) {
    const agent = new Agent();
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = createMcpServer(serving.app, { ...REMOTE, mayStartPrivate });
    await Promise.all([server.connect(ours), agent.client.connect(theirs)]);
    t.after(() => agent.client.close());
    const start = (url: string) => agent.call("start_crawl", { url, settings: { maxUrls: 1 } });
    const { text, isError } = await start(site.url);
    assert.equal(isError, !mayStartPrivate, text);
    if (!mayStartPrivate) assert.match(text, /^error PRIVATE_START: 127\.0\.0\.1 is not on the public internet/);
    assert.match((await start("http://metadata.google.internal/")).text, /^error PRIVATE_START/);
  }
});
