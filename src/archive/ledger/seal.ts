/**
 * `seal.json`: which commit must be there at least, and whether the ledger was closed after it. Without it, commits that are
 * missing at the end would look like a crash. It is replaced as a whole when a ledger is opened and when it is closed.
 */
import { readFile } from "node:fs/promises";
import { missingAsNull, replaceFile } from "../../storage/durable.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { addSum, follows, readSum } from "../../storage/line-sums.ts";

export interface Seal {
  commit: number;
  /** It was the last commit, and nothing was written after it to any file. */
  closed: boolean;
}

const encode = ({ commit, closed }: Seal): Buffer => addSum(JSON.stringify({ commit, closed }), 0).line;

/** `missing` and `damaged` are told apart: a ledger from before there were seals has none. */
export async function readSeal(path: string): Promise<Seal | "missing" | "damaged"> {
  const bytes = await readFile(path).catch(missingAsNull(path));
  if (bytes === null) return "missing";
  const sum = readSum(bytes.subarray(0, -1));
  if (sum === null || !follows(sum, 0)) return "damaged";
  const seal = JSON.parse(`${sum.text}}`) as Seal;
  return encode(seal).equals(bytes) ? seal : "damaged";
}

export const writeSeal = (path: string, seal: Seal, fs?: FileSystem): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(encode(seal)), { fs });
