/** The comparison: Trawl and its peers crawl the same site, one after the other. `npm run bench -- --help` lists the options. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Contender, Outcome } from "./contender.ts";
import { type Corpus, startCorpus } from "./corpus.ts";
import { type Measured, measure } from "./measure.ts";
import { colly, crawlee, crawleeTuned, scrapy, scrapyTuned, spider } from "./peers.ts";
import { circumstances, table, writeSection } from "./results.ts";
import { trawl, trawlAudited } from "./trawl.ts";

const HELP = `npm run bench -- [options]
  --copies N       a site N times as large, for a longer crawl (1)
  --pages N        stop after N pages (more than the whole site)
  --parallelism N  requests at once (32)
  --rounds N       run each contender N times and take the median (1)
  --only a,b       of trawl, trawl-audited, crawlee, crawlee-tuned, scrapy, scrapy-tuned, colly, spider
  --trawl PATH     another checkout's bin/trawl.js
RESULTS.md is written when neither --only nor --trawl is given.`;

/** The targets; the report says which of them are met. */
const BARS = [
  { peer: "crawlee", text: "at least 10× Crawlee's pages/s", holds: faster(10) },
  { peer: "crawlee-tuned", text: "at least 10× the pages/s of Crawlee in memory only", holds: faster(10) },
  { peer: "scrapy", text: "at least 20× Scrapy's pages/s", holds: faster(20) },
  { peer: "scrapy-tuned", text: "at least 20× the pages/s of Scrapy in memory only", holds: faster(20) },
  { peer: "crawlee", text: "at most half of Crawlee's memory", holds: smaller(2) },
  { peer: "crawlee-tuned", text: "at most half of the memory of Crawlee in memory only", holds: smaller(2) },
];

function faster(times: number): (us: Row, peer: Row) => boolean {
  return (us, peer) => us.speed >= times * peer.speed;
}

function smaller(times: number): (us: Row, peer: Row) => boolean {
  return (us, peer) => us.peakBytes <= peer.peakBytes / times;
}

interface Row extends Measured, Outcome {
  name: string;
  version: string;
  /** Pages per second of wall time, including the start and end of the program, as a user experiences it. */
  speed: number;
  /** As counted by nginx. */
  requests: number;
}

const { values } = parseArgs({
  options: {
    copies: { type: "string", default: "1" },
    pages: { type: "string" },
    parallelism: { type: "string", default: "32" },
    rounds: { type: "string", default: "1" },
    only: { type: "string" },
    trawl: { type: "string" },
    help: { type: "boolean" },
  },
});
const copies = Number(values.copies);
const mostPages = Number(values.pages ?? 2_000 * copies);

if (values.help) {
  console.log(HELP);
} else {
  await race();
}

async function race(): Promise<void> {
  const only = values.only?.split(",");
  const contenders = [
    trawl(values.trawl),
    trawlAudited(values.trawl),
    crawlee,
    crawleeTuned,
    scrapy,
    scrapyTuned,
    colly,
    spider,
  ].filter(({ name }) => only?.includes(name) ?? true);
  const absent: string[] = [];
  const ready: [Contender, string][] = [];
  for (const contender of contenders) {
    try {
      ready.push([contender, await contender.prepare()]);
    } catch (error) {
      absent.push(`${contender.name} could not be prepared: ${firstLine(error)}`);
    }
  }
  const corpus = await startCorpus(copies);
  const rounds = new Map<string, Row[]>();
  try {
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [contender, version] of ready) {
        try {
          const row = await heat(contender, version, corpus);
          console.log(`${row.name}: ${row.pages} pages in ${row.wallSeconds.toFixed(1)} s`);
          rounds.set(row.name, [...(rounds.get(row.name) ?? []), row]);
        } catch (error) {
          absent.push(`${contender.name} failed: ${firstLine(error)}`);
        }
      }
    }
  } finally {
    await corpus.close();
  }
  const rows = [...rounds.values()].map(median);
  const text = report(rows, absent);
  console.log(`\n${text}`);
  // Partial runs, and runs of another checkout, are printed but not written to RESULTS.md.
  if (!values.only && !values.trawl) writeSection(copies === 1 ? "speed" : "speed-long", text);
}

async function heat(contender: Contender, version: string, corpus: Corpus): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), `trawl-bench-${contender.name}-`));
  try {
    const job = { url: corpus.url, pages: mostPages, parallelism: Number(values.parallelism), folder };
    const before = await corpus.requests();
    const measured = await measure(contender.command(job));
    const requests = (await corpus.requests()) - before;
    const outcome = contender.outcome(measured.stdout);
    const speed = outcome.pages / measured.wallSeconds;
    return { name: contender.name, version, ...measured, ...outcome, speed, requests };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function median(rows: readonly Row[]): Row {
  return rows.toSorted((one, other) => one.speed - other.speed)[rows.length >> 1]!;
}

function report(rows: readonly Row[], absent: readonly string[]): string {
  const us = rows.find(({ name }) => name === "trawl");
  const times = (ratio: number | undefined) => (ratio === undefined ? "" : `${ratio.toFixed(ratio < 10 ? 2 : 1)}×`);
  const lines = rows.map((row) => [
    row.name,
    String(row.pages),
    String(row.requests),
    row.links === undefined ? "" : String(row.links),
    row.wallSeconds.toFixed(2),
    row.seconds.toFixed(2),
    row.speed.toFixed(0),
    row.processorSeconds.toFixed(2),
    (row.peakBytes / 2 ** 20).toFixed(0),
    times(us && us.speed / row.speed),
    times(us && row.processorSeconds / row.pages / (us.processorSeconds / us.pages)),
    times(us && row.peakBytes / us.peakBytes),
  ]);
  const head = ["", "pages", "requests", "links", "wall s", "crawl s", "pages/s", "CPU s", "peak MiB"];
  head.push("Trawl is faster", "CPU per page, relative to Trawl", "memory, relative to Trawl");
  const bars = BARS.flatMap(({ peer, text, holds }) => {
    const other = rows.find(({ name }) => name === peer);
    return us && other ? [`- ${holds(us, other) ? "met" : "**not met**"}: ${text}`] : [];
  });
  return [
    `## Speed${copies === 1 ? "" : " of a long crawl"}: Debian's Python and PostgreSQL documentation${copies === 1 ? "" : `, ${copies} times`} behind nginx on loopback`,
    "",
    `${circumstances(new Date())}. At most ${mostPages} pages, ${values.parallelism} at once, robots.txt obeyed, links stored; median of ${values.rounds}.`,
    "",
    ...rows.map(({ name, version }) => `- ${name} ${version}`),
    ...absent.map((text) => `- ${text}`),
    "",
    table(head, lines),
    "",
    "Pages/s uses wall time, including the start and end of the program. Memory includes child processes; requests are counted by nginx.",
    "Trawl, Crawlee and Scrapy store on disk what they need to resume after a crash; the tuned variants, Colly and spider keep it in memory only.",
    "",
    ...bars,
  ].join("\n");
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0]!;
}
