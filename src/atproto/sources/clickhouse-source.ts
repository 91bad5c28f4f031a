/** `clickhouse`: pages of DIDs from `plc_did_state`, in order. */
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { TrawlError } from "../../errors.ts";
import { isDid } from "../identity/did.ts";
import { type DidPage, type DidSource, END, pageOf, plainEntry } from "./did-page.ts";

export interface ClickHouseConnection {
  url: string;
  database: string;
  username: string;
  password: string;
}

export const CLICKHOUSE_SOURCE = "clickhouse";

export const clickHouseSource = (connection: ClickHouseConnection, pageSize: number): DidSource => ({
  name: CLICKHOUSE_SOURCE,
  pages: (from) => readPages(connection, pageSize, from(CLICKHOUSE_SOURCE)),
});

/** Old servers do not support query parameters. A DID is safe in a query: its characters have no meaning there. */
export function pageQuery(after: string, limit: number): string {
  if (after !== "" && !isDid(after))
    throw new TrawlError("SOURCE_FAILED", `${JSON.stringify(after)} is not a DID to continue from.`);
  return `SELECT did, pds FROM plc_did_state FINAL WHERE pds != '' AND did > '${after}' ORDER BY did LIMIT ${limit}`;
}

async function* readPages(
  connection: ClickHouseConnection,
  pageSize: number,
  from: string | null,
): AsyncGenerator<DidPage> {
  if (from === END) return;
  // It would print errors with stack traces to the terminal; they are thrown in any case.
  const client = createClient({ ...connection, log: { level: ClickHouseLogLevel.OFF } });
  try {
    for (let after = from ?? ""; ; ) {
      const rows = await query(client, pageQuery(after, pageSize));
      const next = rows.findLast(([did]) => isDid(did))?.[0];
      const isLast = rows.length < pageSize;
      if (!isLast && next === undefined) {
        throw new TrawlError(
          "SOURCE_FAILED",
          `plc_did_state has a page without a single DID behind ${after || "its start"}.`,
        );
      }
      after = next ?? after;
      yield pageOf(
        CLICKHOUSE_SOURCE,
        rows.map(([did, pds]) => plainEntry(did, pds)),
        isLast ? END : after,
      );
      if (isLast) return;
    }
  } finally {
    await client.close();
  }
}

async function query(client: ReturnType<typeof createClient>, text: string): Promise<[did: string, pds: string][]> {
  try {
    // Servers as old as Debian's 18.16 do not support compact rows.
    const answer = await client.query({ query: text, format: "JSONEachRow" });
    const rows = await answer.json<{ did: string; pds: string }>();
    return rows.map(({ did, pds }) => [did, pds]);
  } catch (error) {
    throw new TrawlError("SOURCE_FAILED", `ClickHouse: ${(error as Error).message}`);
  }
}
