/**
 * The table of identities from a simulated PLC export: operations per second, disk and memory, and how fast a DID is found.
 * `node bench/atproto-identity.ts [--dids 1000000]`. What the whole network would take is computed from it, and marked so.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { IdentityTable } from "../src/atproto/identity/identity-table.ts";
import { readPlcFile } from "../src/atproto/identity/plc-export.ts";
import { encodeBase58 } from "../src/atproto/repo/multibase.ts";
import { measure } from "./measure.ts";
import { circumstances, writeSection } from "./results.ts";

/** The targets, for the whole network. */
const NETWORK_DIDS = 43_000_000;
const LEAST_PER_SECOND = 100_000;
const MOST_DISK = 4e9;
const MOST_MEMORY = 500e6;
/** Operations per DID: most accounts have one or two. */
const OPERATIONS = 2;
const HOSTS = 2_700;
const FINDS = 100_000;

const { values } = parseArgs({
  options: { dids: { type: "string", default: "1000000" }, file: { type: "string" }, folder: { type: "string" } },
});
interface Told {
  seconds: number;
  cpuSeconds: number;
  findsPerSecond: number;
}

/** In a process of its own, so that its memory is that of the import. */
async function build(file: string, folder: string, dids: number): Promise<void> {
  const table = new IdentityTable(folder);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await table.import("bench", (cursor) => readPlcFile(file, cursor));
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (table.count !== dids) throw new Error(`${table.count} of ${dids} DIDs are in the table`);
  const before = performance.now();
  for (let number = 0; number < FINDS; number++) {
    if (table.find(didOf((number * 7_919) % dids)) === null) throw new Error("a DID is missing");
  }
  const findsPerSecond = FINDS / ((performance.now() - before) / 1000);
  console.log(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, findsPerSecond } satisfies Told));
}

async function run(dids: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-bench-identity-"));
  try {
    const file = join(folder, "export.jsonl");
    await writeExport(file, dids);
    const table = join(folder, "identities");
    const given = [import.meta.filename, "--dids", `${dids}`, "--file", file, "--folder", table];
    const { stdout, peakBytes } = await measure({ file: process.execPath, arguments: given });
    const told = JSON.parse(stdout) as Told;
    const disk = readdirSync(table).reduce((sum, name) => sum + statSync(join(table, name)).size, 0);
    const text = report(dids, statSync(file).size, told, disk, peakBytes);
    console.log(text);
    writeSection("atproto-identity", text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(dids: number, exportBytes: number, told: Told, disk: number, peakBytes: number): string {
  const operations = dids * OPERATIONS;
  const rate = operations / told.seconds;
  const network = (disk / dids) * NETWORK_DIDS;
  const number = (value: number) => Math.round(value).toLocaleString("en");
  const bar = (holds: boolean, text: string) => {
    if (!holds) process.exitCode = 1;
    return `- ${holds ? "met" : "**not met**"}: ${text}`;
  };
  return [
    "## AT Protocol: the table of identities from a PLC export",
    "",
    `${circumstances(new Date())}. A simulated export, plain: ${number(operations)} operations of ${number(dids)} DIDs, ${number(exportBytes / 1e6)} MB, ${HOSTS} hosts.`,
    "",
    `Read, sorted, merged and synced in ${told.seconds.toFixed(1)} s (${told.cpuSeconds.toFixed(1)} s of processor time): ${number(rate)} operations/s, ${number(operations / told.cpuSeconds)} per second of processor time. ${number(disk / 1e6)} MB of disk, ${number(peakBytes / 1e6)} MB of memory at most. ${number(told.findsPerSecond)} look-ups/s afterwards, from the page cache.`,
    "",
    bar(rate >= LEAST_PER_SECOND, `at least ${number(LEAST_PER_SECOND)} operations/s`),
    bar(
      network < MOST_DISK,
      `under 4 GB for ${number(NETWORK_DIDS)} DIDs: ${(network / 1e9).toFixed(2)} GB, extrapolated from this size; as much again while runs are merged`,
    ),
    bar(peakBytes < MOST_MEMORY, "under 500 MB of memory; it does not grow with the number of DIDs"),
  ].join("\n");
}

/** DIDs are hashes, so operations come in no particular order. */
async function writeExport(path: string, dids: number): Promise<void> {
  const out = createWriteStream(path, { highWaterMark: 1 << 22 });
  for (let round = 0; round < OPERATIONS; round++) {
    let lines = "";
    for (let number = 0; number < dids; number++) {
      lines += `${lineOf(number, round)}\n`;
      if (lines.length < 1 << 20) continue;
      if (!out.write(lines)) await once(out, "drain");
      lines = "";
    }
    out.write(lines);
  }
  out.end();
  await finished(out);
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

function didOf(number: number): string {
  const digest = createHash("sha1").update(`did ${number}`).digest();
  let text = "";
  for (let index = 0; index < 24; index++) text += BASE32[(digest[index % 20]! + (index > 19 ? digest[0]! : 0)) & 31];
  return `did:plc:${text}`;
}

/** Base58 is slow to compute, so accounts share keys here. */
const KEYS = Array.from({ length: 1_000 }, (_, index) => {
  const point = createHash("sha256").update(`key ${index}`).digest();
  return `did:key:z${encodeBase58(Buffer.concat([Buffer.from([0xe7, 0x01, 2 + (index & 1)]), point]))}`;
});

function lineOf(number: number, round: number): string {
  const key = KEYS[(number * 31 + round) % KEYS.length]!;
  const operation = {
    sig: "9NuYV7AqwHVTc0YuWzNV3CJafsSZWH7qCxHRUIP2xWlB-YexXC1OaYAnUayiCXLVzRQ8WBXIqF-SvZdNalwcjA",
    prev: round === 0 ? null : "bafyreigcxay6ucqlwowfpu35alyxqtv3c4vsj7gmdtmnidsnqs6nblyarq",
    type: "plc_operation",
    services: {
      atproto_pds: {
        type: "AtprotoPersonalDataServer",
        endpoint: `https://pds-${(number * 13 + round) % HOSTS}.example.com`,
      },
    },
    alsoKnownAs: [`at://user-${number}.example.com`],
    rotationKeys: [
      "did:key:zQ3shhCGUqDKjStzuDxPkTxN6ujddP4RkEKJJouJGRRkaLGbg",
      "did:key:zQ3shpKnbdPx3g3CmPf5cRVTPe1HtSwVn5ish3wSnDPQCbLJK",
    ],
    verificationMethods: { atproto: key },
  };
  const createdAt = new Date(Date.UTC(2023, 0, 1) + (round * 1e8 + number) * 100).toISOString();
  return JSON.stringify({
    did: didOf(number),
    operation,
    cid: "bafyreibfvkh3n6odvdpwj54j4x56sdz4zs7kmyfmk7w6d6bqr3kzqkrr5m",
    nullified: false,
    createdAt,
  });
}

if (values.file !== undefined) await build(values.file, values.folder!, Number(values.dids));
else await run(Number(values.dids));
