/**
 * The address of a fleet crawl's records, if they are not in its PostgreSQL. The password comes from the environment,
 * as it does for PostgreSQL.
 */
import { ClickHouseRecords } from "../../fleet/site/clickhouse-records.ts";

/** Null: they are in PostgreSQL. */
export async function openRecords(address: string | null, name: string): Promise<ClickHouseRecords | null> {
  if (address === null) return null;
  return ClickHouseRecords.open(address, name, process.env["CLICKHOUSE_PASSWORD"] ?? "");
}

export async function withRecords<T>(
  address: string | null,
  name: string,
  use: (records: ClickHouseRecords | null) => Promise<T>,
): Promise<T> {
  const records = await openRecords(address, name);
  try {
    return await use(records);
  } finally {
    await records?.close();
  }
}
