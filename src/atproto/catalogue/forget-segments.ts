/** Erases an account from segments and the catalogue, and from what crashes left of both. */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { missingAsNull } from "../../storage/durable.ts";
import { realFileSystem } from "../../storage/file-system.ts";
import { salvageFolder } from "../rca/repair/repair-segments.ts";
import { catalogueFolder } from "./catalogue.ts";
import { CatalogueWriter, dropName, mergeAll } from "./catalogue-writer.ts";
import { alone, type CompactOptions, type CompactResult, rewriteSegments } from "./compact.ts";

export interface ForgetResult extends CompactResult {
  /** Damaged files that `repair` kept and that name the account: only a person can tell what is in them. */
  kept: string[];
}

/** Drops every block of an account, and its record in the catalogue. */
export const forgetInSegments = (options: CompactOptions, did: string): Promise<ForgetResult> =>
  alone(options, () => forget(options, did));

async function forget(options: CompactOptions, did: string): Promise<ForgetResult> {
  const { folder, now, onDamage, fs = realFileSystem } = options;
  // What a crash left unfinished has blocks, too.
  await salvageFolder(folder, onDamage, fs);
  const result = await rewriteSegments(options, (_, __, ___, owner) => owner !== did, did);
  const writer = await CatalogueWriter.open({ folder: catalogueFolder(folder), fs });
  // It applies even if clocks were set back since the crawl.
  const [known, time] = [writer.get(did)?.at ?? 0n, BigInt(Math.floor(now() * 1000))];
  const at = known >= time ? known + 1n : time;
  await writer.put([{ did, place: null, rev: null, status: "forgotten", nextAttempt: 0, at }]);
  await writer.close();
  await dropName(catalogueFolder(folder), did, fs);
  await mergeAll(catalogueFolder(folder), fs);
  return { ...result, kept: await keptFiles(folder, did) };
}

const KEPT = /\.(?:damaged(?:-\d+)?|repair)$/;

async function keptFiles(folder: string, did: string): Promise<string[]> {
  const names = (await readdir(folder).catch(missingAsNull(folder))) ?? [];
  const kept: string[] = [];
  for (const name of names.filter((one) => KEPT.test(one)).sort()) {
    if (await contains(join(folder, name), Buffer.from(did))) kept.push(join(folder, name));
  }
  return kept;
}

async function contains(path: string, wanted: Buffer): Promise<boolean> {
  let end: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(path)) {
    const bytes = Buffer.concat([end, piece as Buffer]);
    if (bytes.includes(wanted)) return true;
    end = bytes.subarray(Math.max(0, bytes.length - wanted.length));
  }
  return false;
}
