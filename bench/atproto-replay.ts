/**
 * Loading an archive into the embedded ClickHouse: rows per second, and how long queries take afterwards.
 *
 * `node bench/atproto-replay.ts [--records 2000000]`. Each part runs in a separate process. First an archive with a realistic
 * mix of posts, likes and follows is generated; this is not measured. Everything is on one disk.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_COLLECTIONS } from "../src/atproto/collection-filter.ts";
import { compressCollections, encodeRecords } from "../src/atproto/rca/format/collection.ts";
import { SegmentWriter } from "../src/atproto/rca/write/segment-writer.ts";
import { ChdbTarget } from "../src/atproto/replay/chdb-target.ts";
import { QueryDatabase } from "../src/atproto/replay/query-database.ts";
import { replayArchive } from "../src/atproto/replay/replay.ts";
import type { ReplayTarget } from "../src/atproto/replay/replay-tables.ts";
import { RECORDS_TABLE } from "../src/atproto/replay/replay-tables.ts";
import { circumstances, table, writeSection } from "./results.ts";

const RECORDS_PER_REPO = 500;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 2 ** 20;
const QUERY = `SELECT collection, count() FROM ${RECORDS_TABLE} GROUP BY collection`;
const SEARCH = `SELECT count() FROM ${RECORDS_TABLE} WHERE JSONExtractString(record_json, 'text') LIKE '%1234%'`;

interface Measured {
  records: number;
  /** Bytes in TabSeparated form, which is slightly larger than the JSON. */
  bytes: number;
  seconds: number;
  /** User and system time of all threads. */
  processorSeconds: number;
  peakMebibytes: number;
}

const WORDS = "the sea was calm and we cast our nets before the sun rose over the harbour wall".split(" ");

/** Sizes as on the network: most records are likes and follows, most bytes are posts. */
const KINDS: [string, (index: number) => unknown][] = [
  ["app.bsky.feed.like", subject],
  ["app.bsky.feed.post", post],
  ["app.bsky.graph.follow", (index) => ({ $type: "app.bsky.graph.follow", subject: didOf(index), createdAt: WHEN })],
  ["app.bsky.feed.repost", subject],
];

const WHEN = "2026-01-02T03:04:05.678Z";

const PARTS = { make, encode, load, query };

const { values } = parseArgs({
  options: { records: { type: "string", default: "2000000" }, part: { type: "string" }, folder: { type: "string" } },
});
const wanted = Number(values.records);
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "trawl-replay-bench-")));
if (values.part !== undefined) {
  console.log(JSON.stringify(await PARTS[values.part as keyof typeof PARTS]()));
} else {
  const load = loadavg()[0]!.toFixed(1);
  try {
    run("make");
    report(run("encode") as Measured, run("load") as Measured, run("query") as number[], load);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(part: keyof typeof PARTS): unknown {
  const given = [import.meta.filename, "--records", `${wanted}`, "--part", part, "--folder", folder];
  const { status, stdout } = spawnSync(process.execPath, given, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${part} ended with ${status}`);
  return JSON.parse(stdout);
}

function report(encoded: Measured, loaded: Measured, [open, count, search]: number[], load: string): void {
  const row = (name: string, { records, bytes, seconds, processorSeconds, peakMebibytes }: Measured): string[] => [
    name,
    Math.round(records / seconds).toLocaleString("en"),
    String(Math.round(bytes / seconds / 1e6)),
    seconds.toFixed(1),
    processorSeconds.toFixed(1),
    String(Math.round(peakMebibytes)),
  ];
  const text = `## atproto: replay into the embedded ClickHouse

${circumstances(new Date())}. ${loaded.records.toLocaleString("en")} records of ${Math.ceil(loaded.records / RECORDS_PER_REPO).toLocaleString("en")} repos, batches of 50,000. Machine load at the start: ${load}.

${table(
  ["", "rows/s", "MB/s", "s", "CPU s", "peak MiB"],
  [row("reading and encoding alone", encoded), row("replay into chDB", loaded)],
)}

A query process opens the loaded database in ${open} ms; counting by collection then takes ${count} ms, a search in the text of all posts ${search} ms.`;
  console.log(text);
  writeSection("atproto-replay", text);
}

async function make(): Promise<null> {
  const writer = new SegmentWriter({ folder, targetBytes: SEGMENT_BYTES, proofs: false, now: Date.now });
  for (let first = 0; first < wanted; first += RECORDS_PER_REPO) {
    const contents = KINDS.map(([name, record], kind) => {
      const records = [];
      for (let index = first + kind; index < Math.min(first + RECORDS_PER_REPO, wanted); index += KINDS.length) {
        records.push({ rkey: `3l${index.toString(36)}`, value: Buffer.from(JSON.stringify(record(index))) });
      }
      return { name, recordCount: records.length, bytes: encodeRecords(records) };
    });
    const collections = compressCollections(contents, 3);
    const did = `did:plc:${first.toString(36).padStart(24, "a")}`;
    await writer.append({
      did,
      pds: "https://pds.example.com",
      rev: "3l",
      crawledAt: 1_700_000_000_000_000n,
      collections,
    });
  }
  await writer.close();
  return null;
}

/** Twenty-four letters that no compressor can guess. */
function didOf(index: number): string {
  return `did:plc:${createHash("sha1").update(`${index}`).digest("hex").slice(0, 24)}`;
}

function subject(index: number): unknown {
  const uri = `at://${didOf(index)}/app.bsky.feed.post/3l${index.toString(36)}`;
  return { $type: "app.bsky.feed.like", subject: { uri }, createdAt: WHEN };
}

function post(index: number): unknown {
  const random = createHash("sha1").update(`${index}`).digest();
  const words = Array.from(
    random,
    (byte, at) => `${WORDS[byte % WORDS.length]}${at % 7 === 0 ? byte.toString(36) : ""}`,
  );
  const text = `${words.join(" ")}\n\n"${index}"`;
  return { $type: "app.bsky.feed.post", text, langs: ["en"], createdAt: WHEN };
}

async function measured(target: ReplayTarget): Promise<Measured> {
  let bytes = 0;
  const counting: ReplayTarget = {
    command: (sql) => target.command(sql),
    rows: (sql) => target.rows(sql),
    insert: (name, columns, rows) => {
      bytes += rows.length;
      return target.insert(name, columns, rows);
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const before = process.cpuUsage();
  const began = performance.now();
  const { records } = await replayArchive({
    folder,
    target: counting,
    collections: ALL_COLLECTIONS,
    now: Date.now,
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
  });
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return {
    records,
    bytes,
    seconds,
    processorSeconds: (user + system) / 1e6,
    peakMebibytes: (process.resourceUsage().maxRSS * 1_024) / MEBIBYTE,
  };
}

/** Into nothing, to measure Trawl's own time. */
async function encode(): Promise<Measured> {
  return measured({
    command: async () => {},
    rows: async (sql) => (sql.includes("version()") ? [{ version: "26.7.1" }] : []),
    insert: async () => {},
    [Symbol.asyncDispose]: async () => {},
  });
}

async function load(): Promise<Measured> {
  await using target = await ChdbTarget.open(join(folder, "db"));
  const result = await measured(target);
  const [rows] = await target.rows(`SELECT toFloat64(count()) AS n FROM ${RECORDS_TABLE} FINAL`);
  if (rows?.["n"] !== wanted) throw new Error(`${rows?.["n"]} rows of ${wanted} are there`);
  return result;
}

/** Milliseconds: opening, and two queries. */
async function query(): Promise<number[]> {
  const times: number[] = [];
  let began = performance.now();
  const lap = (): void => {
    times.push(Math.round(performance.now() - began));
    began = performance.now();
  };
  await using database = await QueryDatabase.open({
    folder,
    database: join(folder, "db"),
    collections: ALL_COLLECTIONS,
    now: Date.now,
    onDamage: () => {},
  });
  lap();
  for (const sql of [QUERY, SEARCH]) {
    for await (const row of (await database.query(sql)).rows) if (row.length === 0) throw new Error("no columns");
    lap();
  }
  return times;
}
