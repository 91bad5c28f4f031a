/** How memory grows with the frontier: 5,000 pages with 200 new links each, so 1,000,000 discovered URLs. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { BigDiscoveryStats } from "../test/servers/big-discovery-site.ts";
import { type ServerProcess, startServerProcess } from "../test/servers/server-process.ts";
import { start } from "./measure.ts";
import { treeMemory } from "./process-tree.ts";
import { circumstances, table, writeSection } from "./results.ts";
import { slope } from "./slope.ts";
import { trawl } from "./trawl.ts";

const SAMPLE_MS = 50;
/** Trawl's default. */
const PARALLELISM = 5;
const MEBIBYTE = 2 ** 20;
/** The targets. */
const MOST_RESIDENT = 250 * MEBIBYTE;
const MOST_SLOPE = 40;
const SLOPE_FROM = 200_000;

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "5000" },
    links: { type: "string", default: "200" },
    trawl: { type: "string" },
  },
});
const pages = Number(values.pages);
const linksPerPage = Number(values.links);

type Sample = readonly [discovered: number, resident: number];

const contender = trawl(values.trawl);
const version = await contender.prepare();
const server = await startServerProcess("big", { pages, linksPerPage });
const folder = await mkdtemp(join(tmpdir(), "trawl-memory-"));
try {
  const { samples, crawled, highest } = await watch(server);
  const steep = slope(samples.filter(([discovered]) => discovered >= SLOPE_FROM));
  const report = describe(samples, crawled, highest, steep);
  console.log(report);
  if (!values.trawl) writeSection("memory", report);
  if (!(highest < MOST_RESIDENT && steep < MOST_SLOPE)) process.exitCode = 1;
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}

async function watch(site: ServerProcess): Promise<{ samples: Sample[]; crawled: number; highest: number }> {
  const child = start(contender.command({ url: site.url, pages, parallelism: PARALLELISM, folder }));
  const stdout = text(child.stdout!);
  const exited = once(child, "exit");
  const samples: Sample[] = [];
  let highest = 0;
  let running = true;
  void exited.then(() => {
    running = false;
  });
  while (running) {
    const { discovered } = await site.stats<BigDiscoveryStats>();
    const memory = treeMemory(child.pid!);
    // After the last page, indexes are built and the frontier no longer grows: those samples count for the maximum only.
    if (memory.resident > 0 && samples.at(-1)?.[0] !== 1 + pages * linksPerPage)
      samples.push([discovered, memory.resident]);
    highest = Math.max(highest, memory.resident, memory.highest);
    await Promise.race([sleep(SAMPLE_MS), exited]);
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`trawl ended with ${code}: ${(await stdout).slice(-500)}`);
  return { samples, crawled: contender.outcome(await stdout).pages, highest };
}

function describe(samples: readonly Sample[], crawled: number, highest: number, steep: number): string {
  const total = samples.at(-1)?.[0] ?? 0;
  const rows = Array.from({ length: 11 }, (_, step) => {
    const wanted = (total * step) / 10;
    const sample = samples.find(([discovered]) => discovered >= wanted) ?? samples.at(-1)!;
    return [sample[0].toLocaleString("en"), (sample[1] / MEBIBYTE).toFixed(0)];
  });
  const verdict = (met: boolean) => (met ? "met" : "**not met**");
  return [
    `## Memory: ${total.toLocaleString("en")} discovered URLs, ${crawled.toLocaleString("en")} pages crawled`,
    "",
    `${circumstances(new Date())}. Trawl ${version}; \`--max-urls ${pages}\`, ${PARALLELISM} at once; ${samples.length} samples.`,
    "",
    table(["discovered URLs", "resident MiB"], rows),
    "",
    `- ${verdict(highest < MOST_RESIDENT)}: at most ${(highest / MEBIBYTE).toFixed(0)} MiB resident (target: ${MOST_RESIDENT / MEBIBYTE} MiB)`,
    `- ${verdict(steep < MOST_SLOPE)}: ${steep.toFixed(1)} bytes per discovered URL from ${SLOPE_FROM.toLocaleString("en")} on (target: ${MOST_SLOPE})`,
  ].join("\n");
}
