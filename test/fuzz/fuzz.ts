/** `npm run fuzz`: damaged inputs for every parser, and for the REST API, for as long as you like. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { sha256 } from "../servers/at-network/repo.ts";
import type { ThreadInput, ThreadMessage } from "./fuzz-thread.ts";
import { MAX_INPUT } from "./mutate.ts";
import { fuzzRest } from "./rest.ts";
import { TARGETS } from "./targets/index.ts";

const HELP = `npm run fuzz -- [options]
  --time SECONDS  for all targets together; 120 by default
  --seed NUMBER   makes the same inputs again; from the clock by default, and printed
  --only NAMES    only these targets, separated by commas
  --list          lists the targets
  --help

An input that is found is stored in test/fuzz/found/, where npm test runs it from then on.`;

const REST = "rest";
/** An input that takes longer than this hangs. Half a megabyte of YAML takes ten seconds, and more on a busy machine. */
const HANG_MS = 120_000;

interface Result {
  name: string;
  executions: number;
  found: { input: Uint8Array; problem: string }[];
}

const { values } = parseArgs({
  options: {
    time: { type: "string", default: "120" },
    seed: { type: "string" },
    only: { type: "string" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const names = [...TARGETS.map(({ name }) => name), REST];

if (values.help) console.log(HELP);
else if (values.list) console.log(names.join("\n"));
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const wanted = values.only?.split(",") ?? names;
  const unknown = wanted.filter((name) => !names.includes(name));
  const [seed, seconds] = [Number(values.seed ?? Date.now() % 1_000_000), Number(values.time)];
  if (unknown.length > 0 || !Number.isInteger(seed) || !(seconds > 0)) {
    console.error(unknown.length > 0 ? `There is no target ${unknown.join(", ")}; --list names them.` : HELP);
    return false;
  }
  console.log(`seed ${seed}, ${seconds} s for ${wanted.length} targets`);
  const ms = (seconds * 1_000) / wanted.length;
  let executions = 0;
  let findings = 0;
  for (const name of wanted) {
    const result = name === REST ? { name, ...(await fuzzRest(seed, ms)) } : await fuzzTarget(name, seed, ms);
    executions += result.executions;
    findings += result.found.length;
    print(result);
  }
  console.log(`\n${executions} executions, ${findings} findings`);
  return findings === 0;
}

function print({ name, executions, found }: Result): void {
  console.log(`${name.padEnd(18)} ${String(executions).padStart(9)} executions  ${found.length} findings`);
  for (const { input, problem } of found) {
    const folder = join(import.meta.dirname, "found", name);
    const file = join(folder, sha256(input).toString("hex").slice(0, 16));
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, input);
    console.log(`  ${file}\n    ${problem.split("\n").slice(0, 6).join("\n    ")}`);
  }
}

/** A thread that hangs is ended, its input noted, and another one continues with the next seed. */
async function fuzzTarget(name: string, seed: number, ms: number): Promise<Result> {
  const result: Result = { name, executions: 0, found: [] };
  const until = performance.now() + ms;
  for (let turn = 0; performance.now() < until; turn++) {
    if (await runThread(result, seed + turn * 7_919, until - performance.now())) break;
  }
  return result;
}

/** False when it was ended. */
function runThread(result: Result, seed: number, ms: number): Promise<boolean> {
  const shared = new SharedArrayBuffer(8 + MAX_INPUT);
  const header = new Int32Array(shared, 0, 2);
  const workerData: ThreadInput = { name: result.name, seed, ms, shared };
  const worker = new Worker(new URL("fuzz-thread.ts", import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    let last = -1;
    const watch = setInterval(() => {
      const count = Atomics.load(header, 0);
      if (count !== last || count === 0) {
        last = count;
        return;
      }
      const input = new Uint8Array(shared, 8, Atomics.load(header, 1)).slice();
      result.found.push({ input, problem: `does not finish within ${HANG_MS / 1_000} s` });
      result.executions += count;
      clearInterval(watch);
      void worker.terminate().then(() => resolve(false));
    }, HANG_MS);
    worker.on("message", (message: ThreadMessage) => {
      if ("found" in message) result.found.push(message.found);
      else result.executions += message.executions;
    });
    worker.on("error", (error) => {
      clearInterval(watch);
      reject(error);
    });
    worker.on("exit", () => {
      clearInterval(watch);
      resolve(true);
    });
  });
}
