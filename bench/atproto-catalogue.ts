/** The catalogue at millions of accounts: bytes each, entries put per second, and how long a look-up takes in a fresh process's cache. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Catalogue } from "../src/atproto/catalogue/catalogue.ts";
import type { CatalogueEntry } from "../src/atproto/catalogue/catalogue-record.ts";
import { CatalogueWriter, mergeAll } from "../src/atproto/catalogue/catalogue-writer.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const LOOK_UPS = 20_000;
const BATCH = 5_000;
/** What the network has. */
const NETWORK = 43_000_000;

const LETTERS = "234567abcdefghijklmnopqrstuvwxyz";
function randomDid(): string {
  let text = "did:plc:";
  for (const byte of randomBytes(24)) text += LETTERS[byte & 31];
  return text;
}

const entry = (did: string, number: number): CatalogueEntry => ({
  did,
  place: { segment: 1 + (number >>> 14), offset: (number & 16_383) * 131_072, size: 40_000, crc: number },
  rev: "3l3qo2vuowo2b",
  status: "stored",
  nextAttempt: 0,
  at: BigInt(1_790_000_000_000_000 + number),
});

const seconds = (from: number): number => (performance.now() - from) / 1000;
const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const folder = mkdtempSync(join(tmpdir(), "trawl-bench-catalogue-"));
try {
  const begun = performance.now();
  const writer = await CatalogueWriter.open({ folder });
  const sample: string[] = [];
  for (let done = 0; done < COUNT; done += BATCH) {
    const entries = Array.from({ length: BATCH }, (_, at) => entry(randomDid(), done + at));
    sample.push(entries[0]!.did);
    await writer.put(entries);
  }
  await writer.close();
  const putSeconds = seconds(begun);

  const opened = performance.now();
  const catalogue = new Catalogue(folder);
  const openMs = performance.now() - opened;
  const times = new Float64Array(LOOK_UPS);
  for (let at = 0; at < LOOK_UPS; at++) {
    // Half of them are not there.
    const did = at % 2 === 0 ? sample[(at * 7) % sample.length]! : randomDid();
    const from = performance.now();
    const found = catalogue.get(did);
    times[at] = performance.now() - from;
    if ((found === null) !== (at % 2 === 1)) throw new Error(`${did} was not answered correctly`);
  }
  times.sort();
  catalogue.close();

  const merging = performance.now();
  await mergeAll(folder);
  const mergeSeconds = seconds(merging);
  const merged = new Catalogue(folder);
  const walking = performance.now();
  let walked = 0;
  for (const _ of merged.entries()) walked++;
  const walkSeconds = seconds(walking);
  merged.close();
  const bytes = bytesIn(folder);
  console.log(
    JSON.stringify({
      accounts: COUNT,
      bytesPerAccount: Number((bytes / COUNT).toFixed(2)),
      putsPerSecond: Math.round(COUNT / putSeconds),
      openMs: Number(openMs.toFixed(1)),
      lookUpMicroseconds: {
        median: Math.round(times[LOOK_UPS / 2]! * 1000),
        p99: Math.round(times[Math.floor(LOOK_UPS * 0.99)]! * 1000),
      },
      mergeRecordsPerSecond: Math.round(COUNT / mergeSeconds),
      walkedPerSecond: Math.round(walked / walkSeconds),
      peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
      at43Million: {
        diskGb: Number(((NETWORK * bytes) / COUNT / 1e9).toFixed(2)),
        mergeSeconds: Math.round((NETWORK * mergeSeconds) / COUNT),
        walkSeconds: Math.round((NETWORK * walkSeconds) / walked),
      },
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
