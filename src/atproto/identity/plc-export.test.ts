import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cursorAfter, parsePlcLine } from "./plc-export.ts";

const DID = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const AT = "2024-05-01T10:00:00.123Z";
const line = (operation: object, more: object = {}): string =>
  JSON.stringify({ did: DID, operation, cid: "bafy", nullified: false, createdAt: AT, ...more });

const pdsOf = (operation: object, more: object = {}) => parsePlcLine(line(operation, more))?.pds;

test("what each form of operation says of the PDS", () => {
  const services = { atproto_pds: { type: "AtprotoPersonalDataServer", endpoint: "https://pds.example" } };
  assert.equal(pdsOf({ type: "plc_operation", services }), "https://pds.example");
  assert.equal(pdsOf({ type: "create", service: "https://old.example", handle: "a.example" }), "https://old.example");
  assert.equal(pdsOf({ type: "plc_tombstone", prev: "bafy" }), null);
  assert.equal(pdsOf({ type: "plc_operation", services: {} }), null, "an account without a repo");
  assert.equal(
    pdsOf({ type: "plc_operation", services: { atproto_labeler: { endpoint: "https://l.example" } } }),
    null,
  );
  assert.equal(pdsOf({ type: "plc_operation", services: { atproto_pds: { endpoint: 7 } } }), null);
  assert.equal(pdsOf({ type: "something_new" }), undefined, "what nobody knows changes nothing");
  assert.equal(pdsOf({ type: "plc_operation", services }, { nullified: true }), undefined, "nor what was taken back");
});

test("lines that are not operations are skipped", () => {
  for (const text of ["", "{", "null", "[]", "{}", '"did"', JSON.stringify({ did: DID })]) {
    assert.equal(parsePlcLine(text), null, text);
  }
});

test("both forms of cursor: by number, and by time a millisecond earlier", () => {
  const numbered = parsePlcLine(line({ type: "plc_tombstone" }, { type: "sequenced_op", seq: 42 }))!;
  assert.equal(cursorAfter(numbered), "42");
  const timed = parsePlcLine(line({ type: "plc_tombstone" }))!;
  assert.equal(cursorAfter(timed), "2024-05-01T10:00:00.122Z");
  assert.equal(cursorAfter({ seq: null, createdAt: "yesterday" }), null);
});

test("no text and no JSON makes it throw", () => {
  fc.assert(fc.property(fc.string(), (text) => void parsePlcLine(text)));
  const services = fc.dictionary(fc.constantFrom("atproto_pds", "x"), fc.jsonValue());
  const shape = fc.record(
    {
      did: fc.string(),
      operation: fc.record({ type: fc.constantFrom("create", "plc_operation"), services, service: fc.jsonValue() }),
      seq: fc.jsonValue(),
    },
    { requiredKeys: ["did"] },
  );
  fc.assert(
    fc.property(shape, (value) => {
      const parsed = parsePlcLine(JSON.stringify(value));
      assert.ok(parsed === null || parsed.pds === null || parsed.pds === undefined || typeof parsed.pds === "string");
    }),
  );
});
