/**
 * `plc:FILE` and `plc:https://…`: every DID of a PLC export with its PDS. The last operation counts, so all of the export is
 * read into the table of identities before the first DID is fetched.
 */
import type { IdentityTable } from "../identity/identity-table.ts";
import { readPlcDirectory, readPlcFile } from "../identity/plc-export.ts";
import { type DidPage, type DidSource, END, pageOf, plainEntry } from "./did-page.ts";
import type { SourceClient } from "./source-client.ts";

export interface PlcSourceOptions {
  /** A path, or the address of a directory. */
  from: string;
  /** A later crawl continues from where the export ended. */
  table: IdentityTable;
  client: SourceClient;
  pageSize: number;
  signal?: AbortSignal;
  /** Called with the number of operations read so far: the first page may take a long time. */
  onImport?: (operations: number) => void;
}

export const plcSource = (options: PlcSourceOptions): DidSource => ({
  name: `plc:${options.from}`,
  pages: (from) => readPlc(options, from(`plc:${options.from}`)),
});

async function* readPlc(options: PlcSourceOptions, cursor: string | null): AsyncGenerator<DidPage> {
  if (cursor === END) return;
  const { from, table, pageSize } = options;
  await importPlc(options);
  for (let after: string | null = cursor ?? ""; after !== null; ) {
    const { entries, last } = table.page(after, pageSize);
    yield pageOf(
      `plc:${from}`,
      entries.map(({ did, pds }) => plainEntry(did, pds)),
      last ?? END,
    );
    after = last;
  }
}

/** Reads an export into the table: a file, or what a directory has written since the last time. */
export function importPlc(options: Omit<PlcSourceOptions, "pageSize">): Promise<void> {
  const { from, table, client, signal, onImport } = options;
  const isDirectory = /^https?:/i.test(from);
  return table.import(
    `plc:${from}`,
    (saved) => (isDirectory ? readPlcDirectory(exportUrl(from), client, saved) : readPlcFile(from, saved)),
    { ...(signal && { signal }), ...(onImport && { onRead: onImport }) },
  );
}

function exportUrl(written: string): string {
  const url = new URL(written);
  if (url.pathname === "/") url.pathname = "/export";
  return url.href;
}
