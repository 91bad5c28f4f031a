/** The catalogue: what was put is found, by every reader and after every power cut; it follows the segments. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { segmentPath } from "../rca/format/segment-names.ts";
import { noDamage, posts, sampleDid, sampleRepo, temporaryFolder, writeSegment } from "../rca/testing/samples.ts";
import { Catalogue, catalogueFolder } from "./catalogue.ts";
import {
  type CatalogueEntry,
  keyOf,
  RECORD_BYTES,
  readEntry,
  unnumberedClasses,
  writeEntry,
} from "./catalogue-record.ts";
import { CatalogueWriter, mergeAll } from "./catalogue-writer.ts";
import { diffArchives } from "./diff-archives.ts";
import { findRepo } from "./find-repo.ts";
import { indexSegments, openWholeCatalogue } from "./index-segments.ts";

const LETTERS = "234567abcdefghijklmnopqrstuvwxyz";
const plc = (number: number): string => {
  const digest = createHash("sha256").update(`${number}`).digest();
  return `did:plc:${[...digest.subarray(0, 24)].map((byte) => LETTERS[byte % 32]).join("")}`;
};

const stored = (did: string, number: number, changes: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  did,
  place: { segment: 1 + (number % 7), offset: 64 + number * 1_000, size: 900 + number, crc: (number * 77) >>> 0 },
  rev: "3l3qo2vuowo2b",
  status: "stored",
  nextAttempt: 0,
  at: BigInt(1_700_000_000_000_000 + number),
  ...changes,
});

test("an entry survives its 60 bytes", () => {
  const bytes = Buffer.alloc(RECORD_BYTES);
  const entries = [
    stored(plc(1), 1),
    stored(plc(2), 2, {
      rev: "jzzzzzzzzzzzz",
      place: { segment: 2 ** 32 - 1, offset: 2 ** 45, size: 2 ** 32 - 1, crc: 2 ** 32 - 1 },
    }),
    stored(plc(3), 3, { rev: "old-rev" }),
    stored(plc(4), 4, { rev: null, place: null, status: "takendown", nextAttempt: 1_800_000_000_000 }),
  ];
  for (const entry of entries) {
    writeEntry(entry, bytes);
    assert.deepEqual(readEntry(bytes, 0), entry);
  }
  writeEntry(stored(plc(5), 5, { rev: "a rev that no eight bytes hold" }), bytes);
  assert.equal(readEntry(bytes, 0).rev, null);
  assert.ok(RECORD_BYTES <= 64);
  assert.deepEqual(unnumberedClasses(), []);
});

test("what was put is found in logs, runs and merged runs, in order, while it is written", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = await CatalogueWriter.open({ folder, logRecords: 64 });
  const other = await CatalogueWriter.open({ folder, logRecords: 64 });
  const dids = [...Array.from({ length: 700 }, (_, number) => plc(number)), "did:web:example.com", "did:web:b.example"];
  const reader = new Catalogue(folder);
  for (let from = 0; from < dids.length; from += 10) {
    const entries = dids.slice(from, from + 10).map((did, at) => stored(did, from + at));
    await ((from / 10) % 2 === 0 ? writer : other).put(entries);
    reader.refresh();
    assert.deepEqual(reader.get(dids[from]!), entries[0]);
    assert.equal(reader.get(plc(100_000 + from)), null);
  }
  const expected = [...dids].sort((a, b) => Buffer.compare(keyOf(a), keyOf(b)));
  assert.deepEqual(
    [...reader.entries()].map(({ did }) => did),
    expected,
  );
  await writer.close();
  await other.close();
  await mergeAll(folder);
  reader.refresh();
  assert.deepEqual(
    [...reader.entries()],
    expected.map((did) => stored(did, dids.indexOf(did))),
  );
  for (const [number, did] of dids.entries()) assert.deepEqual(reader.get(did), stored(did, number));
  reader.close();
  const files = readdirSync(folder).filter((name) => name.startsWith("run-"));
  assert.equal(files.length, 1);
  assert.equal(statSync(join(folder, files[0]!)).size, dids.length * RECORD_BYTES);
});

test("a failure keeps the place, a newer block replaces it, forgetting takes it away", async (t) => {
  const folder = await temporaryFolder(t);
  const did = plc(1);
  const first = stored(did, 1);
  const failed: CatalogueEntry = {
    ...first,
    place: null,
    rev: null,
    status: "takendown",
    nextAttempt: 5_000,
    at: first.at + 10n,
  };
  const expected = { ...first, status: "takendown", nextAttempt: 5_000, at: failed.at };
  for (const order of [
    [first, failed],
    [failed, first],
  ]) {
    const writer = await CatalogueWriter.open({ folder: join(folder, `${order[0]!.status}`), logRecords: 1 });
    for (const entry of order) await writer.put([entry]);
    assert.deepEqual(writer.get(did), expected);
    const newer = stored(did, 2, { at: first.at + 20n });
    await writer.put([newer]);
    assert.deepEqual(writer.get(did), newer);
    await writer.put([{ ...failed, status: "forgotten", at: first.at + 30n }]);
    assert.equal(writer.get(did), null);
    await writer.close();
    await mergeAll(join(folder, `${order[0]!.status}`));
    assert.deepEqual([...new Catalogue(join(folder, `${order[0]!.status}`)).entries()], []);
  }
});

const twoOf = (number: number): CatalogueEntry[] => [
  stored(plc(number), number),
  stored(number === 0 ? plc(1) : `did:web:${number}.example`, number + 1),
];

test("a power cut loses nothing that was put", async (t) => {
  await assertCrashSafe<number>(t, {
    needless: {
      "sync catalogue/log-* (AppendFile.truncate in append-file.ts)":
        "a log that comes back has what is in the run already; AppendFile syncs what it cuts for everyone",
    },
    work: async ({ folder, fs, promise }) => {
      const writer = await CatalogueWriter.open({ folder: catalogueFolder(folder), logRecords: 5, fs });
      for (let number = 0; number < 8; number += 2) {
        await writer.put(twoOf(number));
        promise(number);
      }
      await writer.close();
    },
    recover: async ({ folder, fs, promised }) => {
      const check = (): void => {
        const catalogue = new Catalogue(catalogueFolder(folder));
        const all = [...catalogue.entries()];
        for (const entry of promised.flatMap(twoOf)) {
          assert.deepEqual(catalogue.get(entry.did), entry);
          assert.deepEqual(
            all.filter(({ did }) => did === entry.did),
            [entry],
          );
        }
        catalogue.close();
      };
      check();
      const writer = await CatalogueWriter.open({ folder: catalogueFolder(folder), fs });
      await writer.close();
      check();
    },
  });
});

test("it follows the segments: new ones are added, changed ones make it start over, failures stay", async (t) => {
  const folder = await temporaryFolder(t);
  const catalogue = catalogueFolder(folder);
  const index = (rebuild = false) => indexSegments({ folder, catalogue, onDamage: noDamage, rebuild });
  await writeSegment(folder, [sampleRepo(sampleDid(1), posts(2)), sampleRepo(plc(1), posts(3), { rev: "3kaaa" })]);
  assert.equal(await openWholeCatalogue(folder, catalogue), null);
  assert.deepEqual(await index(), { segments: 1, blocks: 2, rebuilt: false });
  await writeSegment(folder, [sampleRepo(plc(1), posts(4), { rev: "3kbbb", crawledAt: 1_700_000_000_000_001n })]);
  assert.equal(await openWholeCatalogue(folder, catalogue), null);
  assert.equal((await findRepo(folder, plc(1), noDamage))?.rev, "3kbbb", "found before it is in the catalogue");
  assert.deepEqual(await index(), { segments: 1, blocks: 1, rebuilt: false });
  const writer = await CatalogueWriter.open({ folder: catalogue });
  await writer.put([{ ...stored(plc(9), 9), place: null, rev: null, status: "takendown" }]);
  await writer.close();
  const whole = await openWholeCatalogue(folder, catalogue);
  assert.equal(whole?.get(plc(1))?.rev, "3kbbb");
  assert.equal(whole?.get(plc(1))?.place?.segment, 2);
  whole?.close();

  rmSync(segmentPath(folder, 2, "rca"));
  assert.equal(await openWholeCatalogue(folder, catalogue), null);
  assert.equal((await findRepo(folder, plc(1), () => {}))?.rev, "3kaaa", "searched when the catalogue is out of date");
  assert.deepEqual(await index(), { segments: 1, blocks: 2, rebuilt: true });
  const after = new Catalogue(catalogue);
  assert.equal(after.get(plc(1))?.rev, "3kaaa", "the older block counts again");
  assert.equal(after.get(plc(9))?.status, "takendown");
  assert.equal(after.get(sampleDid(1))?.place?.segment, 1);
  after.close();
  writeFileSync(join(catalogue, "manifest.json"), "{");
  assert.throws(() => new Catalogue(catalogue), /index --rebuild/);
  assert.deepEqual(await index(true), { segments: 1, blocks: 2, rebuilt: true });
  assert.equal((await findRepo(folder, plc(1), noDamage))?.rev, "3kaaa");
});

test("a block that is not where the catalogue says is reported, and searched for", async (t) => {
  const folder = await temporaryFolder(t);
  await writeSegment(folder, [sampleRepo(plc(1), posts(2))]);
  const writer = await CatalogueWriter.open({ folder: catalogueFolder(folder) });
  await writer.put([stored(plc(1), 6)]);
  await writer.close();
  const damage: string[] = [];
  const found = await findRepo(folder, plc(1), ({ reason }) => damage.push(reason));
  assert.equal(found?.collections[0]?.recordCount, 2);
  assert.equal(damage.length, 1);
});

test("two archives are compared by their catalogues, and only what differs is read", async (t) => {
  const folder = await temporaryFolder(t);
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  const same = [sampleRepo(plc(1), posts(1)), sampleRepo("did:web:same.example", posts(1))];
  await writeSegment(before, [...same, sampleRepo(plc(2), posts(1)), sampleRepo("did:web:gone.example")]);
  await writeSegment(after, [...same, sampleRepo(plc(2), posts(3), { rev: "3kabd" }), sampleRepo(plc(3), posts(2))]);
  const changes = async () => {
    const all = [];
    for await (const change of diffArchives(before, after, noDamage)) all.push(change);
    return all.sort((a, b) => (a.did < b.did ? -1 : 1));
  };
  const bySegments = await changes();
  assert.deepEqual(bySegments.map(({ change }) => change).sort(), ["added", "changed", "removed"]);
  for (const archive of [before, after])
    await indexSegments({ folder: archive, catalogue: catalogueFolder(archive), onDamage: noDamage });
  // A block with the same rev is not looked at: this one could not be read.
  const path = segmentPath(before, 1, "rca");
  const bytes = readFileSync(path);
  bytes[bytes.indexOf(plc(1)) + 60]! ^= 1;
  writeFileSync(path, bytes);
  assert.deepEqual(await changes(), bySegments);
});
