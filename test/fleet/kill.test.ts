/** Workers and the database die while they work: nothing is lost or stored twice, and no host is asked faster than it may be. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, it } from "node:test";
import { CuttingProxy } from "../../src/fleet/testing/cutting-proxy.ts";
import { NO_POSTGRES, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { seededRandom } from "../../src/kernel/testing/random.ts";
import { FleetProof } from "./proof/proof.ts";

const postgres = await TestPostgres.start();
after(() => postgres?.stop());
const skip = postgres === null && NO_POSTGRES;

it("after `stop` has returned no request is sent", { skip }, async (t) => {
  const proof = new FleetProof({ hosts: 20, pages: 200, rate: 20, speed: 5, postgres: () => postgres!.url });
  t.after(() => proof.close());
  await proof.open();
  const workers = [proof.work(), proof.work()];
  const ended = Promise.all(workers.map((worker) => once(worker, "exit")));
  await proof.reach(100);
  await proof.trawl("fleet", "stop", proof.name);
  const count = proof.sent().length;
  assert.deepEqual(await ended, [
    [3, null],
    [3, null],
  ]);
  assert.equal(proof.sent().length, count);
  const { state, open } = await proof.state();
  assert.equal(state, "stopped");
  assert.ok(open > 0, "it was stopped in the middle");
});

it("workers are killed and stopped, connections cut and the database crashes: the crawl is one machine's", {
  skip,
}, async (t) => {
  const proxy = await CuttingProxy.start(postgres!.port);
  const proof = new FleetProof({ hosts: 20, pages: 24, rate: 4, speed: 5, postgres: () => proxy.url });
  t.after(async () => {
    await proof.close();
    await proxy.stop();
  });
  const random = seededRandom(17);
  const any = () => [...proof.workers][Math.floor(random() * proof.workers.size)]!;
  await proof.open();
  proof.watch();
  for (let count = 0; count < 3; count++) proof.work();
  await proof.reach(60);
  await proof.kill(any());
  proof.work();
  proxy.cutNext("before", "after", "before", "after");
  await proof.reach(150);
  const stopped = any();
  stopped.kill("SIGSTOP");
  await postgres!.crash();
  await proof.reach(240);
  stopped.kill("SIGCONT");
  await proof.kill([...proof.workers].find((worker) => worker !== stopped)!);
  await proof.reach(300);
  proof.work();
  await proof.end();
  t.diagnostic(JSON.stringify(await proof.verify()));
});
