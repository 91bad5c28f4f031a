import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assignTier, HostTiers, TIERS_FILE } from "./host-tiers.ts";
import { temporaryFolder } from "./rca/testing/samples.ts";

test("a tier is assigned, replaced and taken back; lines written by hand stay", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, TIERS_FILE);
  const notices: string[] = [];
  const tiers = new HostTiers(folder, (text) => notices.push(text));
  assert.equal(tiers.of("https://pds.example"), null);
  assert.deepEqual(tiers.refresh(), []);
  writeFileSync(path, "# our own\nPDS.example large # since May\nother.example huge\nhost.example:8443 small\n");
  assert.deepEqual(tiers.refresh().sort(), [
    "http://host.example:8443",
    "http://pds.example",
    "https://host.example:8443",
    "https://pds.example",
  ]);
  assert.deepEqual([tiers.of("https://pds.example"), tiers.of("https://host.example:8443")], ["large", "small"]);
  assert.equal(tiers.of("https://other.example"), null);
  assert.match(notices.join(), /line 3/);
  assert.equal(await assignTier(folder, "https://PDS.example/", "trusted"), "pds.example");
  assert.deepEqual(tiers.refresh().sort(), ["http://pds.example", "https://pds.example"]);
  assert.equal(tiers.of("https://pds.example"), "trusted");
  await assignTier(folder, "host.example:8443", null);
  assert.deepEqual(tiers.refresh().length, 2);
  assert.equal(readFileSync(path, "utf8"), "# our own\nother.example huge\npds.example trusted\n");
  for (const host of ["", "two words", "a#b", "https://pds.example/path"]) {
    await assert.rejects(assignTier(folder, host, "small"), { code: "BAD_USAGE" }, host);
  }
});

test("a tier limits the accounts of a host, lifts the limit, or leaves it as it is", async (t) => {
  const folder = await temporaryFolder(t);
  for (const tier of ["limited", "trusted", "large"] as const) await assignTier(folder, `${tier}.example`, tier);
  const tiers = new HostTiers(folder);
  const limits = ["limited", "trusted", "large", "none"].map((name) => tiers.accounts(`https://${name}.example`, 5));
  assert.deepEqual(limits, [1_000, Number.POSITIVE_INFINITY, 5, 5]);
});
