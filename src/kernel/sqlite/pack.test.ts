import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { ACTIONS, type Admitted } from "../task.ts";
import { PLAIN_META, type PlainMeta } from "../testing/samples.ts";
import { packAdmitted, unpackAdmitted } from "./pack.ts";

const pack = (rows: Admitted<PlainMeta>[]) => packAdmitted(rows, PLAIN_META);

const unpack = (packed: ReturnType<typeof packAdmitted>): Admitted<PlainMeta>[] => {
  const rows: Admitted<PlainMeta>[] = [];
  unpackAdmitted(packed, ({ via, kind, ...row }) => rows.push({ ...row, meta: { via, kind } }));
  return rows;
};

const number = fc.nat({ max: 0x7fffffff });
/** Any text without a line break: canonical keys have none. */
const key = fc.string({ unit: "grapheme", minLength: 0, maxLength: 40 }).map((text) => text.replaceAll("\n", ""));
/** Few, so that they repeat. An empty reason or rule does not exist: it is null. */
const word = fc.constantFrom("a.example", "b.example", "robots", "Disallow: /\nover two lines", "日本");

const plain = { noNullPrototype: true } as const;
const verdict = fc.record(
  {
    action: fc.constantFrom(...ACTIONS),
    reason: fc.option(word, { nil: null }),
    rule: fc.option(word, { nil: null }),
  },
  plain,
);
const lane = fc.oneof(fc.constant(""), word);
const admitted: fc.Arbitrary<Admitted<PlainMeta>> = fc.record(
  {
    key,
    id: number,
    place: number,
    depth: number,
    parent: number,
    meta: fc.record({ via: number, kind: number }, plain),
    hops: number,
    lane,
    verdict,
  },
  plain,
);

it("unpacks what was packed", () => {
  fc.assert(
    fc.property(fc.array(admitted, { maxLength: 50 }), (rows) => {
      assert.deepEqual(unpack(pack(rows)), rows);
    }),
  );
});

it("survives the way to another thread", () => {
  fc.assert(
    fc.property(fc.array(admitted, { maxLength: 20 }), (rows) => {
      const packed = pack(rows);
      const crossed = structuredClone(packed, { transfer: [packed.numbers.buffer as ArrayBuffer] });
      assert.deepEqual(unpack(crossed), rows);
    }),
    { numRuns: 30 },
  );
});

it("packs nothing as nothing", () => {
  assert.deepEqual(unpack(pack([])), []);
});
