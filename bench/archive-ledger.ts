/**
 * The file ledger of the archive: memory with ten million URLs waiting, and commits per second compared with the SQLite
 * ledger.
 *
 * `node bench/archive-ledger.ts [--urls 10000000]`. Each part runs in a separate process, with the flags of `trawl`.
 * Memory counts all of that process: the ledger, the kernel's seen-table, and Node itself. Records are not written,
 * because the bench of the store measures them. Writes its section of RESULTS.md when it ran with ten million.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FileLedger } from "../src/archive/ledger/file-ledger.ts";
import { ledgerPaths } from "../src/archive/ledger/ledger-files.ts";
import { ARCHIVE_META, type ArchiveMeta, metaOfType } from "../src/archive/policy/policy.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { freshLane } from "../src/kernel/lane.ts";
import type { Batch, Ledger } from "../src/kernel/ledger.ts";
import { SeenTable } from "../src/kernel/seen.ts";
import { SqliteLedger } from "../src/kernel/sqlite/ledger.ts";
import { type Admitted, CRAWL } from "../src/kernel/task.ts";
import { circumstances, table, writeSection } from "./results.ts";

const MEBIBYTE = 2 ** 20;
/** The target: this number of URLs in at most this many bytes. */
const URLS = 10_000_000;
const MOST_RESIDENT = 400e6;
/** What the kernel's committer sends at once. */
const ADMITTED_PER_COMMIT = 2_000;
const SETTLED_PER_COMMIT = 50;
const LINKS_PER_PAGE = 4;
const COMPARED_COMMITS = 400;

/** As bin/trawl.js sets them. */
const FLAGS = ["--max-semi-space-size=2", "--heap-growing-percent=30"];
const MALLOC = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: String(2 ** 18) };
const PARTS = { fill, open, commits };

const NO_RECORDS = { bytes: 0, sum: 0 };

const { values } = parseArgs({
  options: { urls: { type: "string", default: String(URLS) }, part: { type: "string" }, folder: { type: "string" } },
});
const urls = Number(values.urls);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "trawl-archive-ledger-")));
if (values.part === undefined) {
  try {
    const figures = Object.keys(PARTS).flatMap(runPart);
    const text = results(figures);
    console.log(`\n${text}`);
    if (urls === URLS) writeSection("archive-ledger", text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
} else {
  await PARTS[values.part as keyof typeof PARTS]();
}

/** What a part prints, as one line of JSON. */
type Figure =
  | { kind: "memory"; what: string; resident: number; highest: number; seconds: number }
  | { kind: "said"; text: string };

function runPart(part: string): Figure[] {
  const given = ["--urls", `${urls}`, "--part", part, "--folder", folder];
  const { status, stdout } = spawnSync(process.execPath, [...FLAGS, import.meta.filename, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    env: { ...process.env, ...MALLOC },
  });
  if (status !== 0) throw new Error(`the part ${part} ended with ${status}`);
  const lines = stdout.split("\n").filter((line) => line !== "");
  for (const line of lines) console.log(line);
  return lines.map((line) => JSON.parse(line) as Figure);
}

function results(figures: readonly Figure[]): string {
  const memory = figures.filter((figure) => figure.kind === "memory");
  const mebibytes = (bytes: number): string => String(Math.round(bytes / MEBIBYTE));
  const highest = Math.max(...memory.map((figure) => figure.highest));
  const met = highest <= MOST_RESIDENT;
  if (!met) process.exitCode = 1;
  const rows = memory.map((figure) => [
    figure.what,
    mebibytes(figure.resident),
    mebibytes(figure.highest),
    String(figure.seconds),
  ]);
  return [
    "## Archive: the file ledger with ten million URLs waiting",
    "",
    `${circumstances(new Date())}. Node ${process.version}; ledger, seen-table and Node itself in one process.`,
    "",
    table(["", "resident MiB", "at most MiB", "s"], rows),
    "",
    ...figures.flatMap((figure) => (figure.kind === "said" ? [`- ${figure.text}`] : [])),
    `- ${met ? "met" : "**not met**"}: at most ${Math.round(highest / 1e6)} MB resident (target: ${MOST_RESIDENT / 1e6} MB)`,
  ].join("\n");
}

function tell(figure: Figure): void {
  console.log(JSON.stringify(figure));
}

function say(text: string): void {
  tell({ kind: "said", text });
}

function fileLedger(name: string): Ledger<null, ArchiveMeta> {
  return new FileLedger<null, ArchiveMeta>({
    paths: ledgerPaths(join(folder, name)),
    records: { mark: NO_RECORDS, append: async () => NO_RECORDS, recover: async () => {} },
    codec: ARCHIVE_META,
    pageType: () => "repo_root",
    clock: systemClock,
    onNotice: say,
  });
}

function admittedAt(id: number): Admitted<ArchiveMeta> {
  return {
    id,
    place: id,
    key: `https://github.com/o/${id.toString(36)}`,
    lane: "github.com",
    verdict: CRAWL,
    depth: 1,
    parent: 0,
    hops: 0,
    meta: metaOfType(1),
  };
}

/** Pages of a running crawl: each commit settles some pages and admits their links. */
async function commits(): Promise<void> {
  const ledgers: [string, Ledger<null, ArchiveMeta>][] = [
    ["FileLedger", fileLedger("compared")],
    ["SqliteLedger", new SqliteLedger<null, ArchiveMeta>(join(folder, "compared.db"), null, ARCHIVE_META)],
  ];
  for (const [name, ledger] of ledgers) {
    await ledger.open(() => {});
    const began = performance.now();
    let id = 1;
    for (let commit = 0; commit < COMPARED_COMMITS; commit++) {
      const batch: Batch<null, ArchiveMeta> = { admitted: [], settled: [], retried: [], lanes: new Map(), notes: [] };
      const last = id + SETTLED_PER_COMMIT * LINKS_PER_PAGE;
      for (; id < last; id++) batch.admitted.push(admittedAt(id));
      for (let at = 1; at <= SETTLED_PER_COMMIT; at++) {
        batch.settled.push({ id: commit * SETTLED_PER_COMMIT + at, state: "done", verdict: null, record: null });
      }
      batch.lanes.set("github.com", freshLane());
      await ledger.commit(batch);
    }
    const seconds = (performance.now() - began) / 1_000;
    say(`${name}: ${Math.round(COMPARED_COMMITS / seconds)} commits/s, each of 50 pages and 200 links`);
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
    const admitted: Admitted<ArchiveMeta>[] = [];
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
  say(`500 tasks from the middle taken in ${(performance.now() - taken).toFixed(1)} ms`);
  if (tasks[0]?.key !== admittedAt(middle + 1).key) throw new Error(`wrong task: ${tasks[0]?.key}`);
  await ledger.close();
}

async function open(): Promise<void> {
  const seen = new SeenTable();
  const ledger = fileLedger("many");
  const began = performance.now();
  await ledger.open(({ key, id }) => {
    if (key !== admittedAt(id).key) throw new Error(`${key} was read back with a different id`);
    seen.set(key, id);
  });
  report(`${seen.size} URLs read back`, began);
  await ledger.close();
}

function report(what: string, since: number): void {
  const resident = process.memoryUsage().rss;
  // The peak counts, because parts of the seen-table exist twice while they grow.
  const highest = process.resourceUsage().maxRSS * 1_024;
  tell({ kind: "memory", what, resident, highest, seconds: Math.round((performance.now() - since) / 1_000) });
}
