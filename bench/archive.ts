/**
 * Archiving a code host: one pass, compared with the split pipeline and with Scrapy writing the same outputs.
 *
 * `node bench/archive.ts [--pages 10000] [--parallelism 8]`. The host is the one used in tests, over TLS on loopback; it counts
 * the requests. RESULTS.md is written when it ran with ten thousand pages.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { GITHUB } from "../src/archive/profile/github.ts";
import { type BenchHost, startHost } from "./archive-host.ts";
import { lastJsonLine } from "./contender.ts";
import { type Command, type Measured, measure } from "./measure.ts";
import { scrapy } from "./peers.ts";
import { circumstances, table, writeSection } from "./results.ts";
import { trawl } from "./trawl.ts";

const PAGES = 10_000;
const TRAWL = fileURLToPath(new URL("../bin/trawl.js", import.meta.url));
const SCRAPY = fileURLToPath(new URL("peers/scrapy/archive.py", import.meta.url));
/** For each repo: itself, files, the list of issues and its issues, the list of pulls and its pulls. */
const REPO = { files: 20, issues: 8, pulls: 4 };
const PAGES_OF_REPO = 3 + REPO.files + REPO.issues + REPO.pulls;

interface Row extends Omit<Measured, "stdout"> {
  name: string;
  pages: number;
  requests: number;
  /** Repeated requests: to URLs that had been requested before. */
  again: number;
}

/** One or more programs, run one after another in one folder. */
interface Heat {
  name: string;
  prepare?: (folder: string) => Promise<void>;
  commands: (folder: string) => Command[];
  pages: (folder: string) => Promise<number>;
}

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: String(PAGES) },
    parallelism: { type: "string", default: "8" },
  },
});
const wanted = Number(values.pages);
const parallelism = Number(values.parallelism);

const host = await startHost({ repos: Math.ceil(wanted / PAGES_OF_REPO), ...REPO });
try {
  await race(host);
} finally {
  await host.close();
}

async function race(at: BenchHost): Promise<void> {
  const versions = [`trawl ${await trawl().prepare()}, HTTP/2`];
  const heats = [onePass(at), split(at)];
  try {
    versions.push(`scrapy ${await scrapy.prepare()}, HTTP/1.1 as by default`);
    heats.push(scrapyHeat(at));
  } catch (error) {
    versions.push(`scrapy could not be prepared: ${String(error).split("\n", 1)[0]}`);
  }
  const rows: Row[] = [];
  for (const heat of heats) {
    try {
      const row = await run(heat, at);
      console.log(`${row.name}: ${row.pages} pages in ${row.wallSeconds.toFixed(1)} s`);
      rows.push(row);
    } catch (error) {
      versions.push(`${heat.name} failed: ${String(error).split("\n", 1)[0]}`);
    }
  }
  const text = report(rows, versions, at);
  console.log(`\n${text}`);
  if (wanted === PAGES) writeSection("archive", text);
}

async function run({ name, prepare, commands, pages }: Heat, at: BenchHost): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-bench-archive-"));
  try {
    await prepare?.(folder);
    await at.requests();
    const row: Row = { name, pages: 0, requests: 0, again: 0, wallSeconds: 0, processorSeconds: 0, peakBytes: 0 };
    for (const command of commands(folder)) {
      const { wallSeconds, processorSeconds, peakBytes } = await measure(command);
      row.wallSeconds += wallSeconds;
      row.processorSeconds += processorSeconds;
      row.peakBytes = Math.max(row.peakBytes, peakBytes);
    }
    const { all, urls } = await at.requests();
    return { ...row, pages: await pages(folder), requests: all, again: all - urls };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function onePass(at: BenchHost): Heat {
  return {
    name: "trawl, one pass",
    prepare: (folder) => writeWorkspace(folder, at),
    commands: (folder) => [archive(folder, at, "run")],
    pages: storedPages,
  };
}

function split(at: BenchHost): Heat {
  return {
    name: "trawl, discover then scrape",
    prepare: (folder) => writeWorkspace(folder, at),
    commands: (folder) => [archive(folder, at, "run", "--discover"), archive(folder, at, "scrape")],
    pages: storedPages,
  };
}

function scrapyHeat(at: BenchHost): Heat {
  // It cannot be pointed at another address for github.com, so it requests localhost under the same rules.
  const site = `https://localhost:${at.port}`;
  const here = (pattern: string) => pattern.replace(String.raw`https://github\.com`, site);
  const job = {
    start: `${site}/topics`,
    allow: GITHUB.allow_patterns.map(here),
    deny: GITHUB.deny_patterns.map(here),
    parallelism,
  };
  return {
    name: "scrapy",
    commands: (folder) => {
      const { file } = scrapy.command({ url: site, pages: wanted, parallelism, folder });
      return [{ file, arguments: [SCRAPY, JSON.stringify({ ...job, folder })], folder }];
    },
    pages: storedPages,
  };
}

function archive(folder: string, { port }: BenchHost, ...typed: string[]): Command {
  const reach = ["--connect-to", `github.com:443:127.0.0.1:${port}`, "--ca", join(folder, "ca.pem")];
  return {
    file: process.execPath,
    arguments: [TRAWL, "archive", ...typed, "-w", folder, ...reach, "--json"],
    environment: { TRAWL_HOME: folder },
  };
}

async function writeWorkspace(folder: string, { ca }: BenchHost): Promise<void> {
  const config = {
    user_agent: "trawl-bench/1.0 (+https://example.com/contact)",
    limits: { req_per_sec: 100_000, global_concurrency: parallelism, per_host_concurrency: parallelism },
    caps: { per_repo_max_pages: 0, per_repo_max_issues: 0, per_repo_max_prs: 0, max_depth: 0 },
    storage: { min_free_mb: 0 },
  };
  await writeFile(join(folder, "archive.yaml"), stringify(config));
  await writeFile(join(folder, "seeds.txt"), "https://github.com/topics\n");
  await writeFile(join(folder, "ca.pem"), ca);
}

/** Lines of metadata that name a stored page. */
async function storedPages(folder: string): Promise<number> {
  const text = await readFile(join(folder, "metadata/crawl_metadata.jsonl"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.filter((line) => lastJsonLine(line)["content_sha256"] !== "").length;
}

function report(rows: readonly Row[], versions: readonly string[], at: BenchHost): string {
  const us = rows[0];
  const speed = (row: Row) => row.pages / row.wallSeconds;
  const lines = rows.map((row) => [
    row.name,
    String(row.pages),
    String(row.requests),
    String(row.again),
    row.wallSeconds.toFixed(1),
    speed(row).toFixed(0),
    row.processorSeconds.toFixed(1),
    (row.peakBytes / 2 ** 20).toFixed(0),
    us === undefined ? "" : `${(speed(us) / speed(row)).toFixed(2)}×`,
  ]);
  return [
    `## Archive: ${at.pages} pages of a code host`,
    "",
    `${circumstances(new Date())}. TLS on loopback, ${parallelism} at once, no delay, robots.txt obeyed. Each stores blobs by SHA-256, one metadata line per page, edges, and a queue that survives a crash.`,
    "",
    ...versions.map((version) => `- ${version}`),
    "",
    table(["", "pages", "requests", "repeated", "wall s", "pages/s", "CPU s", "peak MiB", "one pass is faster"], lines),
    "",
    "Requests are counted by the host and include robots.txt. Trawl syncs every page and line before it counts a URL as fetched; Scrapy syncs nothing. The host runs on the same processors.",
  ].join("\n");
}
