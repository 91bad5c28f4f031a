/** What is used of the optional package `chdb`: written down here, so that Trawl is checked and built without it. */

export interface ChdbAnswer {
  text(): string;
  json<T>(): T;
}

export interface ChdbOptions {
  format?: string;
  signal?: AbortSignal;
}

export interface ChdbSession {
  readonly open: boolean;
  queryAsync(sql: string, options?: ChdbOptions): Promise<ChdbAnswer>;
  queryBindAsync(sql: string, values: Record<string, unknown>, options?: ChdbOptions): Promise<ChdbAnswer>;
  queryStream(sql: string, options?: ChdbOptions): AsyncIterable<ChdbAnswer>;
  insert(rows: { table: string; columns: readonly string[]; values: Buffer; format: string }): Promise<unknown>;
  close(): void;
}

export interface ChdbPackage {
  Session: new (folder: string) => ChdbSession;
}
