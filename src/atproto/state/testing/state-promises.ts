/** What every CrawlState promises in addition to its ledger: what it counts, forgets and keeps. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { cursorNote } from "../../../kernel/ledger.ts";
import type { DidAtHost, SettledDid, StateChange } from "../crawl-state.ts";
import type { Place } from "./state-harness.ts";

const stored = (did: string): SettledDid => ({
  did,
  failure: null,
  isFinal: true,
  detail: null,
  host: null,
  retryAt: 0,
});
const failed = (did: string, failure: string, isFinal: boolean, detail: string | null = null): SettledDid => ({
  did,
  failure,
  isFinal,
  detail,
  host: HOST,
  retryAt: isFinal ? Number.MAX_SAFE_INTEGER : 0,
});
const HOST = "https://a.example";
const at = (...dids: string[]): DidAtHost[] => dids.map((did) => ({ did, host: HOST }));
const change = (more: Partial<StateChange>): StateChange => ({ settled: [], lanes: new Map(), notes: [], ...more });

export function statePromises(name: string, makePlace: () => Promise<Place>): void {
  const promise = (title: string, body: (place: Place) => Promise<void>): void => {
    it(`${name} ${title}`, async () => {
      const place = await makePlace();
      try {
        await body(place);
      } finally {
        await place.dispose();
      }
    });
  };

  promise("counts what is stored and what failed, and offers again what may pass", async (place) => {
    const state = place.state();
    await state.take();
    const settled = [
      stored("a"),
      failed("b", "test", true),
      failed("c", "other", false),
      failed("d", "test", false, "why"),
    ];
    await state.commit(change({ settled }));
    assert.deepEqual(await state.unsettled(at("a", "b", "c", "d", "e")), ["c", "d", "e"]);
    const { completed, failed: classes } = await state.summary();
    assert.equal(completed, 2);
    assert.deepEqual(classes, { test: 2, other: 1 });
    await state.close();
  });

  promise("forgets one account, and no other", async (place) => {
    const state = place.state();
    await state.take();
    await state.commit(
      change({ settled: [stored("a"), stored("b"), failed("c", "test", true), failed("d", "test", true)] }),
    );
    await state.forget("a");
    await state.forget("c");
    assert.deepEqual(await state.unsettled(at("a", "b", "c", "d")), ["a", "c"]);
    const { completed, failed: classes } = await state.summary();
    assert.deepEqual([completed, classes], [2, { test: 1 }]);
    await state.close();
  });

  promise("moves a DID from class to class, and out of them when it is stored", async (place) => {
    const state = place.state();
    await state.take();
    await state.commit(change({ settled: [failed("a", "test", false), failed("b", "test", false)] }));
    await state.commit(change({ settled: [failed("a", "other", false), stored("b")] }));
    const { completed, failed: classes } = await state.summary();
    assert.equal(completed, 1);
    assert.deepEqual(classes, { other: 1 });
    assert.deepEqual(await state.unsettled(at("a", "b")), ["a"]);
    await state.close();
  });

  promise(
    "asks another host at once what one host does not have, and the same host when its time has come",
    async (place) => {
      const state = place.state();
      await state.take();
      const again = (did: string, host: string, retryAt: number) => ({ ...failed(did, "test", true), host, retryAt });
      const never = Number.MAX_SAFE_INTEGER;
      const [old, other] = ["https://old.example", "https://new.example"];
      await state.commit(change({ settled: [again("a", old, never), again("b", old, 1)] }));
      const left = (host: string | null, ...dids: string[]) => state.unsettled(dids.map((did) => ({ did, host })));
      assert.deepEqual(await left(old, "a", "b"), ["b"], "its time has come");
      assert.deepEqual(await left(other, "a"), ["a"]);
      await state.commit(change({ settled: [again("a", other, never)] }));
      assert.deepEqual(await left(old, "a"), []);
      assert.deepEqual(await left(other, "a"), []);
      assert.deepEqual(await left(null, "a"), ["a"]);
      await state.commit(change({ settled: [stored("a")] }));
      assert.deepEqual(await left("https://third.example", "a"), [], "it is stored");
      await state.close();
    },
  );

  promise("marks what segments hold as stored, and returns what was new", async (place) => {
    const state = place.state();
    await state.take();
    await state.commit(change({ settled: [stored("a"), failed("b", "test", false)] }));
    assert.deepEqual(await state.markStored(["a", "b", "c"]), ["b", "c"]);
    assert.deepEqual(await state.markStored(["a", "b", "c"]), []);
    assert.deepEqual(await state.markStored([]), []);
    assert.deepEqual(await state.unsettled(at("a", "b", "c", "d")), ["d"]);
    assert.deepEqual((await state.summary()).failed, {});
    await state.close();
  });

  promise("keeps progress and cursors until they are cleared, and forgets everything on reset", async (place) => {
    const state = place.state();
    await state.take();
    await state.saveProgress({ stats: { total_crawled: 1, bytes_written: 1 }, segmentNumber: 1 });
    const counted = { stats: { total_crawled: 7, bytes_written: 2 ** 52 + 1 }, segmentNumber: 3 };
    await state.commit(change({ progress: counted }));
    await state.commit(change({ settled: [stored("a")], notes: [cursorNote("x", "10"), { key: "n", value: "v" }] }));
    await state.close();
    const again = place.state();
    await again.take();
    const { notes, progress } = await again.read();
    assert.equal(progress.segmentNumber, 3);
    assert.deepEqual([...notes.keys()].sort(), ["cursor x", "n"]);
    const summary = await again.summary();
    assert.deepEqual(summary.stats, counted.stats);
    assert.equal(summary.segmentNumber, 3);
    assert.deepEqual(summary.cursors, { x: "10" });
    await again.clearCursors();
    assert.deepEqual((await again.summary()).cursors, {});
    assert.deepEqual(await again.unsettled(at("a")), []);
    await again.reset();
    assert.deepEqual(await again.unsettled(at("a")), ["a"]);
    assert.equal((await again.summary()).segmentNumber, 0);
    await again.close();
  });
}
