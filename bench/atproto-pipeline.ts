/**
 * The whole of `trawl atproto crawl`: getRepo from servers on loopback, every hash verified, to segments on disk.
 * `node bench/atproto-pipeline.ts [--large 120] [--small 10000]`. Exits with 1 when the target is missed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openArchive } from "../src/atproto/rca/read/archive.ts";
import type { Serving } from "./atproto/pds-servers.ts";
import { lastJsonLine } from "./contender.ts";
import { type Measured, measure } from "./measure.ts";
import { circumstances, table, writeSection } from "./results.ts";

/** The target, on two cores. */
const REPOS_PER_MINUTE = 10_000;

const LARGE_REPOS = 120;
const SMALL_REPOS = 10_000;
/** Some 3 MB and some 4 KB. */
const LARGE_RECORDS = 8_000;
const SMALL_RECORDS = 12;
/**
 * The rates are Trawl's defaults: two requests per second to a host as small as these. A thousand hosts together allow 2,000
 * repos per second, so the rates do not limit the result.
 */
const REPOS_PER_HOST = { large: 1, small: 10 };

const TRAWL = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));
const SERVERS = fileURLToPath(new URL("./atproto/pds-servers.ts", import.meta.url));

interface Run extends Measured, Serving {
  what: string;
  repos: number;
  hosts: number;
  /** The crawl alone, without starting and ending the process. */
  crawlSeconds: number;
}

const { values } = parseArgs({
  options: {
    large: { type: "string", default: `${LARGE_REPOS}` },
    small: { type: "string", default: `${SMALL_REPOS}` },
  },
});
const load = loadavg()[0]!.toFixed(1);
const large = await crawl("repos of 3 MB", Number(values.large), LARGE_RECORDS, REPOS_PER_HOST.large);
const small = await crawl("repos of 4 KB", Number(values.small), SMALL_RECORDS, REPOS_PER_HOST.small);
const text = report([large, small]);
console.log(text);
// Runs with other sizes are printed, but not written to RESULTS.md.
if (Number(values.large) === LARGE_REPOS && Number(values.small) === SMALL_REPOS)
  writeSection("atproto-pipeline", text);

async function crawl(what: string, repos: number, records: number, perHost: number): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-bench-pipeline-"));
  const dids = join(folder, "dids.txt");
  const output = join(folder, "rca");
  const hosts = Math.ceil(repos / perHost);
  const given = [SERVERS, `${hosts}`, `${repos}`, `${records}`, dids];
  const servers = spawn(process.execPath, given, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [line] = (await once(servers.stdout, "data")) as [Buffer];
    const serving = JSON.parse(line.toString()) as Serving;
    const flags = [
      "--source",
      `dids:${dids}`,
      "--output-dir",
      output,
      "--verify",
      "blocks",
      "--allow-private",
      // Its DIDs are in no directory.
      "--trust-sources",
      "--no-proofs",
      "--json",
    ];
    const measured = await measure({ file: process.execPath, arguments: [TRAWL, "atproto", "crawl", ...flags] });
    const told = lastJsonLine(measured.stdout);
    await check(output, repos, serving.records, told);
    return { what, repos, hosts, ...serving, ...measured, crawlSeconds: Number(told["elapsedMs"]) / 1000 };
  } finally {
    // Wait for its end: otherwise its processor time would be counted with the next crawl.
    const ended = servers.exitCode ?? once(servers, "exit");
    servers.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks that everything was stored: by the crawl's counts, and by what is on disk. */
async function check(output: string, repos: number, records: number, told: Record<string, unknown>): Promise<void> {
  await using archive = await openArchive(output, ({ reason }) => {
    throw new Error(reason);
  });
  let found = 0;
  for await (const places of archive.places()) found += places.length;
  const counts = [told["stored"], told["records"], found];
  if (counts.join() !== [repos, records, repos].join()) throw new Error(`Not everything was stored: ${counts.join()}`);
}

function report(runs: readonly Run[]): string {
  const perMinute = (run: Run) => (run.repos / run.wallSeconds) * 60;
  const lines = runs.map((run) => [
    `${run.repos.toLocaleString("en")} ${run.what} on ${run.hosts.toLocaleString("en")} hosts`,
    (run.carBytes / 1e6).toFixed(0),
    run.wallSeconds.toFixed(1),
    run.crawlSeconds.toFixed(1),
    run.processorSeconds.toFixed(1),
    (run.carBytes / 1e6 / run.wallSeconds).toFixed(1),
    (run.carBytes / 1e6 / run.processorSeconds).toFixed(1),
    Math.round(perMinute(run)).toLocaleString("en"),
    Math.round(run.records / run.wallSeconds).toLocaleString("en"),
    (run.peakBytes / 2 ** 20).toFixed(0),
  ]);
  const head = [
    "",
    "CAR MB",
    "wall s",
    "crawl s",
    "CPU s",
    "MB/s",
    "MB/s per core",
    "repos/min",
    "records/s",
    "peak MiB",
  ];
  const isMet = perMinute(small) >= REPOS_PER_MINUTE;
  if (!isMet) process.exitCode = 1;
  return [
    "## AT Protocol: the whole crawl, from servers on loopback to segments on disk",
    "",
    `${circumstances(new Date())}. Node ${process.version}. \`trawl atproto crawl --verify blocks --trust-sources --no-proofs\`, 50 workers, default rates. Machine load at the start: ${load}.`,
    "",
    table(head, lines),
    "",
    "MB/s and repos/min use wall time, including the start and end of the program; the servers run on the same cores. MB/s per core uses the processor time of the crawl, all threads included. Each host has a separate loopback address, so that the rate per host does not limit the result.",
    "",
    `- ${isMet ? "met" : "**not met**"}: ${REPOS_PER_MINUTE.toLocaleString("en")} small repos per minute or more on two cores`,
  ].join("\n");
}
