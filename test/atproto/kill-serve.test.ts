/** kill -9 of `trawl atproto serve` while `follow` records and a program keeps a copy by the stream: nothing is left out of the copy, nor out of order. */
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { linesOf, Trawl } from "../cli/trawl.ts";
import type { Write } from "../servers/at-network/firehose.ts";
import { seededRandom } from "../servers/random.ts";
import { crawlAll } from "./crawling.ts";
import { reached, startFirehose, startFollow, until } from "./following.ts";
import { Copy, pathsOf, same, truth } from "./stream-copy.ts";

/** A process takes a second to start on a busy machine: `KILLS=20` for more. */
const KILLS = Number(process.env["KILLS"] ?? 4);

const nameOf = (index: number): string => `app.bsky.feed.post/${index}`;

test(`the server killed ${KILLS} times, a consumer's copy is whole`, async (t) => {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const live = { ...(await startFirehose(t, 6)), folder: trawl.folder };
  const { firehose, network } = live;
  const random = seededRandom(20261119);
  const write = (index: number) => {
    const account = network.accounts[index % network.accounts.length]!;
    const write: Write = ["create", nameOf(index), { $type: "app.bsky.feed.post", text: `${index}` }];
    const old = index - 2 * network.accounts.length;
    // Those of an earlier round, so that deletes are killed, too.
    return firehose.commit(account, index % 5 === 0 && old >= 0 ? [write, ["delete", nameOf(old)]] : [write]);
  };
  let written = 0;
  while (written < 3 * network.accounts.length) await write(written++);
  await crawlAll(network, live.folder);
  const follow = await startFollow(t, live);
  let isWriting = true;
  const writing = (async () => {
    for (; isWriting; await wait(3)) await write(written++);
  })();
  t.after(() => {
    isWriting = false;
  });
  let copy: Copy | null = null;
  for (let run = 0; run <= KILLS; run++) {
    const child = trawl.start("atproto", "serve", "--port", "0", "--json");
    t.after(() => child.kill("SIGKILL"));
    const { url } = (await linesOf(child).next()).value as unknown as { url: string };
    const next: Copy = new Copy(t, { url }, "?consumer=app", true, copy);
    copy = next;
    await until("something of the stream", () => next.messages.length > 0);
    if (run === KILLS) break;
    await wait(random(600));
    child.kill("SIGKILL");
    await once(child, "close");
  }
  isWriting = false;
  await writing;
  await reached(follow, firehose.seq);
  await until("all of it", async () => same(pathsOf(copy!), await truth(firehose, network.accounts)));
  await follow.stop();
});
