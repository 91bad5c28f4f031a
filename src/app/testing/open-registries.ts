/** A thread that opens registries one after another, each at the same moment as the other threads. */
import { parentPort, workerData } from "node:worker_threads";
import { Registry } from "../crawls/registry.ts";

const { paths, threads, arrived } = workerData as { paths: string[]; threads: number; arrived: Int32Array };
const errors: string[] = [];
paths.forEach((path, round) => {
  const all = (round + 1) * threads;
  // The last thread to arrive releases all of them.
  if (Atomics.add(arrived, 0, 1) + 1 === all) Atomics.notify(arrived, 0);
  for (let seen = Atomics.load(arrived, 0); seen < all; seen = Atomics.load(arrived, 0)) Atomics.wait(arrived, 0, seen);
  try {
    new Registry(path).close();
  } catch (error) {
    errors.push(String(error));
  }
});
parentPort!.postMessage(errors);
