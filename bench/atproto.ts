/**
 * From CAR to records and JSON: Trawl compared with @atcute/repo and @atproto/repo, each in a separate process.
 * `node bench/atproto.ts [--records 400000] [--only a,b]`. Exits with 1 when a target is missed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CONTENDERS, type Read } from "./atproto/contenders.ts";
import { measure } from "./measure.ts";
import { circumstances, table, writeSection } from "./results.ts";

/** The targets. */
const TIMES_ATCUTE = 6;
const MEMORY_RATIO = 2.5;

const ROUNDS = 3;

/** What a contender's process prints. Seconds are the processor time of the best pass: other load can only add to it. */
interface Told extends Read {
  seconds: number;
  carBytes: number;
}

interface Row extends Told {
  name: string;
  /** Peak memory of a process that reads the CAR once. */
  peakBytes: number;
}

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "400000" },
    only: { type: "string" },
    contender: { type: "string" },
    car: { type: "string" },
    passes: { type: "string" },
  },
});
if (values.contender !== undefined) await contend(values.contender, values.car!, Number(values.passes));
else await compare(Number(values.records));

async function contend(name: string, path: string, passes: number): Promise<void> {
  const car = readFileSync(path);
  const signingKey = readFileSync(`${path}.key`, "utf8");
  const reader = await CONTENDERS[name]!.load();
  let read: Read = { records: 0, bytes: 0 };
  let seconds = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < passes; pass++) {
    const before = process.cpuUsage();
    read = await reader(car, signingKey);
    const { user, system } = process.cpuUsage(before);
    seconds = Math.min(seconds, (user + system) / 1e6);
  }
  console.log(JSON.stringify({ ...read, seconds, carBytes: car.length } satisfies Told));
}

async function compare(records: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-bench-atproto-"));
  const rows = new Map<string, Row>();
  try {
    const whole = await store(join(folder, "whole.car"), records);
    const tenth = await store(join(folder, "tenth.car"), Math.ceil(records / 10));
    // In turns, because the machine's speed varies: the best passes of all contenders then come from the same period.
    for (const [name, { passes, tenth: small }] of new Array(ROUNDS).fill(Object.entries(CONTENDERS)).flat()) {
      if (values.only && !values.only.split(",").includes(name)) continue;
      const run = (count: number) => {
        const given = ["--contender", name, "--car", small ? tenth : whole, "--passes", `${count}`];
        return measure({ file: process.execPath, arguments: [import.meta.filename, ...given] });
      };
      const once = await run(1);
      const told = JSON.parse((passes > 1 ? await run(passes) : once).stdout) as Told;
      const earlier = rows.get(name);
      const row = { name, ...told, peakBytes: once.peakBytes };
      rows.set(name, earlier === undefined || row.seconds < earlier.seconds ? row : earlier);
      console.log(`${name}: ${(told.carBytes / 1e6 / told.seconds).toFixed(1)} MB/s`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const text = report([...rows.values()]);
  console.log(`\n${text}`);
  // Partial runs are printed, but not written to RESULTS.md.
  if (!values.only) writeSection("atproto", text);
}

async function store(path: string, records: number): Promise<string> {
  // Loaded here, so that it does not count towards the memory of the contenders.
  const { generateRepo } = await import("./atproto/generate.ts");
  const { car, keys } = generateRepo(records);
  writeFileSync(path, car);
  writeFileSync(`${path}.key`, keys.didKey);
  return path;
}

function report(rows: readonly Row[]): string {
  const speed = ({ carBytes, seconds }: Row) => carBytes / 1e6 / seconds;
  const named = (name: string) => rows.find((row) => row.name === name);
  const atcute = named("atcute");
  const atcuteVerified = named("atcute-blocks");
  const verified = named("trawl-blocks");
  const lines = rows.map((row) => [
    CONTENDERS[row.name]!.what,
    (row.carBytes / 1e6).toFixed(1),
    row.records.toLocaleString("en"),
    row.seconds.toFixed(2),
    speed(row).toFixed(1),
    Math.round(row.records / row.seconds).toLocaleString("en"),
    (row.peakBytes / 2 ** 20).toFixed(0),
    `${(row.peakBytes / row.carBytes).toFixed(2)}×`,
    atcute ? `${(speed(row) / speed(atcute)).toFixed(2)}×` : "",
  ]);
  const head = [
    "",
    "CAR MB",
    "records",
    "CPU s",
    "MB/s",
    "records/s",
    "peak MiB",
    "of the CAR",
    "speed of @atcute/repo, nothing verified",
  ];
  const bars: string[] = [];
  const bar = (holds: boolean, text: string) => {
    bars.push(`- ${holds ? "met" : "**not met**"}: ${text}`);
    if (!holds) process.exitCode = 1;
  };
  if (atcuteVerified && verified) {
    const times = speed(verified) / speed(atcuteVerified);
    bar(
      times >= TIMES_ATCUTE,
      `with every hash verified, at least ${TIMES_ATCUTE}× @atcute/repo with every hash verified (${times.toFixed(2)}×)`,
    );
  }
  if (verified)
    bar(verified.peakBytes < MEMORY_RATIO * verified.carBytes, `peak memory under ${MEMORY_RATIO}× the CAR`);
  return [
    "## AT Protocol: a CAR to records and JSON, one core",
    "",
    `${circumstances(new Date())}. Node ${process.version}. A repo of likes, reposts, follows and posts, blocks in the order in which a PDS exports them.`,
    "",
    table(head, lines),
    "",
    "Speed is measured in processor time of the best pass of three rounds, including garbage collection and all threads. Peak memory is that of a process that reads the CAR once, and includes Node, the CAR and the result. @atproto/repo reads a repo of a tenth of the size.",
    "",
    ...bars,
  ].join("\n");
}
