import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../site/parse-site-config.ts";
import { seedConfig } from "./operations/config.ts";
import { fromSeedConfig, toSeedConfig } from "./seed-config.ts";

test("seed config: every name of the operation has a setting, and comes back as it went", () => {
  const seed = {
    jsRenderingEnabled: true,
    parallelism: 7,
    userAgent: "bluesnake/1.0",
    includeSubdomains: false,
    singlePageMode: true,
    discoveryMechanisms: ["spider", "sitemap"],
    sitemapURLs: ["https://example.com/map.xml"],
    checkExternalResources: false,
  };
  assert.deepEqual(Object.keys(seed).sort(), Object.keys(seedConfig.shape).sort());
  assert.deepEqual(toSeedConfig(parseConfig(fromSeedConfig(seed))), seed);
  assert.deepEqual(fromSeedConfig({ parallelism: 3, userAgent: undefined }), { parallelism: 3 });
});
