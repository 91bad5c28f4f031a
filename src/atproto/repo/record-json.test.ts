import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CborProblem, CborReader } from "./cbor-reader.ts";
import { JsonBuffer } from "./json-buffer.ts";
import type { JsonForm } from "./parsed-repo.ts";
import { DEEPEST_RECORD, MOST_UNORDERED_KEYS } from "./parsed-repo.ts";
import { RecordJson } from "./record-json.ts";
import { array, bytes, encode, head, link, map, NULL, text, unsigned } from "./testing/cbor.ts";

const CID = Buffer.from(`01711220${"ab".repeat(32)}`, "hex");
const CID_TEXT = "bafyreiflvov2xk5lvov2xk5lvov2xk5lvov2xk5lvov2xk5lvov2xk5lvm";
const LIMIT = 2 ** 24;

function json(record: Buffer, form: JsonForm = "seed"): string {
  // Between other bytes, so that reading over an end would show.
  const around = Buffer.concat([Buffer.alloc(3, 0x61), record, Buffer.alloc(9, 0x61)]);
  const out = new JsonBuffer(1, LIMIT);
  new RecordJson(new CborReader(around), out, form).write(3, 3 + record.length);
  return Buffer.from(out.bytes.subarray(0, out.at)).toString();
}

const value = (item: Buffer, form?: JsonForm) => json(map([["v", item]]), form).slice(5, -1);

function refusal(record: Buffer): string {
  try {
    json(record);
  } catch (problem) {
    assert.ok(problem instanceof CborProblem, String(problem));
    return problem.reason;
  }
  return assert.fail("it was accepted");
}

test("numbers are written in full", () => {
  const expected: [Buffer, string][] = [
    [unsigned(0), "0"],
    [unsigned(23), "23"],
    [unsigned(24), "24"],
    [unsigned(1_000), "1000"],
    [unsigned(2 ** 31 - 1), "2147483647"],
    [unsigned(2 ** 31), "2147483648"],
    [unsigned(2 ** 32 - 1), "4294967295"],
    [unsigned(2 ** 53 + 1), "9007199254740992"],
    [unsigned(9_007_199_254_740_993n), "9007199254740993"],
    [unsigned(2n ** 64n - 1n), "18446744073709551615"],
    [head(1, 0), "-1"],
    [head(1, 2 ** 31 - 1), "-2147483648"],
    [head(1, 2 ** 32), "-4294967297"],
    [head(1, 2n ** 64n - 1n), "-18446744073709551616"],
    [Buffer.from("fb3ff199999999999a", "hex"), "1.1"],
    [Buffer.from("fb7e37e43c8800759c", "hex"), "1e+300"],
    [Buffer.from("fb8000000000000000", "hex"), "0"],
    [Buffer.from("fa47c35000", "hex"), "100000"],
    [Buffer.from("f93e00", "hex"), "1.5"],
    [Buffer.from("fb7ff8000000000000", "hex"), "null"],
    [Buffer.from("fb7ff0000000000000", "hex"), "null"],
    [Buffer.from("f9fc00", "hex"), "null"],
  ];
  for (const [item, written] of expected) assert.equal(value(item), written, item.toString("hex"));
});

test("the other kinds of values", () => {
  assert.equal(value(array([])), "[]");
  assert.equal(value(array([unsigned(1), array([text("a")]), map([])])), '[1,["a"],{}]');
  assert.equal(value(Buffer.from([0xf4])) + value(Buffer.from([0xf5])) + value(NULL), "falsetruenull");
  assert.equal(value(Buffer.from([0xf7])), "null");
  assert.equal(value(link(CID)), `{"$link":"${CID_TEXT}"}`);
  assert.equal(value(link(CID), "lossless"), `{"$link":"${CID_TEXT}"}`);
});

test("bytes are padded base64 text, and unpadded in the lossless form", () => {
  for (const length of [0, 1, 2, 3, 4, 31]) {
    const item = Buffer.from(Array.from({ length }, (_, index) => index * 37));
    const base64 = item.toString("base64");
    assert.equal(value(bytes(item)), `"${base64}"`);
    assert.equal(value(bytes(item), "lossless"), `{"$bytes":"${base64.replace(/=+$/, "")}"}`);
  }
});

test("keys named cid go, at every depth, and their commas with them; lossless keeps them", () => {
  const inner = map([
    ["a", unsigned(1)],
    ["cid", text("x")],
    ["uri", unsigned(2)],
  ]);
  const record = map([
    ["cid", link(CID)],
    ["list", array([inner])],
    ["other", map([["cid", NULL]])],
  ]);
  assert.equal(json(record), '{"list":[{"a":1,"uri":2}],"other":{}}');
  assert.equal(
    json(record, "lossless"),
    `{"cid":{"$link":"${CID_TEXT}"},"list":[{"a":1,"cid":"x","uri":2}],"other":{"cid":null}}`,
  );
  assert.match(refusal(map([["cid", head(6, 7)]])), /tag/);
});

test("text is escaped as JSON demands and no further", () => {
  assert.equal(value(text('<a href="x">&\\\u2028\u007f</a>')), '"<a href=\\"x\\">&\\\\\u2028\u007f</a>"');
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
  assert.equal(value(text(controls)), JSON.stringify(controls));
});

test("any bytes as text come out as every decoder of the web reads them", () => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 12 }).map((part) => Buffer.from(part)),
    fc
      .constantFrom("e282", "f09f98", "eda080", "c0af", "f4908080", "80", "22", "5c5c", "00")
      .map((hex) => Buffer.from(hex, "hex")),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const content = Buffer.concat(pieces);
      const item = Buffer.concat([head(3, content.length), content]);
      assert.equal(value(item), JSON.stringify(decoder.decode(content)));
    }),
    { numRuns: 500 },
  );
});

test("any values come out as JSON.stringify writes them, in the order of DAG-CBOR", () => {
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      fc.string({ unit: "grapheme" }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(
        fc.string().filter((key) => key !== "cid" && key !== "$link" && key !== "__proto__"),
        tie("any"),
        { maxKeys: 4 },
      ),
    ),
  }));
  fc.assert(
    fc.property(any, (item) => {
      assert.deepEqual(JSON.parse(value(encode(item))), JSON.parse(JSON.stringify(item)));
    }),
  );
});

test("anything but DAG-CBOR is refused with the reason", () => {
  const expected: [Buffer, RegExp][] = [
    [unsigned(1), /not a map/],
    [Buffer.concat([map([]), NULL]), /after its end/],
    [Buffer.alloc(0), /ends too early/],
    [Buffer.from("a1", "hex"), /beyond its end/],
    [Buffer.from("a16161", "hex"), /ends too early/],
    [Buffer.from("bf6161f6ff", "hex"), /left open/],
    [Buffer.from("a161615f4101ff", "hex"), /left open/],
    [Buffer.from("a161619ff6ff", "hex"), /left open/],
    [Buffer.from("a16161fc", "hex"), /reserved/],
    [Buffer.from("a10102", "hex"), /not text/],
    [Buffer.from("a1616178ff61", "hex"), /beyond its end/],
    [Buffer.from("a161617bffffffffffffffff61", "hex"), /beyond its end/],
    [Buffer.from("a161619b7fffffffffffffff61", "hex"), /beyond its end/],
    [Buffer.from("a16161c11a514b67b0", "hex"), /tag/],
    [map([["a", Buffer.from("f818", "hex")]]), /simple/],
    [map([["a", Buffer.concat([head(6, 42), text("x")])]]), /not bytes/],
    [map([["a", Buffer.concat([head(6, 42), bytes(CID)])]]), /not a CID/],
    [map([["a", Buffer.concat([head(6, 42), bytes(Buffer.of(0))])]]), /not a CID/],
    [
      map([
        ["a", NULL],
        ["a", NULL],
      ]),
      /twice/,
    ],
    [
      map([
        ["bb", NULL],
        ["a", NULL],
        ["bb", NULL],
      ]),
      /twice/,
    ],
  ];
  for (const [record, reason] of expected) assert.match(refusal(record), reason, record.toString("hex"));
});

test("keys out of order are kept in their order, and not confused with those of other maps", () => {
  const inner = map([
    ["z", NULL],
    ["a", NULL],
  ]);
  const record = map([
    ["zz", inner],
    ["a", array([inner, inner])],
    ["b", map([["zz", NULL]])],
  ]);
  assert.equal(
    json(record),
    '{"zz":{"z":null,"a":null},"a":[{"z":null,"a":null},{"z":null,"a":null}],"b":{"zz":null}}',
  );
  const many = Array.from({ length: MOST_UNORDERED_KEYS + 2 }, (_, index) => [`${9_999 - index}`, NULL] as const);
  assert.match(refusal(map(many)), /too many keys/);
});

test("a record that was refused half way leaves nothing behind for the next one", () => {
  const broken = map([
    [
      "b",
      map([
        ["x", NULL],
        ["a", head(6, 7)],
      ]),
    ],
  ]);
  const good = map([
    [
      "a",
      map([
        ["a", NULL],
        ["b", NULL],
      ]),
    ],
  ]);
  const out = new JsonBuffer(1, LIMIT);
  const records = new RecordJson(new CborReader(Buffer.concat([broken, good])), out, "seed");
  assert.throws(() => records.write(0, broken.length), CborProblem);
  out.at = 0;
  records.write(broken.length, broken.length + good.length);
  assert.equal(Buffer.from(out.bytes.subarray(0, out.at)).toString(), '{"a":{"a":null,"b":null}}');
});

test("nesting has a limit", () => {
  const nested = (depth: number): Buffer => {
    let item = NULL as Buffer;
    for (let level = 1; level < depth; level++) item = array([item]);
    return map([["a", item]]);
  };
  assert.ok(json(nested(DEEPEST_RECORD)).includes("[[[["));
  assert.match(refusal(nested(DEEPEST_RECORD + 1)), /deeper/);
  assert.match(refusal(Buffer.concat([Buffer.from("a16161", "hex"), Buffer.alloc(1_000_000, 0x81)])), /deeper|beyond/);
});

test("any bytes are either JSON or a problem with a reason", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (rest) => {
      const record = Buffer.concat([Buffer.of(0xa1, 0x61, 0x61), rest]);
      try {
        JSON.parse(json(record));
      } catch (problem) {
        assert.ok(problem instanceof CborProblem, String(problem));
      }
    }),
    { numRuns: 2_000 },
  );
});
