/** `trawl atproto compact` and `forget` on the archive of a crawl. */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { forgetAccount } from "../../src/atproto/atproto-status.ts";
import { keyOf } from "../../src/atproto/catalogue/catalogue-record.ts";
import { compactArchive } from "../../src/atproto/catalogue/compact.ts";
import { FOLLOW_LOCK, SINCE_FOLDER } from "../../src/atproto/folder-files.ts";
import { compactEvents } from "../../src/atproto/follow/compact-events.ts";
import { readEvents } from "../../src/atproto/follow/event-segments.ts";
import { FollowState } from "../../src/atproto/follow/follow-state.ts";
import { verifySegment } from "../../src/atproto/rca/repair/verify-segments.ts";
import { commitEvent, POST, recordEvents, writeSegment } from "../../src/atproto/replay/testing/sample-archive.ts";
import { keepPlace, placeOf } from "../../src/atproto/serve/consumer-places.ts";
import { lockFile } from "../../src/storage/file-lock.ts";
import { crawlAll, makeFolder, startCrawl, startNetwork, storedDids } from "./crawling.ts";

const LIMITS = { targetBytes: 2 ** 31, now: () => Date.now(), onDamage: () => assert.fail() };

test("an updated archive is compacted with its proofs, and an account is erased from every file", async (t) => {
  const network = await startNetwork(t, { accounts: [6], faults: ["takendown"] });
  const folder = makeFolder(t);
  const rca = join(folder, "rca");
  await crawlAll(network, folder);
  const [changed, erased] = network.good.map(({ did }) => did) as [string, string];
  await network.change(changed);
  // An archive without a catalogue: the crawl makes one next to its own segments.
  const since = makeFolder(t);
  for (const name of readdirSync(rca).filter((file) => file.startsWith("segment_"))) {
    copyFileSync(join(rca, name), join(since, name));
  }
  await crawlAll(network, folder, { since: rca });
  await crawlAll(network, folder, { since });
  assert.ok(existsSync(join(rca, SINCE_FOLDER)));
  const events = { segment: 0, offset: 0, index: 0, made: "" };
  await keepPlace(rca, "app", { after: erased, began: 0, blocks: { below: 0, at: {} }, events });
  assert.equal((await storedDids(folder)).length, network.good.length + 1);
  const { droppedBlocks } = await compactArchive({ folder: rca, ...LIMITS });
  assert.equal(droppedBlocks, 1);
  assert.deepEqual(await storedDids(folder), network.good.map(({ did }) => did).sort());

  const config = parseAtprotoConfig({ source: ["dids:x"], outputDir: rca });
  const running = await startCrawl(network, folder);
  await assert.rejects(forgetAccount(config, erased, LIMITS), { code: "STATE_BUSY" });
  await running.outcome;
  for (const did of [erased, network.faulty("takendown").did]) {
    await forgetAccount(config, did, LIMITS);
    for (const path of filesOf(rca)) {
      const bytes = readFileSync(path);
      for (const form of [did, keyOf(did).subarray(1)]) assert.ok(!bytes.includes(form), `${path} has ${did}`);
    }
    assert.equal((await placeOf(rca, "app"))?.after, "");
  }
  assert.equal((await storedDids(folder)).length, network.good.length - 1);
  for (const path of filesOf(rca).filter((name) => name.endsWith(".rca"))) {
    const { problems, repos } = await verifySegment(path, {
      proofs: true,
      onDamage: ({ reason }) => assert.fail(reason),
    });
    assert.ok(problems === 0 && repos > 0);
  }
});

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

test("an account is erased from recorded events and what follows from them, and compaction drops what no longer counts", async (t) => {
  const rca = makeFolder(t);
  const [erased, other] = ["did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb"];
  const post = (rkey: string) => `${POST}/${rkey}`;
  const seen = 1_700_000_000_000_000n;
  await writeSegment(rca, [{ did: other, crawledAt: seen, rev: "3lb", collections: { [POST]: { a: { text: "a" } } } }]);
  const account = { kind: "account", seenAt: Number(seen), active: false, status: "takendown" } as const;
  const mark = { kind: "mark", reason: "refused", rev: "", seenAt: Number(seen) } as const;
  await recordEvents(rca, [
    commitEvent(1, erased, "3lc", seen, { [post("secret-rkey")]: { text: "secret words" } }),
    commitEvent(2, other, "3la", seen, { [post("a")]: { text: "a" } }),
    commitEvent(3, other, "3lc", seen, { [post("b")]: { text: "b" }, [post("c")]: { text: "c" } }),
    { ...mark, seq: 4, did: other, detail: `The commit was refused: it is for another account, "${erased}".` },
  ]);
  await recordEvents(rca, [
    commitEvent(5, other, "3ld", seen, { [post("b")]: null }),
    { ...account, seq: 6, did: erased },
    { ...mark, seq: 7, did: erased, detail: "x" },
  ]);

  const config = parseAtprotoConfig({ source: ["dids:x"], outputDir: rca });
  const following = lockFile(join(rca, FOLLOW_LOCK), 0);
  await assert.rejects(forgetAccount(config, erased, LIMITS), { code: "FOLLOW_BUSY" });
  following!.release();
  const { events } = await forgetAccount(config, erased, LIMITS);
  assert.equal(events?.droppedEvents, 3);
  for (const path of filesOf(rca)) {
    for (const text of [erased, "secret"])
      assert.equal(readFileSync(path).includes(text), false, `${path} has ${text}`);
  }
  const left = async () => {
    const all = [];
    for await (const { events: some, cursor } of readEvents(rca, ({ reason }) => assert.fail(reason))) {
      assert.equal(JSON.stringify(some).includes(erased), false);
      for (const event of some)
        all.push(event.kind === "commit" ? `${event.seq}: ${event.ops.map(opText)}` : event.seq);
      all.push(`cursor ${cursor}`);
    }
    return all;
  };
  const opText = ({ action, path }: { action: string; path: string }) => `${action} ${path.slice(POST.length + 1)}`;
  assert.deepEqual(await left(), ["2: create a", "3: create b,create c", 4, "cursor 4", "5: delete b", "cursor 7"]);
  // The state goes on where the files end.
  const state = new FollowState(rca);
  assert.equal(state.applied.offset, statSync(join(rca, "events_0001.rce")).size);
  assert.equal(state.account(erased), null);
  state.close();

  const running = lockFile(join(rca, FOLLOW_LOCK), 0);
  assert.equal((await compactEvents({ folder: rca, onDamage: LIMITS.onDamage }))?.segments, 0);
  running!.release();
  await compactEvents({ folder: rca, onDamage: LIMITS.onDamage });
  assert.deepEqual(await left(), ["3: create c", 4, "cursor 4", "5: delete b", "cursor 7"]);
  await recordEvents(rca, [commitEvent(8, other, "3le", seen, { [post("d")]: { text: "d" } })]);
  assert.deepEqual((await left()).slice(-2), ["8: create d", "cursor 8"]);
});
