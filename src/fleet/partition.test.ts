/** Hosts are spread over partitions evenly, also those with names in a row; and parents keep their partition. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foreignParent, PARTS, parentOf, partOfLane } from "./partition.ts";

const NAMES: Record<string, (at: number) => string> = {
  "addresses in a row": (at) => `127.0.1.${at}:34527`,
  "shops of one platform": (at) => `shop${at}.example`,
  "domains in a row": (at) => `www.site-${at}.com`,
};

describe("partitions", () => {
  for (const [what, name] of Object.entries(NAMES)) {
    it(`${what}: no share of the partitions gets far more than the others`, () => {
      const shares = new Array<number>(4).fill(0);
      for (let at = 1; at <= 400; at++) shares[Math.floor((partOfLane(name(at), PARTS) * 4) / PARTS)]!++;
      assert.ok(Math.min(...shares) > 70 && Math.max(...shares) < 130, shares.join(" "));
    });
  }

  it("a parent in another partition is found from everywhere", () => {
    assert.deepEqual(parentOf(3, foreignParent(127, 2 ** 31 - 1)), { part: 127, id: 2 ** 31 - 1 });
    assert.deepEqual(parentOf(3, 17), { part: 3, id: 17 });
    assert.equal(parentOf(3, foreignParent(3, 0)), null);
  });
});
