/** Working on a fleet crawl: this process takes its share until the crawl ends or the process is told to leave. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { readJob } from "../../fleet/job.ts";
import type { LeaseTimes } from "../../fleet/membership.ts";
import { Connection } from "../../fleet/postgres/connection.ts";
import { databaseError } from "../../fleet/postgres/database-errors.ts";
import { databaseUrls } from "../../fleet/postgres/database-urls.ts";
import { schemaOf } from "../../fleet/postgres/schema.ts";
import { NOT_READY } from "../../fleet/postgres/server-check.ts";
import { startSitePart } from "../../fleet/site/site-part.ts";
import { FleetWorker } from "../../fleet/worker.ts";
import { sleep, systemClock } from "../../kernel/clock.ts";
import { FetchPermits } from "../../net/fetch-permits.ts";
import { parseConfig } from "../../site/site-config.ts";
import { openRecords } from "./records.ts";

export type { WorkerEnd } from "../../fleet/worker.ts";
export { WorkerMetrics } from "../../fleet/worker-metrics.ts";

export interface FleetWork {
  name: string;
  postgres: string;
  /** Requests of this worker at once. */
  maxFetches: number;
  onProblem: (message: string) => void;
  /** When a worker counts as dead, and how long it may send requests; for tests. */
  times?: LeaseTimes;
}

const START_TRIES = 60;

/**
 * A server that is starting, or a standby about to be promoted, is worth a minute's wait: workers often start with it.
 */
async function onceReady<T>(ask: () => Promise<T>, onProblem: (message: string) => void): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if ((error as { code?: string }).code !== NOT_READY || tries === START_TRIES) throw error;
      if (tries === 1) onProblem(`${databaseError(error).message} Waiting for it.`);
    }
    await sleep(systemClock, 1_000, undefined);
  }
}

export async function joinFleet({ name, postgres, maxFetches, onProblem, times }: FleetWork): Promise<FleetWorker> {
  const urls = databaseUrls(postgres);
  const connection = new Connection(urls);
  try {
    const job = await onceReady(() => readJob(connection, name), onProblem);
    const { settings, startUrls, maxSettled, parts } = job;
    const records = await openRecords(job.records, name);
    await records?.check();
    const config = parseConfig(settings);
    const schema = schemaOf(name);
    const worker = new FleetWorker({
      id: `${hostname()}-${process.pid}-${randomBytes(2).toString("hex")}`,
      ...{ urls, schema, maxSettled, onProblem, times, insert: records?.insert },
      permits: new FetchPermits(maxFetches),
      run: (tools) => startSitePart({ ...tools, parts, schema, config, startUrls, isOutside: records !== null }),
    });
    await worker.start();
    void worker.ended.then(() => records?.close());
    return worker;
  } catch (error) {
    throw databaseError(error);
  } finally {
    await connection.close();
  }
}
