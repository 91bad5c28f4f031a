/**
 * Compares two archives by DID through their catalogues: only repos whose rev differs are read. Archives whose catalogue is not up to date are
 * compared by their blocks.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Damage } from "../rca/format/bytes.ts";
import { type ArchivedRepo, assertSegments } from "../rca/read/archive.ts";
import { changeOf, diffSegments, type RepoChange } from "../rca/read/diff.ts";
import { type Catalogue, catalogueFolder } from "./catalogue.ts";
import { type CatalogueEntry, hasPlace, isSameRev } from "./catalogue-record.ts";
import { readPlace } from "./find-repo.ts";
import { openWholeCatalogue } from "./index-segments.ts";
import { compareKeys } from "./sorted-run.ts";

/** Repos with the same rev are left out: the same rev means the same contents. */
export async function* diffArchives(
  before: string,
  after: string,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<RepoChange> {
  await assertSegments(before);
  await assertSegments(after);
  const old = await openWholeCatalogue(before, catalogueFolder(before));
  const young = old === null ? null : await openWholeCatalogue(after, catalogueFolder(after));
  try {
    if (old === null || young === null) yield* diffSegments(before, after, onDamage);
    else yield* diffCatalogues([before, old], [after, young], onDamage);
  } finally {
    old?.close();
    young?.close();
  }
}

type Side = [folder: string, catalogue: Catalogue];

/** By the records as they are stored: nearly all are equal, and making entries of all of them takes four times as long. */
async function* diffCatalogues(
  [before, old]: Side,
  [after, young]: Side,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<RepoChange> {
  const [left, right] = [new StoredRecords(old), new StoredRecords(young)];
  for (let [a, b] = [left.next(), right.next()]; a !== null || b !== null; ) {
    // Signals must be heard.
    if (left.takesBreak() || right.takesBreak()) await turn();
    const order = a === null ? 1 : b === null ? -1 : compareKeys(a, 0, b, 0);
    const was = order <= 0 ? a : null;
    const is = order >= 0 ? b : null;
    // Revs that the catalogue has no room for are compared in the blocks.
    if (was === null || is === null || !isSameRev(was, is)) {
      const entries = [was && old.entryOf(was), is && young.entryOf(is)] as const;
      const blocks = await Promise.all([read(before, entries[0], onDamage), read(after, entries[1], onDamage)]);
      // A damaged one is reported as damage, not as a change.
      const isWhole = blocks.every((block, side) => block !== null || entries[side] === null);
      if (isWhole && blocks[0]?.rev !== blocks[1]?.rev) yield changeOf(summary(blocks[0]), summary(blocks[1]));
    }
    if (was !== null) a = left.next();
    if (is !== null) b = right.next();
  }
}

class StoredRecords {
  readonly #records: Iterator<Buffer | null>;
  #isTired = false;

  constructor(catalogue: Catalogue) {
    this.#records = catalogue.records();
  }

  /** The next that has a block, in a buffer that changes with the one after it; null at the end. */
  next(): Buffer | null {
    for (let step = this.#records.next(); !step.done; step = this.#records.next()) {
      if (step.value === null) this.#isTired = true;
      else if (hasPlace(step.value)) return step.value;
    }
    return null;
  }

  /** Whether others should have their turn now. */
  takesBreak(): boolean {
    const isTired = this.#isTired;
    this.#isTired = false;
    return isTired;
  }
}

const read = async (folder: string, entry: CatalogueEntry | null, onDamage: (damage: Damage) => void) =>
  entry?.place == null ? null : readPlace(folder, entry.did, entry.place, onDamage);

const summary = (repo: ArchivedRepo | null) =>
  repo && { ...repo, counts: new Map(repo.collections.map(({ name, recordCount }) => [name, recordCount])) };
