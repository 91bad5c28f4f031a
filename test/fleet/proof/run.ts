/** `npm run fleet-proof`: four workers on 200 hosts, with everything that can go wrong, and what came of it. */
import { parseArgs } from "node:util";
import { CuttingProxy } from "../../../src/fleet/testing/cutting-proxy.ts";
import { NO_POSTGRES, TestPostgres } from "../../../src/fleet/testing/postgres-server.ts";
import { Accidents, say } from "./accidents.ts";
import { FleetProof } from "./proof.ts";

const HELP = `npm run fleet-proof -- [options]
  --hosts N    200 by default
  --pages N    of each host; 60 by default
  --kills N    workers to kill; 20 by default
  --rate N     requests per second and host; 2 by default
  --speed N    leases are so many times shorter than they are; 1 by default
  --seed N     1 by default
  --help

Kills workers at random, stops one for longer than its lease, cuts connections around COMMIT, makes the time of day of one worker jump,
crashes PostgreSQL, and promotes a synchronous and then an asynchronous standby. Linux only: the hosts are on 127.0.0.0/8.`;

const number = (value: number) => ({ type: "string" as const, default: `${value}` });
const { values } = parseArgs({
  options: {
    hosts: number(200),
    pages: number(60),
    kills: number(20),
    rate: number(2),
    speed: number(1),
    seed: number(1),
    help: { type: "boolean" },
  },
});

if (values.help) console.log(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const first = await TestPostgres.start();
  if (first === null) {
    console.log(NO_POSTGRES);
    return false;
  }
  const servers = [first];
  const proxies: CuttingProxy[] = [];
  const [hosts, pages, rate, speed] = [values.hosts, values.pages, values.rate, values.speed].map(Number) as number[];
  // Every worker reaches each server through a proxy that can cut its connections.
  const addresses = () => proxies.map(({ url }) => url).join(",");
  const proof = new FleetProof({ hosts: hosts!, pages: pages!, rate: rate!, speed: speed!, postgres: addresses });
  try {
    for (const isSynchronous of [true, false]) servers.push(await servers.at(-1)!.standby(isSynchronous));
    for (const { port } of servers) proxies.push(await CuttingProxy.start(port));
    await proof.open();
    proof.watch();
    const options = { kills: Number(values.kills), speed: speed!, seed: Number(values.seed) };
    await new Accidents(proof, servers as [TestPostgres, TestPostgres, TestPostgres], proxies, options).happen();
    return await check(proof);
  } finally {
    await proof.close();
    for (const proxy of proxies) await proxy.stop();
    for (const server of servers.reverse()) await server.stop();
  }
}

async function check(proof: FleetProof): Promise<boolean> {
  await proof.end();
  const sent = proof.sent();
  const politeness = proof.politeness(sent, await proof.asked());
  say(`each record once: ${JSON.stringify(await proof.storedOnce())}`);
  say(`polite: ${sent.length} requests, ${JSON.stringify(politeness)}`);
  say(`the same as one machine's crawl: ${JSON.stringify(await proof.compare())}`);
  say(`Σ open was the number of tasks in ${proof.snapshots} snapshots`);
  return process.exitCode !== 1;
}
