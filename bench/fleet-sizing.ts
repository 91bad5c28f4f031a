/**
 * The table of docs/scale.md, computed from what bench/fleet.ts and bench/fleet-clickhouse.ts measured. `node
 * bench/fleet-sizing.ts` rewrites it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { replaceSection, table } from "./results.ts";

const CORE_HOUR = 0.05;
const GB_MONTH = 0.12;
/** The most that the kernel's seen-table takes. */
const SEEN_BYTES = 20;
const SIZES = [10e6, 100e6, 1e9];
/** How long a crawl may take, for the number of workers. */
const DAYS = 7;

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const results = readFileSync(path("RESULTS.md"), "utf8");
const sectionOf = (name: string): string => results.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? "";
const section = `${sectionOf("fleet")}\n${sectionOf("fleet-clickhouse")}`;

/** The first figure in the row that begins with this text. */
function figure(beginning: string): number {
  const line = section.split("\n").find((one) => one.startsWith(`| ${beginning}`));
  if (line === undefined)
    throw new Error(`RESULTS.md has no "${beginning}": run node bench/fleet.ts and bench/fleet-clickhouse.ts first`);
  return Number.parseFloat(line.split("|")[2]!.replaceAll(",", ""));
}

const rate = figure("a fleet of one worker");
const statementsPerUrl = figure("statements per URL");
const walKb = figure("WAL per URL settled");
const urlBytes = figure("table and index per URL");
const recordBytes = figure("record per page");
const clickHouseBytes = figure("record per page in ClickHouse");
const waitingBytes = figure("bytes more while it waits");
const perSecond = figure("URLs read per second");

const gigabytes = (bytes: number): string =>
  bytes >= 1e12 ? `${(bytes / 1e12).toFixed(1)} TB` : `${Math.ceil(bytes / 1e9)} GB`;

const columns = SIZES.map((urls) => {
  const disk = urls * (urlBytes + recordBytes + waitingBytes);
  const seconds = urls / rate;
  const workers = Math.max(1, Math.ceil(seconds / (DAYS * 86_400)));
  const hours = seconds / 3_600;
  return {
    disk: gigabytes(disk),
    diskWithout: gigabytes(urls * (urlBytes + waitingBytes)),
    clickHouse: gigabytes(urls * clickHouseBytes),
    wal: gigabytes(urls * walKb * 1e3),
    hours: `${Math.round(hours).toLocaleString("en")} h`,
    workers: `${workers}`,
    memory: gigabytes((urls * SEEN_BYTES) / workers),
    takeOver: `${Math.ceil(urls / 128 / perSecond)} s`,
    statements: `${Math.ceil(rate * workers * statementsPerUrl).toLocaleString("en")}/s`,
    // Two cores per worker, four for each of two servers; their disks for a month.
    money: `${Math.ceil((DAYS * 24 * workers * 2 + DAYS * 24 * 8) * CORE_HOUR + (2 * disk * GB_MONTH) / 1e9).toLocaleString("en")} $`,
  };
});

const rows: [string, keyof (typeof columns)[number]][] = [
  ["PostgreSQL: disk, if all URLs wait at once and each has a record", "disk"],
  ["PostgreSQL: disk, with `--records clickhouse`", "diskWithout"],
  ["ClickHouse: disk, with `--records clickhouse`", "clickHouse"],
  ["PostgreSQL: write-ahead log in total", "wal"],
  [`time of one worker at ${Math.round(rate)} URLs/s`, "hours"],
  [`workers to be done in ${DAYS} days`, "workers"],
  ["memory of each for URLs seen", "memory"],
  ["taking one of 128 partitions over", "takeOver"],
  ["statements per second, while all workers are busy", "statements"],
  [`money: workers of 2 cores, a primary and a standby of 4, for ${DAYS} days; disks for a month`, "money"],
];
const text = [
  `One URL: ${urlBytes} bytes in \`urls\`, ${waitingBytes} more while it waits, ${recordBytes} for its record (${clickHouseBytes} in ClickHouse), ${walKb} KB of write-ahead log, ${statementsPerUrl} statements.`,
  "",
  table(
    ["extrapolated", "10 million URLs", "100 million", "1 billion"],
    rows.map(([what, name]) => [what, ...columns.map((column) => column[name])]),
  ),
].join("\n");
const docs = path("../docs/scale.md");
writeFileSync(docs, replaceSection(readFileSync(docs, "utf8"), "scale", text));
console.log(text);
