/** `npm run soak`: thousands of hosts with mixed faults, crawled for minutes; fails when memory, handles or files are lost. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { Sample } from "./soak-crawl.ts";

const HELP = `npm run soak -- [options]
  --minutes N  10 by default
  --lanes N    hosts; 2,000 by default
  --help

Crawls hosts on 127.0.0.0/8 again and again in one process. Linux only: the addresses and the count of open files are Linux's.`;

/** What counts as lost, in MB per minute. Collecting garbage leaves more or less behind each time. */
const MAX_MEMORY_SLOPE = 2;
const MAX_RSS_SLOPE = 15;

const HEAD = "minutes  crawls   fetched   RSS MB  memory MB  handles  files  temporary  loop p50/p99/max ms";

const row = (one: Sample): string =>
  [
    one.minutes.toFixed(1).padStart(7),
    String(one.crawls).padStart(7),
    String(one.fetched).padStart(9),
    one.rssMb.toFixed(0).padStart(8),
    one.memoryMb.toFixed(1).padStart(10),
    String(one.handles).padStart(8),
    String(one.files).padStart(6),
    String(one.temporary).padStart(10),
    `  ${one.delayP50.toFixed(0)} / ${one.delayP99.toFixed(0)} / ${one.delayMax.toFixed(0)}`,
  ].join(" ");

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    lanes: { type: "string", default: "2000" },
    help: { type: "boolean" },
  },
});

if (values.help) console.log(HELP);
else process.exitCode = (await main(Number(values.minutes), Number(values.lanes))) ? 0 : 1;

async function main(minutes: number, lanes: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-soak-"));
  const script = (name: string): string => join(import.meta.dirname, name);
  const servers = spawn(process.execPath, [script("soak-servers.ts"), `${lanes}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(createInterface(servers.stdout), "line")) as [string];
    const { port } = JSON.parse(line) as { port: number };
    const flags = ["--expose-gc", "--disable-warning=ExperimentalWarning"];
    const crawler = spawn(process.execPath, [...flags, script("soak-crawl.ts"), `${port}`, `${lanes}`, `${minutes}`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: folder },
    });
    const exited = once(crawler, "exit");
    const samples: Sample[] = [];
    console.log(HEAD);
    for await (const text of createInterface(crawler.stdout)) {
      const sample = JSON.parse(text) as Sample;
      samples.push(sample);
      if (sample.settled) console.log(row(sample));
    }
    const [code] = (await exited) as [number | null];
    return report(samples, code, readdirSync(folder));
  } finally {
    servers.stdin.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The slope of a line through the points, by least squares. */
function slope(points: readonly [minutes: number, value: number][]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([minute]) => minute), mean(([, value]) => value)];
  const above = mean(([minute, value]) => (minute - x) * (value - y));
  return above / mean(([minute]) => (minute - x) ** 2);
}

function report(samples: readonly Sample[], code: number | null, left: readonly string[]): boolean {
  const settled = samples.filter((one) => one.settled);
  const [first, ...later] = settled;
  const last = later.at(-1);
  if (code !== 0 || first === undefined || last === undefined || later.length < 2) {
    console.log(code === 0 ? "Too short to say anything: fewer than three crawls." : `The crawls ended with ${code}.`);
    return false;
  }
  const memory = slope(later.map((one) => [one.minutes, one.memoryMb]));
  // The allocator keeps what it once had, so that the first half only says how much that is.
  const half = last.minutes / 2;
  const rss = slope(samples.filter(({ minutes }) => minutes > half).map((one) => [one.minutes, one.rssMb]));
  const peak = Math.max(...samples.map(({ rssMb }) => rssMb));
  const busy = Math.max(...samples.map(({ handles }) => handles));
  console.log(`
RSS                   ${rss.toFixed(2)} MB per minute, peak ${peak.toFixed(0)} MB
memory after a crawl  ${memory.toFixed(2)} MB per minute
event-loop delay      ${last.delayP50.toFixed(0)} ms (p50), ${last.delayP99.toFixed(0)} ms (p99), ${last.delayMax.toFixed(0)} ms (longest)
handles               ${last.handles} after the last crawl, ${first.handles} after the first; at most ${busy}
open files            ${last.files} after the last crawl, ${first.files} after the first
temporary files left  ${left.length}${left.length > 0 ? `: ${left.slice(0, 5).join(" ")}` : ""}`);
  const leaks = [
    ...(memory > MAX_MEMORY_SLOPE ? ["memory"] : []),
    ...(rss > MAX_RSS_SLOPE ? ["RSS"] : []),
    ...(last.handles > first.handles ? ["handles"] : []),
    ...(last.files > first.files ? ["open files"] : []),
    ...(left.length > 0 ? ["temporary files"] : []),
  ];
  console.log(leaks.length === 0 ? "\nNothing is lost." : `\nLost: ${leaks.join(", ")}.`);
  return leaks.length === 0;
}
