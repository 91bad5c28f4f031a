/**
 * The file ledger of the archive: memory with ten million URLs waiting, and commits a second beside the SQLite ledger.
 *
 * `node bench/archive-ledger.ts [--urls 10000000]`. Each part runs in a process of its own, with the flags of `trawl`.
 * Memory counts all of that process: the ledger, the kernel's seen-table, and Node itself. Records are not written:
 * they are the store's to measure.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FileLedger } from "../src/archive/ledger/file-ledger.ts";
import { ledgerPaths } from "../src/archive/ledger/ledger-paths.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { freshLane } from "../src/kernel/lane.ts";
import type { Batch, Ledger } from "../src/kernel/ledger.ts";
import { SeenTable } from "../src/kernel/seen.ts";
import { SqliteLedger } from "../src/kernel/sqlite/ledger.ts";
import type { Admitted } from "../src/kernel/task.ts";
import { CRAWL } from "../src/kernel/verdict.ts";

const MEBIBYTE = 2 ** 20;
/** The bar of issue 4. */
const MOST_RESIDENT = 400e6;
/** What the kernel's committer sends at once. */
const ADMITTED_PER_COMMIT = 2_000;
const SETTLED_PER_COMMIT = 50;
const LINKS_PER_PAGE = 4;
const COMPARED_COMMITS = 400;

/** As bin/trawl.js sets them. */
const FLAGS = ["--max-semi-space-size=2", "--heap-growing-percent=30"];
const MALLOC = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: String(2 ** 20) };
const PARTS = { fill, open, commits };

const { values } = parseArgs({
  options: { urls: { type: "string", default: "10000000" }, part: { type: "string" }, folder: { type: "string" } },
});
const urls = Number(values.urls);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "trawl-archive-ledger-")));
if (values.part === undefined) {
  try {
    for (const part of Object.keys(PARTS)) {
      const given = ["--urls", `${urls}`, "--part", part, "--folder", folder];
      const options = { stdio: "inherit" as const, env: { ...process.env, ...MALLOC } };
      const { status } = spawnSync(process.execPath, [...FLAGS, import.meta.filename, ...given], options);
      if (status !== 0) process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
} else {
  await PARTS[values.part as keyof typeof PARTS]();
}

function fileLedger(name: string): Ledger<null> {
  return new FileLedger<null>({
    paths: ledgerPaths(join(folder, name)),
    records: { length: 0, append: async () => 0, truncateTo: async () => {} },
    pageType: () => "repo_root",
    clock: systemClock,
    onNotice: (text) => console.log(text),
  });
}

function admittedAt(id: number): Admitted {
  return {
    id,
    place: id,
    key: `https://github.com/o/${id.toString(36)}`,
    lane: "github.com",
    verdict: CRAWL,
    depth: 1,
    parent: 0,
    via: 0,
    kind: 1,
    hops: 0,
  };
}

/** Pages of a crawl under way: each commit settles some and admits their links. */
async function commits(): Promise<void> {
  const ledgers: [string, Ledger<null>][] = [
    ["FileLedger", fileLedger("compared")],
    ["SqliteLedger", new SqliteLedger<null>(join(folder, "compared.db"), null)],
  ];
  for (const [name, ledger] of ledgers) {
    await ledger.open(() => {});
    const began = performance.now();
    let id = 1;
    for (let commit = 0; commit < COMPARED_COMMITS; commit++) {
      const batch: Batch<null> = { admitted: [], settled: [], retried: [], lanes: new Map(), notes: [] };
      const last = id + SETTLED_PER_COMMIT * LINKS_PER_PAGE;
      for (; id < last; id++) batch.admitted.push(admittedAt(id));
      for (let at = 1; at <= SETTLED_PER_COMMIT; at++) {
        batch.settled.push({ id: commit * SETTLED_PER_COMMIT + at, state: "done", verdict: null, record: null });
      }
      batch.lanes.set("github.com", freshLane());
      await ledger.commit(batch);
    }
    const seconds = (performance.now() - began) / 1_000;
    console.log(`${name}: ${Math.round(COMPARED_COMMITS / seconds)} commits/s, each of 50 pages and 200 links`);
    await ledger.close();
  }
}

async function fill(): Promise<void> {
  const stops = [0.1, 0.2, 0.5, 1].map((share) => Math.round(urls * share));
  const seen = new SeenTable();
  const ledger = fileLedger("many");
  await ledger.open(() => {});
  const began = performance.now();
  for (let id = 1; id <= urls; ) {
    const admitted: Admitted[] = [];
    const last = Math.min(urls, id + ADMITTED_PER_COMMIT - 1);
    for (; id <= last; id++) {
      const row = admittedAt(id);
      seen.set(row.key, id);
      admitted.push(row);
    }
    await ledger.commit({ admitted, settled: [], retried: [], lanes: new Map(), notes: [] });
    if (stops[0] !== undefined && id > stops[0]) report(`${stops.shift()} URLs waiting`, began);
  }
  const middle = Math.floor(urls / 2);
  const taken = performance.now();
  const tasks = await ledger.take("github.com", middle, 500);
  console.log(`500 tasks from the middle taken in ${(performance.now() - taken).toFixed(1)} ms`);
  if (tasks[0]?.key !== admittedAt(middle + 1).key) throw new Error(`wrong task: ${tasks[0]?.key}`);
  await ledger.close();
}

async function open(): Promise<void> {
  const seen = new SeenTable();
  const ledger = fileLedger("many");
  const began = performance.now();
  await ledger.open(({ key, id }) => {
    if (key !== admittedAt(id).key) throw new Error(`${key} came back as another`);
    seen.set(key, id);
  });
  report(`${seen.size} URLs read back`, began);
  await ledger.close();
}

function report(what: string, since: number): void {
  const resident = process.memoryUsage().rss;
  // The most there ever was: the seen-table holds its old and its new slots while it grows.
  const highest = process.resourceUsage().maxRSS * 1_024;
  const mebibytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`;
  const seconds = Math.round((performance.now() - since) / 1_000);
  console.log(`${what}: ${mebibytes(resident)} resident, ${mebibytes(highest)} at most, ${seconds} s`);
  if (resident > MOST_RESIDENT) process.exitCode = 1;
}
