/** The peers: programs in `peers/`, each with its own packages, which are never dependencies of Trawl. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Contender, type Job, lastJsonLine, type Outcome } from "./contender.ts";

const PEERS = fileURLToPath(new URL("peers/", import.meta.url));
const CACHE = fileURLToPath(new URL(".cache/", import.meta.url));
const SCRAPY_VERSION = "2.19.0";

/** Crawlee as documented: its queue is on disk. */
export const crawlee: Contender = {
  name: "crawlee",
  prepare: async () => {
    const folder = join(PEERS, "crawlee");
    const manifest = join(folder, "node_modules/@crawlee/cheerio/package.json");
    if (!existsSync(manifest)) run("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund"], folder);
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    return `${version} CheerioCrawler, Node ${process.version}`;
  },
  command: (job) => ({
    file: process.execPath,
    arguments: [join(PEERS, "crawlee/documented.js"), ...peerArguments(job)],
    // Where it puts its storage.
    folder: job.folder,
  }),
  outcome,
};

/** Crawlee as fast as we could make it, with everything in memory only. */
export const crawleeTuned: Contender = {
  ...crawlee,
  name: "crawlee-tuned",
  command: (job) => ({
    ...crawlee.command(job),
    arguments: [join(PEERS, "crawlee/tuned.js"), ...peerArguments(job)],
  }),
};

/** Scrapy as documented for crawls that can be resumed. */
export const scrapy: Contender = {
  name: "scrapy",
  prepare: async () => {
    const folder = join(CACHE, "scrapy");
    if (!existsSync(join(folder, "bin/scrapy"))) {
      run("python3", ["-m", "venv", folder]);
      run(join(folder, "bin/pip"), ["install", "--quiet", `scrapy==${SCRAPY_VERSION}`]);
    }
    const python = run(join(folder, "bin/python"), ["--version"]);
    return `${run(join(folder, "bin/scrapy"), ["version"]).replace("Scrapy ", "")}, ${python}`;
  },
  command: (job) => ({
    file: join(CACHE, "scrapy/bin/python"),
    arguments: [join(PEERS, "scrapy/crawl.py"), ...peerArguments(job)],
    folder: job.folder,
  }),
  outcome,
};

/** Scrapy as fast as we could make it, with its queue in memory only. */
export const scrapyTuned: Contender = {
  ...scrapy,
  name: "scrapy-tuned",
  command: (job) => {
    const command = scrapy.command(job);
    return { ...command, arguments: [...command.arguments, "tuned"] };
  },
};

export const colly: Contender = {
  name: "colly",
  prepare: async () => {
    const program = join(CACHE, "colly/crawl");
    if (!existsSync(program)) {
      mkdirSync(join(CACHE, "colly"), { recursive: true });
      run("go", ["build", "-o", program, "."], join(PEERS, "colly"));
    }
    const module = readFileSync(join(PEERS, "colly/go.mod"), "utf8");
    return `${/colly\/v2 v(\S+)/.exec(module)?.[1]}, ${run("go", ["env", "GOVERSION"])}`;
  },
  command: (job) => ({ file: join(CACHE, "colly/crawl"), arguments: peerArguments(job), folder: job.folder }),
  outcome,
};

/** The crawler in Rust, with the HTML parser most used next to it; it sends pages, and reads no title or link for its user. */
export const spider: Contender = {
  name: "spider",
  prepare: async () => {
    const target = join(CACHE, "spider");
    const folder = join(PEERS, "spider");
    run("cargo", ["build", "--quiet", "--release", "--target-dir", target], folder);
    const manifest = readFileSync(join(folder, "Cargo.toml"), "utf8");
    return `${/spider = \{ version = "=([^"]+)"/.exec(manifest)?.[1]}, ${run("rustc", ["--version"]).replace(/ \(.*/, "")}`;
  },
  command: (job) => ({ file: join(CACHE, "spider/release/crawl"), arguments: peerArguments(job), folder: job.folder }),
  outcome,
};

function peerArguments({ url, pages, parallelism, folder }: Job): string[] {
  return [url, String(pages), String(parallelism), join(folder, "pages.jsonl")];
}

function outcome(stdout: string): Outcome {
  const { pages, seconds, links } = lastJsonLine(stdout);
  return { pages: Number(pages), seconds: Number(seconds), links: Number(links) };
}

function run(file: string, parameters: string[], folder?: string): string {
  return execFileSync(file, parameters, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}
