/** The database is lost and a standby promoted in its place: workers and commands follow, and the crawl is one machine's. */
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { NO_POSTGRES, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { FleetProof, sleep } from "./proof/proof.ts";

const primary = await TestPostgres.start();
after(() => primary?.stop());
const skip = primary === null && NO_POSTGRES;

it("of a synchronous standby nothing is lost; an asynchronous one loses its last seconds and nothing else", {
  skip,
}, async (t) => {
  const synchronous = await primary!.standby(true);
  const behind = await synchronous.standby(false);
  const servers = [primary!, synchronous, behind];
  const addresses = servers.map(({ url }) => url).join(",");
  const proof = new FleetProof({ hosts: 20, pages: 24, rate: 4, speed: 5, postgres: () => addresses });
  t.after(async () => {
    await proof.close();
    await behind.stop();
    await synchronous.stop();
  });
  await proof.open();
  proof.watch();
  for (let count = 0; count < 3; count++) proof.work();
  await proof.reach(100);

  const seen = await proof.settled();
  await primary!.kill();
  // For a while there are only standbys: workers wait.
  await sleep(500);
  await synchronous.promote();
  assert.ok((await proof.settled()) >= seen, "what was committed is there");
  await proof.reach(seen + 60);

  await behind.fallBehind();
  const atFall = await proof.settled();
  await proof.reach(atFall + 100);
  await synchronous.kill();
  await behind.promote();
  const left = await proof.settled();
  assert.ok(left < atFall + 100, "the last commits are lost");
  await proof.end();
  t.diagnostic(JSON.stringify({ lost: atFall + 100 - left, ...(await proof.verify()) }));
});
