/** A disk that really is full (a small tmpfs): the crawl ends and says why, and the next one does the rest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { smallDisk } from "../archive/small-disk.ts";
import { assertWhole, startCrawl, startNetwork } from "./crawling.ts";

for (const leftBytes of [300_000, 500_000, 900_000]) {
  test(`a disk with ${leftBytes} bytes left: nothing that was stored is lost`, async (t) => {
    const disk = smallDisk(t, "16m");
    if (disk === null) return t.skip("mounting a tmpfs needs root");
    const network = await startNetwork(t, { accounts: [60, 60, 60], pageSize: 25 });
    disk.fill(leftBytes);
    const { outcome } = await startCrawl(network, disk.folder);
    const { end } = await outcome;
    assert.notEqual(end.state, "completed");
    assert.match(String(end.error), /disk is full|database or disk is full/);
    disk.free();
    const again = await startCrawl(network, disk.folder, { resume: true });
    assert.deepEqual((await again.outcome).end.error, null);
    await assertWhole(network, disk.folder);
  });
}
