/** Where records are loaded: a ClickHouse server, or the ClickHouse that runs inside this process. */
export interface ReplayTarget extends AsyncDisposable {
  command(sql: string): Promise<void>;
  /** For answers of a few rows. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** `rows` is in the format TabSeparated; it must not change until this resolves. */
  insert(table: string, columns: readonly string[], rows: Buffer): Promise<void>;
}
