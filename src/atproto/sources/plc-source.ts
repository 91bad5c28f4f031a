/** `plc:FILE` and `plc:https://…`: every DID of the PLC directory, in order. Its export goes into a table first. */
import { type DidPage, type DidSource, END, pageOf } from "./did-page.ts";
import { readPlcDirectory, readPlcFile } from "./plc-export.ts";
import { PlcTable } from "./plc-table.ts";
import type { SourceClient } from "./source-client.ts";

export interface PlcSourceOptions {
  /** A path, or the address of a directory. */
  from: string;
  /** Where the table is kept. A later crawl reads on from where its export ended. */
  database: string;
  client: SourceClient;
  pageSize: number;
  /** Told of operations read so far: the first page may take its time. */
  onImport?: (operations: number) => void;
}

export const plcSource = (options: PlcSourceOptions): DidSource => ({
  name: `plc:${options.from}`,
  pages: (from) => readPlc(options, from(`plc:${options.from}`)),
});

async function* readPlc(options: PlcSourceOptions, cursor: string | null): AsyncGenerator<DidPage> {
  if (cursor === END) return;
  const { from, client, pageSize, onImport } = options;
  const name = `plc:${from}`;
  const table = new PlcTable(options.database);
  try {
    const saved = table.cursor(name);
    const batches = /^https?:/i.test(from)
      ? readPlcDirectory(exportUrl(from), client, saved)
      : readPlcFile(from, saved);
    let operations = 0;
    for await (const batch of batches) {
      table.apply(batch.lines, name, batch.cursor);
      operations += batch.lines.length;
      onImport?.(operations);
    }
    for (let after = cursor ?? ""; ; ) {
      const entries = table.page(after, pageSize);
      after = entries.at(-1)?.did ?? after;
      const isLast = entries.length < pageSize;
      yield pageOf(name, entries, isLast ? END : after);
      if (isLast) return;
    }
  } finally {
    table.close();
  }
}

function exportUrl(written: string): string {
  const url = new URL(written);
  if (url.pathname === "/") url.pathname = "/export";
  return url.href;
}
