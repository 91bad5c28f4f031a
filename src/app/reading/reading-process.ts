/** The process that reads crawls for another one: see `process-pool.ts`, which starts it and kills it when it takes too long. */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { failureOf } from "./failure.ts";
import { BYTES_FD, type Message } from "./process-pool.ts";
import { TASKS } from "./tasks.ts";

/** Node and our modules take 80 MB; beyond this, a query fills the memory of the machine. */
const MEMORY = 512_000_000;

/** When the current task must have ended, on the monotonic clock that all threads share, in ms; 0 for no limit. */
const deadline = new Float64Array(new SharedArrayBuffer(8));
const now = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/**
 * While SQLite computes, this thread receives no messages and does not notice if its parent has died. Another thread watches
 * the time, the memory and the parent, and kills the process if needed.
 */
const WATCH = `
  const { workerData: { deadline, memory, parent } } = require("node:worker_threads");
  setInterval(() => {
    const now = Number(process.hrtime.bigint() / 1000000n);
    const isOver = deadline[0] !== 0 && now > deadline[0];
    if (isOver || process.memoryUsage.rss() > memory || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, 50);`;

new Worker(WATCH, { eval: true, workerData: { deadline, memory: MEMORY, parent: process.ppid } }).unref();

process.once("disconnect", () => process.exit());
process.on("message", ({ name, args, ms }: { name: string; args: never; ms: number }) => {
  deadline[0] = ms === 0 ? 0 : now() + ms;
  void answerOf(name, args).then((message) => {
    deadline[0] = 0;
    process.send!(message);
  });
});

async function answerOf(name: string, args: never): Promise<Message> {
  let bytes = 0;
  const put = (chunk: Uint8Array): void => {
    if (bytes === 0) process.send!({ kind: "stream" } satisfies Message);
    bytes += chunk.length;
    // Waits while the pipe is full, so that nothing is produced that the reader does not take.
    for (let at = 0; at < chunk.length; ) at += writeSync(BYTES_FD, chunk, at);
  };
  const rss = (): number => process.memoryUsage.rss();
  try {
    const answer = await TASKS[name]!(args, put);
    if (bytes === 0 && name === "export") process.send!({ kind: "stream" } satisfies Message);
    return { kind: "answer", answer, bytes, rss: rss() };
  } catch (error) {
    return { kind: "failure", failure: failureOf(error), rss: rss() };
  }
}
