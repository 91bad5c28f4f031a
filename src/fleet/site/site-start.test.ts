import assert from "node:assert/strict";
import { it } from "node:test";
import { SITE_META } from "../../site/links/link-kinds.ts";
import { parseConfig } from "../../site/site-config.ts";
import { hostOf } from "../../web/url.ts";
import { unpackFinds } from "../packed-finds.ts";
import { PARTS, partOfLane } from "../partition.ts";
import { startRows } from "./site-start.ts";

it("a long list is few rows, and each URL is in one of its own partition", async () => {
  const urls = Array.from({ length: 30_000 }, (_, at) => `https://h${at % 9_000}.example/p${at}`);
  const batches = Array.from({ length: 30 }, (_, at) => urls.slice(at * 1_000, (at + 1) * 1_000));
  const found: string[] = [];
  let rows = 0;
  for await (const some of startRows("list", batches, parseConfig({}), PARTS)) {
    rows += some.length;
    for (const { part, bytes } of some) {
      for (const { key } of unpackFinds(bytes, SITE_META)) {
        assert.equal(partOfLane(hostOf(key), PARTS), part);
        found.push(key);
      }
    }
  }
  assert.deepEqual(found.sort(), urls.sort());
  assert.ok(rows <= 2 * PARTS, `${rows} rows`);
});
