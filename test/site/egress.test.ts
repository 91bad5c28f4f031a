/** A page must not make Trawl send requests to the user's own network. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlInto, facts } from "./crawling.ts";
import { linking, redirect, tableSite, text } from "./table-site.ts";

test("private addresses that the start does not name are refused, however they are found", async (t) => {
  const inner = await tableSite(t, { "/": "<title>Secret</title>", "/secret": "x" });
  const local = `http://127.0.0.1:${inner.port}`;
  const site = await tableSite(t, {
    "/": `<img src=${local}/secret><img src="http://169.254.169.254/latest/meta-data/"><img src="http://[::1]:${inner.port}/x">
      <img src="http://localhost:${inner.port}/y"><img src="http://2130706433:${inner.port}/z">${linking("/out", `${local}/link`)}`,
    "/robots.txt": text(`Sitemap: ${local}/sitemap.xml`),
    "/out": redirect(`${local}/redirected`),
  });
  const { summary, database } = await crawlInto(t, site.url, { checkExternalLinks: true });
  assert.equal(summary.state, "completed");
  const errors = facts(database, local, "error", ["error!="]);
  assert.deepEqual(errors, {
    "/sitemap.xml": "private_address",
    "/secret": "private_address",
    "http://169.254.169.254/latest/meta-data/": "private_address",
    [`http://[::1]:${inner.port}/x`]: "private_address",
    [`http://localhost:${inner.port}/y`]: "private_address",
    "/z": "private_address",
    "/link": "private_address",
    "/redirected": "private_address",
  });
  assert.deepEqual(inner.requests, []);
});

test("the start's own address may be private, on its own port; with the setting, all may", async (t) => {
  const inner = await tableSite(t, { "/secret": "x" });
  const site = await tableSite(t, { "/": `<img src=${inner.url}secret>` });
  const { database } = await crawlInto(t, site.url, { allowPrivate: true });
  assert.equal(facts(database, inner.origin, "status")["/secret"], 200);
});
