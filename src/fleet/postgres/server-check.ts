/** Whether a server can be used: it must be new enough, and accept writes. */
import { TrawlError } from "../../errors.ts";
import type { Row } from "./connection.ts";

const OLDEST = 15;

/** PostgreSQL's code for a server that will take connections later. */
export const NOT_READY = "57P03";

/** How long ago a server must have started for every lease that its predecessor gave to be over. */
const FORGETFUL_SECONDS = 15;

/**
 * A worker that froze in the middle of a transaction holds its rows: after this time the server ends the transaction,
 * so that another worker can take its partitions over. By then, the lease is over.
 */
const FROZEN_SECONDS = 10;

interface Asked {
  query<R extends Row>(text: string): Promise<{ rows: R[] }>;
}

/**
 * Rejects if the server cannot be used. `isForgetful`: it was promoted or restored since it started, or has just
 * started, so it may lack the last commits of the server that workers talked to before.
 */
export async function readServer(client: Asked): Promise<{ isForgetful: boolean }> {
  const { rows } = await client.query<{ version: number; reading: boolean; forgetful: boolean }>(
    `SELECT current_setting('server_version_num')::int AS version,
       set_config('idle_in_transaction_session_timeout', '${FROZEN_SECONDS}s', false),
       pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS reading,
       pg_last_xact_replay_timestamp() IS NOT NULL
         OR pg_postmaster_start_time() > clock_timestamp() - interval '${FORGETFUL_SECONDS} seconds' AS forgetful`,
  );
  const { version, reading, forgetful } = rows[0]!;
  const major = Math.floor(version / 10_000);
  if (major < OLDEST) {
    throw new TrawlError("FLEET_DATABASE", `it is PostgreSQL ${major}, and a fleet needs ${OLDEST} or newer`, {
      hint: "Upgrade the server, or use another one.",
    });
  }
  // Not final: the server may be promoted, just as one that is starting will have started.
  if (reading) throw Object.assign(new Error("it can only be read: it is a standby"), { code: NOT_READY });
  return { isForgetful: forgetful };
}
