/** Flags of `trawl atproto crawl` as settings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlSettings } from "./crawl-options.ts";

test("DIDs come from ClickHouse when it is named and no source is", () => {
  assert.deepEqual(crawlSettings({ clickhouseAddress: "db:8123" })["source"], ["clickhouse"]);
  assert.deepEqual(crawlSettings({ clickhouseDatabase: "plc" })["source"], ["clickhouse"]);
  assert.deepEqual(crawlSettings({ clickhouseAddress: "db:8123", source: ["dids:x"] })["source"], ["dids:x"]);
  assert.deepEqual(crawlSettings({})["source"], []);
});
