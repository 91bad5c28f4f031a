/** What is one project and what is two, and where secrets are sent, as a client of the REST API sees it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { linking, tableSite } from "../site/table-site.ts";
import { startServing } from "./serving.ts";

async function serveSites(t: TestContext) {
  const site = await tableSite(t, { "/": linking("/a"), "/a": "<p>x" });
  const serving = await startServing();
  t.after(() => serving.close());
  const settings = { connectTo: [`::127.0.0.1:${site.port}`], allowPrivate: true, discovery: ["spider"] };
  const crawl = (url: string, more = {}) => {
    serving.app.configs.update({ url, settings });
    return serving.crawl({ url, settings: more });
  };
  return { site, serving, crawl };
}

test("neighbours on a shared domain and ports of a host are separate projects", async (t) => {
  const { serving, crawl } = await serveSites(t);
  const urls = [
    ...["http://alice.github.io/", "http://bob.github.io/", "http://example.com:8080/", "http://example.com:9090/"],
    ...["http://example.com/", "http://example.com:80/a", "http://docs.example.com/"],
  ];
  const ids: number[] = [];
  for (const url of urls) ids.push((await crawl(url)).projectId);
  assert.deepEqual(ids, [1, 2, 3, 4, 5, 5, 5]);
  const { projectId } = await crawl("http://docs.example.com/", { includeSubdomains: false });
  assert.equal(projectId, 6, "a scope without subdomains is only the host");
  const { body } = await serving.ask<{ rows: { id: number; domain: string }[] }>("GET", "/projects");
  assert.deepEqual(
    body.rows.sort((a, b) => a.id - b.id).map(({ domain }) => domain),
    ["alice.github.io", "bob.github.io", "example.com:8080", "example.com:9090", "example.com", "docs.example.com"],
  );
});

test("saved secrets are sent to the origin they were saved for, in every later crawl, and to no other", async (t) => {
  const { site, serving, crawl } = await serveSites(t);
  const secrets = { auth: "alice:wonder", headers: { "X-Key": "rabbit" } };
  for (const url of ["http://alice.github.io/", "https://example.com/", "http://dev.test:8080/"]) {
    assert.equal((await serving.ask("PUT", "/config", { url, settings: secrets })).status, 200);
  }
  const sentTo = async (url: string) => {
    await crawl(url);
    const seen = site.requests.filter(({ host }) => host === new URL(url).host);
    assert.ok(seen.length >= 2);
    return new Set(seen.map(({ headers }) => `${headers.authorization !== undefined} ${headers["x-key"]}`));
  };
  assert.deepEqual([...(await sentTo("http://alice.github.io/"))], ["true rabbit"]);
  assert.deepEqual([...(await sentTo("http://dev.test:8080/"))], ["true rabbit"]);
  for (const url of [
    ...["http://bob.github.io/", "http://www.alice.github.io/", "http://dev.test:9090/", "http://dev.test/"],
    ...["http://example.com/", "http://docs.example.com/"],
  ]) {
    assert.deepEqual([...(await sentTo(url))], ["false undefined"], url);
  }
});
