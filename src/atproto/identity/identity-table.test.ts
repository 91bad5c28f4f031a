import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { didKeyOf, makeKeys } from "../repo/testing/build-car.ts";
import { didOf } from "../testing/fake-pds.ts";
import { RECORD_BYTES, readDid, readRecord, writeDid, writeRecord } from "./identity-record.ts";
import { IdentityTable } from "./identity-table.ts";
import type { PlcBatch, PlcLine } from "./plc-export.ts";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-identities-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const KEYS = [makeKeys("secp256k1").didKey, makeKeys("prime256v1").didKey, null];
const line = (did: string, pds: string | null | undefined, more: Partial<PlcLine> = {}): PlcLine => ({
  did,
  pds,
  signingKey: KEYS[0]!,
  seq: null,
  createdAt: null,
  ...more,
});

async function* batches(all: PlcLine[], size: number, cursor: string | null): AsyncGenerator<PlcBatch> {
  for (let at = 0; at < all.length; at += size) yield { lines: all.slice(at, at + size), cursor: null };
  yield { lines: [], cursor };
}

const aDid = fc.nat({ max: 40 }).map((number) => didOf(number * 1_000_003));

test("a DID and a key come back as they were, and bytes sort as texts do", () => {
  const letters = fc.array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz234567"), { minLength: 24, maxLength: 24 });
  const did = letters.map((each) => `did:plc:${each.join("")}`);
  fc.assert(
    fc.property(did, did, fc.constantFrom(...KEYS), fc.nat(), (one, other, signingKey, host) => {
      const bytes = Buffer.alloc(RECORD_BYTES * 2);
      assert.ok(writeRecord(bytes, 0, { did: one, signingKey, host, seconds: 7 }));
      assert.ok(writeDid(other, bytes, RECORD_BYTES));
      assert.deepEqual([readDid(bytes, 0), readDid(bytes, RECORD_BYTES)], [one, other]);
      assert.deepEqual(readRecord(bytes, 0), { host, signingKey });
      const order = Buffer.compare(bytes.subarray(0, 15), bytes.subarray(RECORD_BYTES, RECORD_BYTES + 15));
      assert.equal(order, one < other ? -1 : one > other ? 1 : 0);
    }),
  );
  for (const text of [
    "",
    "did:web:a.example",
    "did:plc:short",
    `did:plc:${"a".repeat(23)}1`,
    `did:plc:${"a".repeat(23)}\u0161`,
  ])
    assert.equal(writeDid(text, Buffer.alloc(15), 0), false, text);
  for (const key of [
    "did:key:zNone",
    "zQ3sh",
    "did:key:z",
    didKeyOf(Buffer.alloc(35, 7)),
    `did:key:z${"1".repeat(48)}`,
  ]) {
    const bytes = Buffer.alloc(RECORD_BYTES);
    assert.ok(writeRecord(bytes, 0, { did: didOf(1), signingKey: key, host: 1, seconds: 0 }));
    assert.equal(readRecord(bytes, 0).signingKey, null, key);
  }
});

test("the table answers as a map would, whatever the sizes of runs and batches, over several imports", async (t) => {
  const operation = fc.record({
    did: aDid,
    pds: fc.constantFrom("https://a.example", "https://b.example", null, undefined),
    signingKey: fc.constantFrom(...KEYS),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { maxLength: 60 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 20 }),
      async (imports, runRecords, size) => {
        const table = new IdentityTable(folderOf(t), runRecords);
        const expected = new Map<string, { pds: string | null; signingKey: string | null }>();
        for (const [number, operations] of imports.entries()) {
          await table.import("x", () =>
            batches(
              operations.map((one) => line(one.did, one.pds, one)),
              size,
              `${number}`,
            ),
          );
          for (const { did, pds, signingKey } of operations)
            if (pds !== undefined) expected.set(did, { pds, signingKey });
        }
        for (let number = 0; number <= 40; number++) {
          const did = didOf(number * 1_000_003);
          const found = table.find(did);
          assert.deepEqual(found && { pds: found.pds, signingKey: found.signingKey }, expected.get(did) ?? null);
        }
        const paged: string[] = [];
        for (let after: string | null = ""; after !== null; ) {
          const page = table.page(after, 4);
          paged.push(...page.entries.map(({ did }) => did));
          after = page.last;
        }
        const living = [...expected].filter(([, { pds }]) => pds !== null).map(([did]) => did);
        assert.deepEqual(paged, living.sort());
        assert.equal(table.cursor("x"), `${imports.length - 1}`);
        table.close();
      },
    ),
    { numRuns: 30 },
  );
});

test("thousands of DIDs are found, and those between them are not", async (t) => {
  const folder = folderOf(t);
  const table = new IdentityTable(folder, 1_000);
  const all = Array.from({ length: 5_000 }, (_, index) =>
    line(didOf(index * 7_919 * 26 ** 10), `https://${index % 9}.example`),
  );
  await table.import("x", () => batches(all, 100, "end"));
  for (const { did, pds } of all) assert.equal(table.find(did)?.pds, pds);
  assert.equal(table.find(didOf(1)), null);
  assert.deepEqual(
    readdirSync(folder).filter((name) => /^(?:run|table)-/.test(name)).length,
    1,
    "runs are removed when they are merged",
  );
  const again = new IdentityTable(folder);
  assert.equal(again.find(all[77]!.did)?.pds, all[77]!.pds);
});

test("an older export that is read later does not overwrite newer operations", async (t) => {
  const table = new IdentityTable(folderOf(t));
  const newer = line(didOf(1), "https://new.example", { createdAt: "2026-05-01T00:00:00Z" });
  const older = line(didOf(1), "https://old.example", { createdAt: "2024-05-01T00:00:00Z" });
  await table.import("new", () => batches([newer], 1, "1"));
  await table.import("old", () => batches([older], 1, "1"));
  assert.equal(table.find(didOf(1))?.pds, "https://new.example");
});

test("an import that is stopped keeps what it has read, and the next one continues from there", async (t) => {
  const folder = folderOf(t);
  const cursors: (string | null)[] = [];
  const stopped = async function* (cursor: string | null): AsyncGenerator<PlcBatch> {
    cursors.push(cursor);
    yield { lines: [line(didOf(1), "https://a.example")], cursor: "1" };
    yield { lines: [line(didOf(2), "https://a.example")], cursor: "2" };
    throw new Error("stopped");
  };
  await assert.rejects(new IdentityTable(folder, 1).import("x", stopped), /stopped/);
  const table = new IdentityTable(folder, 1);
  await table.import("x", async function* (cursor) {
    cursors.push(cursor);
    yield { lines: [line(didOf(3), "https://a.example")], cursor: "3" };
  });
  assert.deepEqual(cursors, [null, "2"]);
  for (const number of [1, 2, 3]) assert.equal(table.find(didOf(number))?.pds, "https://a.example");
});

test("a look-up in a large table takes two reads", async (t) => {
  const table = new IdentityTable(folderOf(t), 1 << 20);
  const dids = Array.from({ length: 200_000 }, (_, number) => hashedDid(number));
  const lines = dids.map((did, number) => line(did, `https://${number % 7}.example`));
  await table.import("plc:x", (cursor) => batches(lines, 10_000, cursor));
  const reads: number[] = [];
  for (let number = 0; number < dids.length; number += 61) {
    for (const did of [dids[number]!, hashedDid(1_000_000 + number)]) {
      const before = table.reads;
      assert.equal(table.find(did)?.pds ?? null, did === dids[number] ? `https://${number % 7}.example` : null);
      reads.push(table.reads - before);
    }
  }
  reads.sort((a, b) => a - b);
  assert.ok(reads[Math.floor(reads.length * 0.99)]! <= 2 && reads.at(-1)! <= 5, `${reads.at(-1)} reads`);
  table.close();
});

const LETTERS = "234567abcdefghijklmnopqrstuvwxyz";

/** As real ones are spread. */
function hashedDid(number: number): string {
  const digest = createHash("sha256").update(`${number}`).digest();
  return `did:plc:${[...digest.subarray(0, 24)].map((byte) => LETTERS[byte % 32]).join("")}`;
}
