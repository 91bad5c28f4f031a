/** What an archive has of a DID: `cat <did> [collection[/rkey]]`. */

import type { Damage } from "../format/bytes.ts";
import { collectionsOf } from "../format/collection.ts";
import { type ArchivedRepo, openArchive } from "./archive.ts";

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

/** The newest of the DID; null when the archive has none. */
export async function catRepo(options: CatOptions): Promise<CatResult | null> {
  const { folder, did, onDamage } = options;
  await using archive = await openArchive(folder, onDamage);
  const repo = await archive.find(did);
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
