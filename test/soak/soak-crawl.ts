/**
 * One process that crawls all hosts again and again, and says every few seconds, and after each crawl, what it holds. Memory that is
 * lost shows from crawl to crawl, because each has as much to remember as the one before.
 */
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { crawl } from "../../src/index.ts";
import { hostAddress } from "./soak-hosts.ts";

export interface Sample {
  /** After a crawl, with garbage collected; otherwise in the middle of one. */
  settled: boolean;
  minutes: number;
  crawls: number;
  fetched: number;
  rssMb: number;
  /** Heap and buffers. */
  memoryMb: number;
  handles: number;
  files: number;
  /** Entries of the folder for temporary files. */
  temporary: number;
  delayP50: number;
  delayP99: number;
  delayMax: number;
}

const [port = 0, lanes = 2_000, minutes = 10] = process.argv.slice(2).map(Number);
/** A crawl is stopped after this, which is part of the test: hosts that were unreachable would be waited for. */
const CRAWL_MS = Math.min(90_000, (minutes * 60_000) / 3);
const SAMPLE_MS = 5_000;

const began = performance.now();
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let crawls = 0;
let fetched = 0;

function sample(settled: boolean): void {
  const { rss, heapUsed, external } = process.memoryUsage();
  const one: Sample = {
    settled,
    minutes: (performance.now() - began) / 60_000,
    crawls,
    fetched,
    rssMb: rss / 1e6,
    memoryMb: (heapUsed + external) / 1e6,
    handles: process.getActiveResourcesInfo().filter((name) => name !== "Timeout" && name !== "Immediate").length,
    files: readdirSync("/proc/self/fd").length,
    temporary: readdirSync(tmpdir()).length,
    delayP50: delay.percentile(50) / 1e6,
    delayP99: delay.percentile(99) / 1e6,
    delayMax: delay.max / 1e6,
  };
  console.log(JSON.stringify(one));
}

while (performance.now() - began < minutes * 60_000) {
  const run = crawl(`http://127.0.0.1:${port}/start`, {
    discovery: ["spider"],
    checkResources: false,
    allowPrivate: true,
    allowedDomains: Array.from({ length: lanes }, (_, index) => `${hostAddress(index)}:${port}`),
    parallelism: 200,
    retries: 1,
    timeout: 5,
    maxBytes: 1_000_000,
    maxRedirects: 3,
    onPage: () => void fetched++,
    onResource: () => void fetched++,
  });
  const samples = setInterval(() => sample(false), SAMPLE_MS);
  const end = setTimeout(() => void run.stop(), CRAWL_MS);
  await run.summary;
  clearInterval(samples);
  clearTimeout(end);
  crawls++;
  // What is closed takes a few turns to be gone, and what it held is garbage only then.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  sample(true);
}
