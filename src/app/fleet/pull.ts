/**
 * A fleet crawl as an ordinary crawl of this machine, so that every command, the web app, audit and compare work on it.
 */
import { readJob } from "../../fleet/job.ts";
import { Connection } from "../../fleet/postgres/connection.ts";
import { databaseError } from "../../fleet/postgres/database-errors.ts";
import { databaseUrls } from "../../fleet/postgres/database-urls.ts";
import { schemaOf } from "../../fleet/postgres/schema.ts";
import { type Pulled, pullSite } from "../../fleet/site/pull.ts";
import { FleetRows } from "../../fleet/site/pulled-rows.ts";
import { parseConfig } from "../../site/site-config.ts";
import type { App } from "../app.ts";
import { withRecords } from "./records.ts";

export interface FleetPull {
  name: string;
  postgres: string;
  /** Only the pages of this host. */
  host: string | null;
}

export interface FleetPulled extends Pulled {
  crawlId: number;
}

export async function pullFleet(app: App, { name, postgres, host }: FleetPull): Promise<FleetPulled> {
  const connection = new Connection(databaseUrls(postgres));
  try {
    const {
      state,
      settings,
      startUrls,
      mode,
      parts,
      records: outside,
      startedAt,
      durationMs,
    } = await readJob(connection, name);
    const config = parseConfig(settings);
    const crawl = { mode, startUrls, config, isComplete: state === "done", startedAt, durationMs };
    const rows = new FleetRows(connection, schemaOf(name));
    return await withRecords(outside, name, async (records) => {
      const source = { rows, records: records ?? rows, parts, config, startUrls, host };
      let pulled: Pulled = { urls: 0, records: 0, open: 0 };
      const crawlId = await app.crawls.adopt(crawl, async (database) => {
        pulled = await pullSite({ ...source, database });
        return { crawled: pulled.records, discovered: pulled.urls };
      });
      return { ...pulled, crawlId };
    });
  } catch (error) {
    throw databaseError(error);
  } finally {
    await connection.close();
  }
}
