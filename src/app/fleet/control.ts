/** Inspecting and controlling fleet crawls, from any machine that reaches their database. */
import { TrawlError } from "../../errors.ts";
import { changeState, type JobState, listJobs, removeJob } from "../../fleet/job.ts";
import { type FleetStatus, fleetStatus } from "../../fleet/job-status.ts";
import { LEASE_TIMES } from "../../fleet/membership.ts";
import { Connection } from "../../fleet/postgres/connection.ts";
import { databaseError } from "../../fleet/postgres/database-errors.ts";
import { databaseUrls } from "../../fleet/postgres/database-urls.ts";
import { schemaOf } from "../../fleet/postgres/schema.ts";
import { withRecords } from "./records.ts";

export type { FleetStatus } from "../../fleet/job-status.ts";

async function withDatabase<T>(postgres: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection(databaseUrls(postgres));
  try {
    return await use(connection);
  } catch (error) {
    throw databaseError(error);
  } finally {
    await connection.close();
  }
}

export interface UnreadableFleet {
  name: string;
  state: "unreadable";
  message: string;
}

/** Null: it was deleted meanwhile. */
function unreadable(name: string, error: unknown): UnreadableFleet | null {
  const { code, message } = error as { code?: string; message: string };
  if (code === "FLEET_NOT_FOUND") return null;
  // Its schema belongs to someone else, or comes from another version.
  if (code === "FLEET_VERSION" || code === "42501") return { name, state: "unreadable", message };
  throw error;
}

export const listFleets = (postgres: string): Promise<(FleetStatus | UnreadableFleet)[]> =>
  withDatabase(postgres, async (connection) => {
    const all: (FleetStatus | UnreadableFleet)[] = [];
    for (const name of await listJobs(connection)) {
      // A crawl started by another version does not hide the others.
      const one = await fleetStatus(connection, name).catch((error) => unreadable(name, error));
      if (one !== null) all.push(one);
    }
    return all;
  });

export const statusOfFleet = (name: string, postgres: string): Promise<FleetStatus> =>
  withDatabase(postgres, (connection) => fleetStatus(connection, name));

/** Returns when every worker has carried it out, or is dead. */
export const pauseFleet = (name: string, postgres: string): Promise<JobState> =>
  withDatabase(postgres, async (connection) => {
    const state = await changeState(connection, name, ["running"], "paused");
    if (state === "paused") await acknowledged(connection, name, "paused");
    return state;
  });

/** A crawl that was stopped continues too, once workers join it. */
export const resumeFleet = (name: string, postgres: string): Promise<JobState> =>
  withDatabase(postgres, (connection) => changeState(connection, name, ["paused", "stopped"], "running"));

/** Returns when no worker sends requests any more. */
export const stopFleet = (name: string, postgres: string): Promise<JobState> =>
  withDatabase(postgres, async (connection) => {
    const state = await changeState(connection, name, ["running", "paused"], "stopped");
    if (state === "stopped") await acknowledged(connection, name, "stopped");
    return state;
  });

export const removeFleet = (name: string, postgres: string): Promise<void> =>
  withDatabase(postgres, async (connection) => {
    const address = await removeJob(connection, name);
    await withRecords(address, name, async (records) => records?.drop()).catch((error) => {
      // A ClickHouse that is gone for good must not prevent the crawl's deletion.
      throw new TrawlError(
        "CLICKHOUSE_FAILED",
        `${name} is deleted, but not its records. ${(error as Error).message}`,
        {
          hint: `DROP TABLE \`trawl_fleet_${name}\` in that ClickHouse deletes them.`,
        },
      );
    });
  });

const LOOK_MS = 100;

/** A worker that stops leaves the list. A worker whose beat has not changed for the length of a lease is dead. */
async function acknowledged(connection: Connection, name: string, state: JobState): Promise<void> {
  const seen = new Map<string, { beat: string; at: number }>();
  for (;;) {
    const workers = await connection.query<{ id: string; beat: string; acked: string }>(
      `SELECT id, beat::text AS beat, acked FROM ${schemaOf(name)}.workers`,
    );
    const now = performance.now();
    const late = workers.filter(({ id, beat, acked }) => {
      if (seen.get(id)?.beat !== beat) seen.set(id, { beat, at: now });
      return acked !== state && now - seen.get(id)!.at < LEASE_TIMES.deadMs;
    });
    if (late.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
