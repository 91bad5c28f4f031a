/** Working on a fleet crawl: this process takes its share, until the crawl ends or it is told to leave. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { readJob } from "../../fleet/job.ts";
import { Connection, databaseError, databaseUrls } from "../../fleet/postgres/connection.ts";
import { schemaOf } from "../../fleet/postgres/schema.ts";
import { startSitePart } from "../../fleet/site/site-part.ts";
import { FleetWorker } from "../../fleet/worker.ts";
import { FetchPermits } from "../../net/fetch-permits.ts";
import { parseConfig } from "../../site/site-config.ts";

export type { WorkerEnd } from "../../fleet/worker.ts";

export interface FleetWork {
  name: string;
  postgres: string;
  /** Requests of this worker at once. */
  maxFetches: number;
  onProblem: (message: string) => void;
}

export async function joinFleet({ name, postgres, maxFetches, onProblem }: FleetWork): Promise<FleetWorker> {
  const urls = databaseUrls(postgres);
  const connection = new Connection(urls);
  try {
    const { settings, startUrls, maxSettled, parts } = await readJob(connection, name);
    const config = parseConfig(settings);
    const schema = schemaOf(name);
    const worker = new FleetWorker({
      id: `${hostname()}-${process.pid}-${randomBytes(2).toString("hex")}`,
      ...{ urls, schema, maxSettled, onProblem },
      permits: new FetchPermits(maxFetches),
      run: (tools) => startSitePart({ ...tools, parts, schema, config, startUrls }),
    });
    await worker.start();
    return worker;
  } catch (error) {
    throw databaseError(error);
  } finally {
    await connection.close();
  }
}
