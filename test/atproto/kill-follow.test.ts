/** kill -9 while `follow` records: every event of the stream is stored exactly once, in order, and what follows from them is whole. */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventSegments } from "../../src/atproto/follow/event-segments.ts";
import { FollowState } from "../../src/atproto/follow/follow-state.ts";
import { childEnd } from "../servers/child-end.ts";
import { seededRandom } from "../servers/random.ts";
import { startFirehose, storedEvents, until } from "./following.ts";

const SCRIPT = fileURLToPath(new URL("run-follow.ts", import.meta.url));
/** A process takes a second to start on a busy machine: `KILLS=20` for more. */
const KILLS = Number(process.env["KILLS"] ?? 5);

test(`killed ${KILLS} times, follow neither loses nor doubles an event`, async (t) => {
  const { network, firehose, folder } = await startFirehose(t, 6);
  const random = seededRandom(20261118);
  const outputDir = join(folder, "rca");
  const settings = {
    source: `relay:${firehose.origin}`,
    outputDir,
    // So that segments of events are begun between kills.
    segmentSize: 2_000,
    allowPrivate: true,
    plcUrl: network.plc.url,
    plcRps: 1_000,
  };
  let child: ChildProcess;
  const run = (): void => {
    child = fork(SCRIPT, [JSON.stringify(settings)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  };
  let isWriting = true;
  // When it fails, too: otherwise the process would go on writing instead of saying what failed.
  t.after(() => {
    isWriting = false;
    child.kill("SIGKILL");
  });
  const writing = (async () => {
    for (let index = 0; isWriting; index++) {
      const account = network.accounts[index % network.accounts.length]!;
      const path = `app.bsky.feed.post/${index}`;
      await firehose.commit(account, [
        ["create", path, { $type: "app.bsky.feed.post", text: "x".repeat(index % 400) }],
      ]);
      if (index % 7 === 0) firehose.tell("#identity", { did: account.did });
      await wait(2);
    }
  })();
  run();
  for (let kill = 0; kill < KILLS; kill++) {
    const before = firehose.cursors.length;
    await until("a connection", () => firehose.cursors.length > before || child.exitCode !== null);
    if (child!.exitCode !== null) assert.fail(`it ended by itself: ${JSON.stringify(await childEnd(child!))}`);
    // Around the moments at which batches are stored.
    await wait(random(800));
    child!.kill("SIGKILL");
    await childEnd(child!);
    run();
  }
  isWriting = false;
  await writing;
  const last = firehose.log.at(-1)!.seq;
  await until("the last event", async () => (await storedEvents(folder)).at(-1)?.seq === last);
  child!.kill("SIGTERM");
  const { code, said } = await childEnd(child!);
  assert.equal(code, 0, said);
  assert.deepEqual(
    (await storedEvents(folder)).map(({ seq }) => seq),
    firehose.log.map(({ seq }) => seq),
  );
  assert.ok((await eventSegments(outputDir)).length > 1);
  const state = new FollowState(outputDir);
  t.after(() => state.close());
  assert.equal(state.marked, 0, "no gap was seen where there is none");
  for (const account of network.accounts) assert.equal(state.account(account.did)!.rev, account.repo.rev);
});
