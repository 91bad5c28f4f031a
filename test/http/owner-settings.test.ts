/** Settings that only the owner may change: refused by every operation that takes settings, and by every tool. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { ROUTES } from "../../src/transports/http/routes.ts";
import { createMcpServer } from "../../src/transports/mcp/server.ts";
import { Agent } from "../mcp/agent.ts";
import { linking, tableSite } from "../site/table-site.ts";
import { type Serving, startServing } from "./serving.ts";

/** A value that differs from the default, for every setting that is marked in the table. */
const VALUES: Record<string, unknown> = {
  browser: "/tmp/any-script.sh",
  cacheDir: "/tmp/anywhere",
  acceptedFindings: "/tmp/anywhere.yaml",
  ca: "/etc/shadow",
  connectTo: ["example.com:443:127.0.0.1:4444"],
  proxy: "http://127.0.0.1:4444",
  insecure: true,
  allowPrivate: true,
};

interface Problem {
  code: string;
  detail: string;
  hint: string;
}

interface Form {
  name: string;
  ownerOnly: string | null;
}

async function serve(t: TestContext): Promise<Serving> {
  const serving = await startServing();
  t.after(() => serving.close());
  return serving;
}

const marked = async ({ ask }: Serving): Promise<string[]> => {
  const { body } = await ask<{ rows: Form[] }>("GET", "/settings");
  return body.rows.filter(({ ownerOnly }) => ownerOnly !== null).map(({ name }) => name);
};

/** What each operation needs in addition to `settings`. */
const QUESTIONS: Record<string, Record<string, unknown>[]> = {
  startCrawl: [{ url: "https://example.com/" }, { urls: ["https://example.com/"] }, { again: 1 }],
  updateConfig: [{ url: "https://example.com/" }],
  validateSettings: [{}],
  testRules: [{ start: "https://example.com/", urls: ["/a"] }],
};

test("every marked setting is refused by every operation that takes settings, with its name and what to do", async (t) => {
  const serving = await serve(t);
  const site = await tableSite(t, { "/": "<p>x" });
  await serving.crawl({ url: site.url, settings: { discovery: ["spider"] } });
  const before = serving.app.crawls.list().length;
  const names = await marked(serving);
  assert.deepEqual(names.toSorted(), Object.keys(VALUES).toSorted());
  const routes = ROUTES.filter(({ operation }) => "settings" in operation.input.shape);
  assert.deepEqual(routes.map(({ operation }) => operation.name).toSorted(), Object.keys(QUESTIONS).toSorted());
  for (const { operation, method, path } of routes) {
    for (const question of QUESTIONS[operation.name]!) {
      for (const name of names) {
        const body = { ...question, settings: { maxUrls: 5, [name]: VALUES[name] } };
        const answer = await serving.ask<Problem>(method.toUpperCase(), path, body);
        const what = `${operation.name} ${name}: ${JSON.stringify(answer.body)}`;
        assert.deepEqual([answer.status, answer.body.code], [422, "OWNER_ONLY"], what);
        assert.ok(answer.body.detail.startsWith(`${name}: only the owner`), what);
        assert.match(answer.body.hint, /trawl config save/, what);
      }
    }
  }
  assert.equal(serving.app.crawls.list().length, before, "a refused start leaves nothing");
  assert.deepEqual(serving.internal, []);
});

test("every tool that takes settings refuses them too", async (t) => {
  const serving = await serve(t);
  const agent = new Agent();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(serving.app);
  await Promise.all([server.connect(ours), agent.client.connect(theirs)]);
  t.after(() => agent.client.close());
  const given: Record<string, Record<string, unknown>> = {
    start_crawl: { url: "https://example.com/" },
    set_config: { url: "https://example.com/" },
    test_rules: { start: "https://example.com/", urls: ["/a"] },
  };
  const { tools } = await agent.client.listTools();
  const taking = tools
    .filter(({ inputSchema }) => "settings" in (inputSchema.properties ?? {}))
    .map(({ name }) => name);
  assert.deepEqual(taking.toSorted(), Object.keys(given).toSorted());
  for (const tool of taking) {
    for (const name of await marked(serving)) {
      const { text, isError } = await agent.call(tool, { ...given[tool], settings: { [name]: VALUES[name] } });
      assert.ok(isError, `${tool} ${name}`);
      assert.match(text, new RegExp(`^error OWNER_ONLY: ${name}: only the owner`), `${tool} ${name}`);
    }
  }
});

test("what the owner saved is used by crawls over REST, is sent back unharmed, and is neither changed nor taken elsewhere", async (t) => {
  const serving = await serve(t);
  const site = await tableSite(t, { "/": linking("/a"), "/a": "<p>x" });
  const owners = { connectTo: [`::127.0.0.1:${site.port}`], allowPrivate: true, proxy: null };
  serving.app.configs.update({ url: "http://shop.test/", settings: { ...owners, discovery: ["spider"] } });
  const { crawlId } = await serving.crawl({ url: "http://shop.test/" });
  assert.deepEqual([...new Set(site.requests.map(({ host }) => host))], ["shop.test"]);

  const { body: config } = await serving.ask<{ settings: Record<string, unknown> }>(
    "GET",
    "/config?url=http://shop.test/",
  );
  const saved = await serving.ask("PUT", "/config", { url: "http://shop.test/", settings: config.settings });
  assert.equal(saved.status, 200, "all settings sent back as they were");
  assert.deepEqual(saved.body["settings"], config.settings);
  await serving.crawl({ again: crawlId, settings: { ...config.settings, maxUrls: 1 } });

  const refused = async (method: string, path: string, body: unknown, detail: RegExp) => {
    const answer = await serving.ask<Problem>(method, path, body);
    assert.deepEqual([answer.status, answer.body.code], [422, "OWNER_ONLY"], JSON.stringify(answer.body));
    assert.match(answer.body.detail, detail);
  };
  const url = "http://shop.test/";
  await refused("PUT", "/config", { url, settings: { connectTo: ["::127.0.0.1:1"] } }, /^connectTo/);
  await refused("PUT", "/config", { url, settings: { allowPrivate: null } }, /^allowPrivate/);
  await refused("PUT", "/config", { url: "http://a.shop.test/", includeSubdomains: false }, /cannot be used for/);
  await refused("POST", "/crawl", { again: crawlId, url: "http://elsewhere.test/" }, /set this for shop\.test/);
  await refused("POST", "/crawl", { again: crawlId, urls: [url, "http://elsewhere.test/"] }, /set this for shop\.test/);
  await refused("POST", "/crawl", { urls: [url, "http://elsewhere.test/"] }, /set this for shop\.test/);
  await refused("POST", "/rules/test", { start: url, urls: ["/"], settings: { allowPrivate: false } }, /^allowPrivate/);
});
