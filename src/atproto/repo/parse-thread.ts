/** A thread of the pool: one order at a time, one reply for each. Any error other than a `RepoParseError` ends it. */
import { parentPort } from "node:worker_threads";
import type { Order, Reply } from "./parse-pool.ts";
import { RepoParseError } from "./parsed-repo.ts";
import { frameBuffers, prepareRepo } from "./prepare-repo.ts";

const port = parentPort!;

port.on("message", ({ car, options }: Order) => {
  try {
    const repo = prepareRepo(car, options, Math.random);
    port.postMessage({ repo } satisfies Reply, frameBuffers(repo));
  } catch (error) {
    if (!(error instanceof RepoParseError)) throw error;
    port.postMessage({ error: { class: error.class, reason: error.message } } satisfies Reply);
  }
});
