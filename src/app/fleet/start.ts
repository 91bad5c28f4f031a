/** Starting a fleet crawl: its settings, and what its partitions begin with. */
import { createReadStream } from "node:fs";
import { TrawlError } from "../../errors.ts";
import { createJob } from "../../fleet/job.ts";
import { PARTS } from "../../fleet/partition.ts";
import { Connection } from "../../fleet/postgres/connection.ts";
import { databaseError } from "../../fleet/postgres/database-errors.ts";
import { databaseUrls } from "../../fleet/postgres/database-urls.ts";
import type { ClickHouseRecords } from "../../fleet/site/clickhouse-records.ts";
import { startRows } from "../../fleet/site/site-start.ts";
import { parseConfig, type SiteConfig } from "../../site/site-config.ts";
import { hostOf } from "../../web/url.ts";
import { canonicalBatches, urlBatches } from "../crawls/url-list.ts";
import { canonicalUrl } from "../url-input.ts";
import { withRecords } from "./records.ts";

export interface FleetStart {
  name: string;
  postgres: string;
  urls: string[];
  /** A file with one URL per line, in place of `urls`. */
  list: string | null;
  /** The address of a ClickHouse for the records; in PostgreSQL unless given. */
  records?: string | null;
  settings: Record<string, unknown>;
}

/** Settings that name something on one machine, or count what one machine sees, and so have no place in a fleet. */
const ALONE: readonly (keyof SiteConfig)[] = ["render", "cacheDir", "ca", "maxPages"];
/** Hosts of a list that decide what is internal. */
const LIST_HOSTS = 1_000;

export async function startFleet({
  name,
  postgres,
  urls,
  list,
  records = null,
  settings,
}: FleetStart): Promise<{ starts: number }> {
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

/** The table is there before the crawl is, and not without it. */
async function withTable<T>(outside: ClickHouseRecords | null, start: () => Promise<T>): Promise<T> {
  await outside?.create();
  try {
    return await start();
  } catch (error) {
    await outside?.drop();
    throw error;
  }
}

async function startSites({ connection, name, records }: Place, typed: string[], config: SiteConfig) {
  const startUrls = [...new Set(typed.map((url) => canonicalUrl(url, config)))];
  const inbox = startRows("initial", [startUrls], config, PARTS);
  await createJob(connection, name, { settings: config, startUrls, mode: "site", records, ...limit(config), inbox });
  return { starts: startUrls.length };
}

async function startList({ connection, name, records }: Place, path: string, given: SiteConfig) {
  // As in list mode on one machine: links are not followed.
  const discovery = given.discovery.filter((way) => way === "network");
  const config: SiteConfig = { ...given, discovery, checkResources: false, detectSoft404: false };
  const batches = () => canonicalBatches(urlBatches(createReadStream(path)), config);
  const hosts = new Map<string, string>();
  let starts = 0;
  for await (const urls of batches()) {
    starts += urls.length;
    for (const url of urls) if (hosts.size < LIST_HOSTS && !hosts.has(hostOf(url))) hosts.set(hostOf(url), url);
  }
  if (starts === 0)
    throw new TrawlError("BAD_USAGE", "The list contains no URLs.", { hint: "Write one URL per line." });
  const inbox = startRows("list", batches(), config, PARTS);
  const startUrls = [...hosts.values()];
  await createJob(connection, name, { settings: config, startUrls, mode: "list", records, ...limit(config), inbox });
  return { starts };
}

const limit = ({ maxUrls }: SiteConfig) => ({ maxSettled: maxUrls > 0 ? maxUrls : null });
