/** An archive in a database: its schema, loading it, querying it, and writing its records to files. */

export { collectionFilter } from "../../atproto/collection-filter.ts";
export { ChdbTarget } from "../../atproto/replay/chdb-target.ts";
export { type ClickHouseAddress, ClickHouseTarget } from "../../atproto/replay/clickhouse-target.ts";
export { type ExportFormat, exportArchive } from "../../atproto/replay/export.ts";
export { forgetRows } from "../../atproto/replay/forget-rows.ts";
export type { QueryAnswer } from "../../atproto/replay/query.ts";
export { QueryDatabase } from "../../atproto/replay/query-database.ts";
export { type ReplayProgress, type ReplaySummary, replayArchive } from "../../atproto/replay/replay.ts";
export { applySchema, type ReplayTarget, schemaOf, schemaStatements } from "../../atproto/replay/replay-tables.ts";
