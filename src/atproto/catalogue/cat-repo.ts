/** What an archive has of a DID: `cat <did> [collection[/rkey]]`. */
import type { Damage } from "../rca/format/bytes.ts";
import { collectionsOf } from "../rca/format/collection.ts";
import { type ArchivedRepo, assertSegments } from "../rca/read/archive.ts";
import { findRepo } from "./find-repo.ts";

export interface CatOptions {
  folder: string;
  did: string;
  collection?: string;
  rkey?: string;
  onDamage: (damage: Damage) => void;
}

export interface CatRecord {
  collection: string;
  rkey: string;
  /** The record as it is stored: JSON in UTF-8. */
  json: Buffer;
}

export interface CatResult {
  repo: ArchivedRepo;
  /** One collection is unpacked at a time. */
  records: Iterable<CatRecord>;
}

/** The newest repo of the DID; null when the archive has none. */
export async function catRepo(options: CatOptions): Promise<CatResult | null> {
  const { folder, did, onDamage } = options;
  await assertSegments(folder);
  const repo = await findRepo(folder, did, onDamage);
  return repo === null ? null : { repo, records: matching(repo, options) };
}

function* matching(repo: ArchivedRepo, { collection, rkey, onDamage }: CatOptions): Generator<CatRecord> {
  const wanted = (name: string): boolean => collection === undefined || name === collection;
  for (const { name, records } of collectionsOf(repo, onDamage, wanted)) {
    for (const record of records) {
      if (rkey !== undefined && record.rkey !== rkey) continue;
      yield { collection: name, rkey: record.rkey, json: record.value };
    }
  }
}
