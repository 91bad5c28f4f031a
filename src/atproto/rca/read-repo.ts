/** The collections and records of a repo that was read; a collection that cannot be unpacked is reported and skipped. */

import type { ArchivedRepo } from "./archive.ts";
import { type Damage, reasonOf } from "./bad-bytes.ts";
import { contentOf } from "./compress.ts";
import { recordsOf, type StoredRecord } from "./record-list.ts";

export interface ReadCollection {
  name: string;
  recordCount: number;
  /** Views of the unpacked collection. */
  records: StoredRecord[];
}

/** One collection is unpacked at a time. `wanted` chooses by name. */
export function* collectionsOf(
  repo: ArchivedRepo,
  onDamage: (damage: Damage) => void,
  wanted: (name: string) => boolean = () => true,
): Generator<ReadCollection> {
  for (const collection of repo.collections) {
    const { name, recordCount } = collection;
    if (!wanted(name)) continue;
    try {
      // Before the first is given out, so that no half of a damaged collection is taken for the whole.
      const records = [...recordsOf(contentOf(collection), recordCount)];
      yield { name, recordCount, records };
    } catch (error) {
      const reason = `${name}: ${reasonOf(error)}`;
      onDamage({ path: repo.path, offset: repo.offset, did: repo.did, reason, torn: false });
    }
  }
}
