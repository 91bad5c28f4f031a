/**
 * Compares two archives by DID through their catalogues: only repos whose rev differs are read. Archives whose catalogue is not up to date are
 * compared by their blocks.
 */
import { compareBytewise, type Damage } from "../rca/format/bytes.ts";
import { type ArchivedRepo, assertSegments } from "../rca/read/archive.ts";
import { changeOf, diffSegments, type RepoChange } from "../rca/read/diff.ts";
import { type Catalogue, catalogueFolder } from "./catalogue.ts";
import { type CatalogueEntry, keyOf } from "./catalogue-record.ts";
import { readPlace } from "./find-repo.ts";
import { openWholeCatalogue } from "./index-segments.ts";

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

async function* diffCatalogues(
  [before, old]: Side,
  [after, young]: Side,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<RepoChange> {
  const left = storedEntries(old);
  const right = storedEntries(young);
  let a = await left.next();
  let b = await right.next();
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareDids(a.value.did, b.value.did);
    const was = order <= 0 && !a.done ? a.value : null;
    const is = order >= 0 && !b.done ? b.value : null;
    // A rev that the catalogue has no room for is compared in the blocks.
    if (was?.rev !== is?.rev || (was?.rev ?? is?.rev) === null) {
      const blocks = await Promise.all([read(before, was, onDamage), read(after, is, onDamage)]);
      // A damaged one is reported as damage, not as a change.
      const isWhole = (was === null || blocks[0] !== null) && (is === null || blocks[1] !== null);
      if (isWhole && blocks[0]?.rev !== blocks[1]?.rev) yield changeOf(summary(blocks[0]), summary(blocks[1]));
    }
    if (was !== null) a = await left.next();
    if (is !== null) b = await right.next();
  }
}

async function* storedEntries(catalogue: Catalogue): AsyncGenerator<CatalogueEntry, void> {
  for (const entry of catalogue.steps()) {
    // Signals must be heard.
    if (entry === null) await new Promise((resolve) => setImmediate(resolve));
    else if (entry.place !== null) yield entry;
  }
}

const read = async (folder: string, entry: CatalogueEntry | null, onDamage: (damage: Damage) => void) =>
  entry?.place == null ? null : readPlace(folder, entry.did, entry.place, onDamage);

const summary = (repo: ArchivedRepo | null) =>
  repo && { ...repo, counts: new Map(repo.collections.map(({ name, recordCount }) => [name, recordCount])) };

const PLC = /^did:plc:[2-7a-z]{24}$/;

/** In the order of keys, which is that of DIDs for did:plc. */
const compareDids = (a: string, b: string): number =>
  PLC.test(a) && PLC.test(b) ? compareBytewise(a, b) : Buffer.compare(keyOf(a), keyOf(b));
