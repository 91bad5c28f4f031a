/** What people see while a fleet works: status, a worker's metrics, pause, Ctrl-C, and nothing secret in `ps`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { NO_POSTGRES, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { WORKER_METRICS } from "../../src/fleet/worker-metrics.ts";
import { Trawl } from "../cli/trawl.ts";
import { FleetProof } from "./proof/proof.ts";

const postgres = await TestPostgres.start();
const trawl = new Trawl();
after(async () => {
  trawl.remove();
  await postgres?.stop();
});

describe("a fleet at work", { skip: postgres === null && NO_POSTGRES }, () => {
  it("status, metrics, pause and Ctrl-C of a real worker", async (t) => {
    const secret = "swordfish";
    const url = postgres!.url.replace("trawl@", `trawl:${secret}@`);
    const proof = new FleetProof({ hosts: 4, pages: 4_000, rate: 5, speed: 1, postgres: () => postgres!.url });
    t.after(() => proof.close());
    await proof.open();
    const alone = (await trawl.run("fleet", "status", proof.name, "--postgres", postgres!.url)).stdout;
    assert.match(
      alone,
      /: running, 0 URLs fetched.*\n[\s\S]*No worker is at work\. Join it on any machine: trawl fleet work/,
    );

    process.env["TRAWL_POSTGRES"] = url;
    t.after(() => {
      delete process.env["TRAWL_POSTGRES"];
    });
    const worker = trawl.start("fleet", "work", proof.name, "--metrics-port", "0");
    t.after(() => worker.kill("SIGKILL"));
    let [said, printed] = ["", ""];
    const metricsUrl = await new Promise<string>((resolve) => {
      worker.stderr.on("data", (piece) => {
        said += piece;
        const found = /http:\/\/\S+\/metrics/.exec(said);
        if (found !== null) resolve(found[0]);
      });
    });
    worker.stdout.on("data", (piece) => {
      printed += piece;
    });
    const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    assert.ok(all.includes(`fleet work ${proof.name}`));
    assert.ok(!all.includes(secret), "the password is in no command line");

    const fetched = (metrics: string) => Number(/^trawl_fleet_urls_fetched_total (\d+)$/m.exec(metrics)![1]);
    let metrics = "";
    do {
      await new Promise((resolve) => setTimeout(resolve, 100));
      metrics = await (await fetch(metricsUrl)).text();
    } while (fetched(metrics) < 40);
    assert.ok((await proof.settled()) > 0);
    for (const name of Object.keys(WORKER_METRICS)) assert.match(metrics, new RegExp(`^${name} \\d+$`, "m"));
    const documented = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
    for (const [name, { help }] of Object.entries(WORKER_METRICS)) {
      assert.match(documented, new RegExp(`\`${name}\`.*${help}`));
    }

    // The worker says what its hosts do with some of its beats.
    const status = async () => JSON.parse((await trawl.run("fleet", "status", proof.name, "--json")).stdout);
    const isPolite = (waiting: Record<string, number>) => Object.keys(waiting).some((why) => /rate|fetching/.test(why));
    let now = await status();
    while (now.hosts.length < 4 || !isPolite(now.waiting)) now = await status();
    assert.deepEqual([now.workers.length, now.workers[0].isAlive, now.workers[0].partitions], [1, true, 128]);
    assert.equal(
      Object.values(now.waiting as Record<string, number>).reduce((sum, hosts) => sum + hosts, 0),
      4,
    );
    // Its next report may find all of them between two states.
    while (
      !/ hosts?: (?:keep to the rate|are being asked)\n/.test((await trawl.run("fleet", "status", proof.name)).stdout)
    );

    assert.equal((await trawl.run("fleet", "pause", proof.name)).stdout, `${proof.name} is paused.\n`);
    const settled = await proof.settled();
    assert.equal((await status()).settled, settled, "nothing follows");
    const watching = trawl.start("fleet", "status", proof.name, "--watch", "--json");
    t.after(() => watching.kill("SIGKILL"));
    let lines = "";
    watching.stdout.on("data", (piece) => {
      lines += piece;
    });
    assert.equal((await trawl.run("fleet", "resume", proof.name)).code, 0);
    while ((await proof.settled()) < settled + 5) await new Promise((resolve) => setTimeout(resolve, 100));

    const exited = once(worker, "exit");
    worker.kill("SIGINT");
    assert.deepEqual(await exited, [3, null]);
    assert.match(said, /Handing the share back/);
    assert.match(printed, /Left the crawl; the other workers continue it\. This worker fetched \d+ URLs\./);
    const { partitions, workers, state } = await status();
    assert.deepEqual([partitions.owned, workers, state], [0, [], "running"]);

    const ended = once(watching, "exit");
    assert.equal((await trawl.run("fleet", "stop", proof.name)).code, 0);
    assert.deepEqual(await ended, [0, null], "--watch ends with the crawl");
    const seen = lines.trim().split("\n");
    assert.ok(seen.length >= 2);
    assert.equal(JSON.parse(seen.at(-1)!).state, "stopped");
  });
});
