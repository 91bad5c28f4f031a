/** Starting a fleet crawl: its settings, and the first contents of its partitions. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { TrawlError } from "../../errors.ts";
import { createJob } from "../../fleet/job.ts";
import { PARTS } from "../../fleet/partition.ts";
import { Connection } from "../../fleet/postgres/connection.ts";
import { databaseError } from "../../fleet/postgres/database-errors.ts";
import { databaseUrls } from "../../fleet/postgres/database-urls.ts";
import type { ClickHouseRecords } from "../../fleet/site/clickhouse-records.ts";
import { startRows } from "../../fleet/site/site-start.ts";
import { parseConfig, type SiteConfig } from "../../site/site-config.ts";
import { type CopiedList, canonicalBatches, copyList, listSettings, readList } from "../crawls/url-list.ts";
import { canonicalUrl } from "../url-input.ts";
import { withRecords } from "./records.ts";

export interface FleetStart {
  name: string;
  postgres: string;
  urls: string[];
  /** One URL per line, instead of `urls`. */
  list: Readable | null;
  /** The address of a ClickHouse for the records; by default they are in PostgreSQL. */
  records?: string | null;
  settings: Record<string, unknown>;
}

/** Settings that name something on one machine, or count what one machine sees, and so do not suit a fleet. */
const ALONE: readonly (keyof SiteConfig)[] = ["render", "cacheDir", "ca", "maxPages"];

export interface FleetStarted {
  starts: number;
  /** The lines of the list that are not URLs; null without a list. */
  list: Pick<CopiedList, "rejected" | "rejectedCount"> | null;
}

export async function startFleet({
  name,
  postgres,
  urls,
  list,
  records = null,
  settings,
}: FleetStart): Promise<FleetStarted> {
  const given = parseConfig(settings);
  const alone = ALONE.find((setting) => Boolean(given[setting]));
  if (alone !== undefined) {
    throw new TrawlError("BAD_CONFIG", `A fleet crawl cannot use the setting ${alone}.`, {
      hint: "Leave it out, or crawl on one machine with `trawl crawl`.",
    });
  }
  if ((list === null) === (urls.length === 0)) {
    throw new TrawlError("BAD_USAGE", "Give start URLs, or a list with --list.", {
      hint: "`trawl fleet start web1 https://example.com --postgres …`",
    });
  }
  const connection = new Connection(databaseUrls(postgres));
  try {
    const place = { connection, name, records };
    return await withRecords(records, name, (outside) =>
      withTable(outside, () => (list === null ? startSites(place, urls, given) : startList(place, list, given))),
    );
  } catch (error) {
    throw databaseError(error);
  } finally {
    await connection.close();
  }
}

interface Place {
  connection: Connection;
  name: string;
  records: string | null;
}

/** The table exists before the crawl does, and the crawl is not created without it. */
async function withTable<T>(outside: ClickHouseRecords | null, start: () => Promise<T>): Promise<T> {
  await outside?.create();
  try {
    return await start();
  } catch (error) {
    await outside?.drop();
    throw error;
  }
}

async function startSites(
  { connection, name, records }: Place,
  typed: string[],
  config: SiteConfig,
): Promise<FleetStarted> {
  const startUrls = [...new Set(typed.map((url) => canonicalUrl(url, config)))];
  const inbox = startRows("initial", [startUrls], config, PARTS);
  await createJob(connection, name, { settings: config, startUrls, mode: "site", records, ...limit(config), inbox });
  return { starts: startUrls.length, list: null };
}

async function startList(
  { connection, name, records }: Place,
  input: Readable,
  given: SiteConfig,
): Promise<FleetStarted> {
  const config = listSettings(given);
  const folder = await mkdtemp(join(tmpdir(), "trawl-list-"));
  try {
    // Standard input is read once, and the crawl needs its hosts before its URLs are written.
    const path = join(folder, "list");
    const { urls, hosts: startUrls, ...list } = await copyList(input, path);
    if (urls === 0)
      throw new TrawlError("BAD_USAGE", "The list contains no URLs.", { hint: "Write one URL per line." });
    const inbox = startRows("list", canonicalBatches(readList(path), config), config, PARTS);
    await createJob(connection, name, { settings: config, startUrls, mode: "list", records, ...limit(config), inbox });
    return { starts: urls, list };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const limit = ({ maxUrls }: SiteConfig) => ({ maxSettled: maxUrls > 0 ? maxUrls : null });
