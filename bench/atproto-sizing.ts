/** The sizing table of docs/atproto.md, computed from what the benchmarks measured. `node bench/atproto-sizing.ts` rewrites it. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BYTES_PER_RECORD } from "../src/atproto/catalogue/catalogue.ts";
import { RECORD_BYTES } from "../src/atproto/identity/identity-record.ts";
import { replaceSection, table } from "./results.ts";

/** The size of the network as given in docs/atproto.md. */
const ACCOUNTS = 43e6;
const CAR_BYTES = 8e12;
/** The most that the kernel's seen-table takes. */
const SEEN_BYTES = 20;
/** Requests per second to a large host, and how many of its repos are fetched per hour. */
const LARGE_HOST_RPS = 10;

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const results = readFileSync(path("RESULTS.md"), "utf8");

/** The cells of the row of a section that begins with this text. */
function row(section: string, beginning: string): number[] {
  const text = results.split(`<!-- ${section} -->`)[1]?.split(`<!-- /${section} -->`)[0] ?? "";
  const line = text.split("\n").find((one) => one.startsWith(`| ${beginning}`) && !one.includes("---"));
  if (line === undefined) throw new Error(`RESULTS.md has no ${beginning} in ${section}: run the benchmark first`);
  return line
    .split("|")
    .slice(2, -1)
    .map((cell) => Number(cell.replaceAll(",", "")));
}

const large = row("atproto-pipeline", "120 repos of 3 MB");
const small = row("atproto-pipeline", "10,000 repos of 4 KB");
const events = row("atproto-follow", "1000");
const [perCore, peak] = [large[5]!, large[8]!];
const perMinute = small[6]!;
const [eventBytes, eventsPerCore] = [events[0]!, events[1]!];

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
const rows = [
  [
    "processor, by bytes",
    `${Math.round(CAR_BYTES / (perCore * 1e6) / 3600)} core hours`,
    `${perCore} MB/s per core, hashes verified, without proofs`,
  ],
  [
    "processor, by repos",
    `${Math.round(ACCOUNTS / perMinute / 60)} hours on two cores`,
    `${perMinute.toLocaleString("en")} small repos a minute`,
  ],
  [
    "a large host",
    `${(LARGE_HOST_RPS * 3600).toLocaleString("en")} repos an hour`,
    `${LARGE_HOST_RPS} requests per second: the largest host decides how long a crawl takes`,
  ],
  [
    "workers",
    "none to set: rate × time to answer, for each host, up to 1,000",
    "a host at 10 per second that answers in 500 ms keeps 5 busy",
  ],
  [
    "memory",
    `${gigabytes(ACCOUNTS * SEEN_BYTES + peak * 2 ** 20)}`,
    `${peak} MiB in the benchmark, and ${SEEN_BYTES} bytes for each DID seen`,
  ],
  ["disk: catalogue", gigabytes(ACCOUNTS * BYTES_PER_RECORD), `${BYTES_PER_RECORD} bytes per account`],
  ["disk: identities", gigabytes(ACCOUNTS * RECORD_BYTES), `${RECORD_BYTES} bytes per account`],
  [
    "`follow`",
    `${eventsPerCore.toLocaleString("en")} events per second and core`,
    `commits of ${eventBytes.toLocaleString("en")} bytes, verified, stored and synced`,
  ],
];
const docs = path("../docs/atproto.md");
const text = table(["for 43 million accounts, 8 TB of CARs", "needed", "measured"], rows).replaceAll("---:", "---");
writeFileSync(docs, replaceSection(readFileSync(docs, "utf8"), "sizing", text));
console.log(text);
