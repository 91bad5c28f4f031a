/** Where passwords and secret headers are sent: only to their origins, whatever else a crawl requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlOptions } from "../../src/index.ts";
import { crawlInto } from "./crawling.ts";
import { linking, redirect, type TableSite, tableSite, text } from "./table-site.ts";

const SECRETS = { headers: { "X-Key": "secret", Cookie: "session=1" }, auth: "user:password" };

/** `host path` of every request that carried any secret, and of every one that did not. */
function told(...sites: TableSite[]): { secret: string[]; plain: string[] } {
  const lines = { secret: [] as string[], plain: [] as string[] };
  for (const { requests } of sites) {
    for (const { host, path, headers } of requests) {
      // An empty Cookie header counts as none.
      const carried = headers["x-key"] || headers.cookie || headers.authorization || undefined;
      lines[carried === undefined ? "plain" : "secret"].push(`${host} ${path}`);
    }
  }
  return { secret: [...new Set(lines.secret)].sort(), plain: [...new Set(lines.plain)].sort() };
}

const through = (site: TableSite): Partial<CrawlOptions> => ({
  connectTo: [`::127.0.0.1:${site.port}`],
  allowPrivate: true,
});

test("secrets do not follow a redirect, a subdomain, www, another port or another scheme", async (t) => {
  const site = await tableSite(t, {
    "//example.com/": linking(
      "/own",
      "/away",
      "http://www.example.com/",
      "http://docs.example.com/",
      "http://example.com:8081/",
      "http://other.test/",
    ),
    "//example.com/own": "<p>x",
    "//example.com/away": redirect("http://other.test/landed"),
    "//www.example.com/": "<p>x",
    "//docs.example.com/": "<p>x",
    "//other.test/": "<p>x",
    "//other.test/landed": "<p>x",
  });
  await crawlInto(t, "http://example.com/", { ...through(site), ...SECRETS, checkExternalLinks: true });
  const { secret, plain } = told(site);
  assert.ok(secret.length > 0 && secret.every((line) => line.startsWith("example.com /")), secret.join());
  for (const line of [
    "www.example.com /",
    "docs.example.com /",
    "example.com:8081 /",
    "other.test /",
    "other.test /landed",
  ]) {
    assert.ok(plain.includes(line), `${line} was not requested: ${plain.join()}`);
  }
});

test("secrets are not sent to http when the crawl began at https, nor the other way round", async (t) => {
  const site = await tableSite(t, { "//example.com/": linking("https://example.com/s"), "//example.com/s": "<p>x" });
  // The plain server answers no TLS: what matters is what http gets when https is the origin of the secrets.
  await crawlInto(t, "http://example.com/", {
    ...through(site),
    ...SECRETS,
    credentialOrigins: ["https://example.com"],
  });
  assert.deepEqual(told(site).secret, []);
  assert.ok(told(site).plain.includes("example.com /"));
});

test("robots.txt, sitemaps, resources and HEAD requests of other origins carry no secrets", async (t) => {
  const site = await tableSite(t, {
    "//example.com/": `<img src="http://cdn.example.com/i.png"><link rel=stylesheet href="http://assets.test/s.css">`,
    "//example.com/robots.txt": text("Sitemap: http://maps.test/sitemap.xml\n"),
    "//maps.test/sitemap.xml": {
      type: "application/xml",
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://example.com/m</loc></url></urlset>`,
    },
    "//example.com/m": "<p>x",
    "//cdn.example.com/robots.txt": redirect("http://robots.test/robots.txt"),
    "//robots.test/robots.txt": text("User-agent: *\nAllow: /\n"),
  });
  await crawlInto(t, "http://example.com/", { ...through(site), ...SECRETS, checkHead: true });
  const { secret, plain } = told(site);
  assert.ok(secret.includes("example.com /robots.txt") && secret.includes("example.com /m"), secret.join());
  assert.ok(
    secret.every((line) => line.startsWith("example.com /")),
    secret.join(),
  );
  for (const line of [
    "maps.test /sitemap.xml",
    "cdn.example.com /i.png",
    "assets.test /s.css",
    "robots.test /robots.txt",
  ]) {
    assert.ok(plain.includes(line), `${line} was not requested: ${plain.join()}`);
  }
});

test("a rendered page's requests to other origins carry no secrets", async (t) => {
  const site = await tableSite(t, {
    "//example.com/": `<script>for (const host of ["example.com", "docs.example.com", "example.com:8081", "other.test"])
      fetch("http://" + host + "/data", { mode: "no-cors" }).catch(() => {})</script>`,
    "/data": text("x"),
  });
  await crawlInto(t, "http://example.com/", { ...through(site), ...SECRETS, render: true, discovery: ["spider"] });
  const { secret, plain } = told(site);
  assert.ok(secret.includes("example.com /data"), `${secret.join()} | ${plain.join()}`);
  assert.ok(
    secret.every((line) => line.startsWith("example.com /")),
    secret.join(),
  );
  for (const host of ["docs.example.com", "example.com:8081", "other.test"]) {
    assert.ok(plain.includes(`${host} /data`), `${host} was not requested: ${plain.join()}`);
  }
});

test("the settings may name more origins for the secrets", async (t) => {
  const site = await tableSite(t, {
    "//example.com/": linking("http://docs.example.com/", "http://www.example.com/"),
    "//docs.example.com/": "<p>x",
    "//www.example.com/": "<p>x",
  });
  const credentialOrigins = ["http://example.com", "http://docs.example.com/"];
  await crawlInto(t, "http://example.com/", { ...through(site), ...SECRETS, discovery: ["spider"], credentialOrigins });
  const { secret } = told(site);
  assert.deepEqual(
    secret.filter((line) => !line.endsWith(".txt")),
    ["docs.example.com /", "example.com /"],
  );
});
