/** The files of a spool, oldest first: `discoveries-<unix time>.jsonl`. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../storage/durable.ts";

const NAME = /^discoveries-(\d{1,15})\.jsonl$/;

export const spoolFileName = (timestamp: number): string => `discoveries-${timestamp}.jsonl`;

/** The time in a file's name; null when it is no file of a spool. */
export function spoolTimestamp(name: string): number | null {
  const match = NAME.exec(name);
  return match === null ? null : Number(match[1]);
}

export async function spoolFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(emptyIfMissing);
  return names
    .filter((name) => NAME.test(name))
    .sort((a, b) => spoolTimestamp(a)! - spoolTimestamp(b)! || (a < b ? -1 : 1));
}

export async function spoolBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await spoolFiles(folder)) {
    // Somebody may be tidying up.
    bytes += await stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}
