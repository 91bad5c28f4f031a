/** The process that runs one guarded query: started by `sql.ts`, which kills it when it takes too long. */
import { Worker } from "node:worker_threads";
import { guardedQuery, QueryError } from "./guarded-query.ts";
import type { SqlAnswer, SqlTask } from "./sql.ts";

/**
 * While SQLite computes, this thread receives no messages and does not notice if its parent has died. Another thread watches the time and
 * the memory, and kills the process if needed.
 */
const WATCH = `
  const { workerData: { ms, bytes } } = require("node:worker_threads");
  const end = performance.now() + ms;
  setInterval(() => {
    if (performance.now() > end || process.memoryUsage.rss() > bytes) process.kill(process.pid, "SIGKILL");
  }, 50);`;

process.once("message", ({ path, sql, limits, ms, memory }: SqlTask) => {
  const watch = new Worker(WATCH, { eval: true, workerData: { ms, bytes: memory } });
  watch.unref();
  process.send!(
    answerOf(() => guardedQuery(path, sql, limits)),
    () => process.exit(),
  );
});

function answerOf(query: () => Extract<SqlAnswer, { columns: string[] }>): SqlAnswer {
  try {
    return query();
  } catch (error) {
    return { refused: error instanceof QueryError ? error.message : String(error) };
  }
}
