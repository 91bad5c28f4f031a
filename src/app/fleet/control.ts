/** Looking at fleet crawls and controlling them, from any machine that reaches their database. */
import { changeState, type FleetStatus, fleetStatus, type JobState, listJobs, removeJob } from "../../fleet/job.ts";
import { LEASE_TIMES } from "../../fleet/membership.ts";
import { Connection, databaseError, databaseUrls } from "../../fleet/postgres/connection.ts";
import { schemaOf } from "../../fleet/postgres/schema.ts";

export type { FleetStatus } from "../../fleet/job.ts";

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

export const listFleets = (postgres: string): Promise<FleetStatus[]> =>
  withDatabase(postgres, async (connection) => {
    const all: FleetStatus[] = [];
    for (const name of await listJobs(connection)) all.push(await fleetStatus(connection, name));
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
  withDatabase(postgres, (connection) => removeJob(connection, name));

const LOOK_MS = 100;

/** A worker that stops leaves the list. One whose beat stands still for as long as a lease lasts is dead. */
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
