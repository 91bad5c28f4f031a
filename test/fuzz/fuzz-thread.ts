/** One target on a thread, which can be ended when it hangs. The input being tried is in shared memory, so that it is known then. */
import { parentPort, workerData } from "node:worker_threads";
import { seededRandom } from "../servers/random.ts";
import { problemWith, slownessOf } from "./check.ts";
import { mutate } from "./mutate.ts";
import { TARGETS } from "./targets/index.ts";

export interface ThreadInput {
  name: string;
  seed: number;
  /** The time for this target. */
  ms: number;
  shared: SharedArrayBuffer;
}

export type ThreadMessage = { found: { input: Uint8Array; problem: string } } | { executions: number };

/** Every so many inputs, one is made long to see how the time grows. */
const SLOWNESS_EVERY = 400;
/** Inputs made from inputs: the path away from the seeds. */
const POOL = 64;

const { name, seed, ms, shared } = workerData as ThreadInput;
const target = TARGETS.find((one) => one.name === name)!;
const random = seededRandom(seed);
const seeds = target.seeds.map((one) => Buffer.from(one as string));
const words = (target.words ?? []).map((word) => Buffer.from(word));
const pool: Buffer[] = [...seeds];
const header = new Int32Array(shared, 0, 2);
const body = new Uint8Array(shared, 8);
const known = new Set<string>();

function report(input: Buffer, problem: string): void {
  // The first line without its numbers: the same defect again and again is one finding.
  const kind = problem.split("\n").slice(0, 3).join("\n").replace(/\d+/g, "N");
  if (known.has(kind)) return;
  known.add(kind);
  parentPort!.postMessage({ found: { input: Uint8Array.from(input), problem } } satisfies ThreadMessage);
}

const began = performance.now();
let executions = 0;
while (performance.now() - began < ms) {
  const parent = random(3) === 0 ? pool[random(pool.length)]! : seeds[random(seeds.length)]!;
  const input = mutate(parent, random, words, pool);
  body.set(input);
  Atomics.store(header, 1, input.length);
  Atomics.add(header, 0, 1);
  executions++;
  const problem = await problemWith(target, input);
  if (problem !== null) report(input, problem);
  else if (pool.length < POOL) pool.push(input);
  else if (random(16) === 0) pool[seeds.length + random(POOL - seeds.length)] = input;
  if (executions % SLOWNESS_EVERY === 1) {
    const slowness = await slownessOf(target, input);
    if (slowness !== null) report(input, slowness);
  }
  // Messages and timers get their turn.
  if (executions % 256 === 0) await new Promise(setImmediate);
}
parentPort!.postMessage({ executions } satisfies ThreadMessage);
