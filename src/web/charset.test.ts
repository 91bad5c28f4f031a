import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { test } from "node:test";
import fc from "fast-check";
import { decodeHtml } from "./charset.ts";

function decided(body: Buffer | string, contentType: string | null = null): string {
  const { charset, source } = decodeHtml(typeof body === "string" ? Buffer.from(body, "latin1") : body, contentType);
  return `${charset} by ${source}`;
}

/** What decided, and the text. */
function decoded(body: Buffer, contentType: string | null): { text: string; charset: string; source: string } {
  const { utf8, charset, source } = decodeHtml(body, contentType);
  return { text: utf8.toString(), charset, source };
}

const UTF8 = Buffer.from("é€😀");

test("a byte order mark wins over everything, and is not part of the text", () => {
  const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), UTF8]);
  assert.deepEqual(decoded(body, "text/html; charset=windows-1252"), {
    text: "é€😀",
    charset: "utf-8",
    source: "bom",
  });
  const little = Buffer.from("\uFEFFé", "utf16le");
  assert.deepEqual(decoded(little, null), { text: "é", charset: "utf-16le", source: "bom" });
  assert.deepEqual(decoded(Buffer.from(little).swap16(), null), { text: "é", charset: "utf-16be", source: "bom" });
});

test("the header wins over the page", () => {
  assert.equal(decided("<meta charset=utf-8>\xe9", "text/html; charset=ISO-8859-1"), "windows-1252 by header");
  assert.equal(decided("x", 'text/html;Charset="shift_jis"; x=y'), "shift_jis by header");
  assert.equal(decided("x", "text/html; charset = utf8"), "utf-8 by header");
});

test("an unknown label in the header or the page counts for nothing", () => {
  assert.equal(decided("<meta charset=koi8-r>", "text/html; charset=klingon"), "koi8-r by meta");
  assert.equal(decided("<meta charset=klingon><meta charset=koi8-r>"), "koi8-r by meta");
  assert.equal(decided("x", "text/html; charset="), "utf-8 by default");
  assert.equal(decided("x", "text/html; charset=replacement"), "utf-8 by default");
});

const METAS: [html: string, expected: string][] = [
  ["<meta charset=koi8-r>", "koi8-r by meta"],
  ["<META\tCHARSET = 'KOI8-R' >", "koi8-r by meta"],
  ["<meta/charset=koi8-r>", "koi8-r by meta"],
  ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r by meta"],
  ['<meta content="text/html; charset=koi8-r" http-equiv=content-type>', "koi8-r by meta"],
  ['<meta content="text/html; charset=koi8-r">', "utf-8 by default"],
  ["<meta http-equiv=content-type content='charset charset=\"koi8-r\"'>", "koi8-r by meta"],
  ["<meta charset=utf-16>", "utf-8 by meta"],
  ["<meta charset=x-user-defined>", "windows-1252 by meta"],
  ["<!-- <meta charset=koi8-r> -->", "utf-8 by default"],
  ["<!--><meta charset=koi8-r>", "koi8-r by meta"],
  ["<a title='<meta charset=koi8-r>'>", "utf-8 by default"],
  ["<?xml encoding='x'?><!DOCTYPE html></x y><meta charset=koi8-r>", "koi8-r by meta"],
  ["<metax charset=koi8-r>", "utf-8 by default"],
  ["<meta charset=koi8-r", "utf-8 by default"],
  ["<meta charset='koi8-r>", "utf-8 by default"],
  ["<meta charset=latin1 charset=koi8-r>", "windows-1252 by meta"],
  ["<meta name=charset content=koi8-r>", "utf-8 by default"],
  [`${" ".repeat(1_000)}<meta charset=koi8-r>`, "koi8-r by meta"],
  [`${" ".repeat(1_010)}<meta charset=koi8-r>`, "utf-8 by default"],
];

for (const [html, expected] of METAS) {
  test(`prescan of ${JSON.stringify(html.trim())}`, () => assert.equal(decided(html), expected));
}

test("undeclared bytes are UTF-8 when they are valid UTF-8, otherwise windows-1252", () => {
  assert.equal(decoded(UTF8, null).text, "é€😀");
  assert.deepEqual(decoded(Buffer.from([0x63, 0x80, 0xe9]), null), {
    text: "c€é",
    charset: "windows-1252",
    source: "default",
  });
});

test("a page that is not UTF-8 may declare its encoding late", () => {
  const late = (text: string) => Buffer.from(`<!--${"x".repeat(1_100)}--><meta charset=windows-1251>${text}`, "latin1");
  const cyrillic = decodeHtml(late("\xe4\xe0"), null);
  assert.deepEqual(
    [cyrillic.charset, cyrillic.source, cyrillic.utf8.toString().slice(-2)],
    ["windows-1251", "meta", "да"],
  );
  assert.deepEqual(decodeHtml(late("\xc3\xa9"), null).charset, "utf-8");
});

test("undeclared UTF-8 cut in the middle of a character is still UTF-8", () => {
  for (let cut = 1; cut < UTF8.length; cut++) assert.equal(decided(UTF8.subarray(0, cut)), "utf-8 by default");
});

test("decodes other encodings", () => {
  const body = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
  assert.equal(decoded(body, "text/html; charset=Shift_JIS").text, "日本");
});

test("a body of valid UTF-8 is not copied", () => {
  assert.equal(decodeHtml(UTF8, "text/html; charset=utf-8").utf8, UTF8);
});

test("makes valid UTF-8 of broken UTF-8 as the standard does", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: "grapheme" }), (noise, text) => {
      const bytes = Buffer.concat([Buffer.from(text), noise, Buffer.from(text)]);
      const { utf8 } = decodeHtml(bytes, "text/html; charset=utf-8");
      assert.ok(isUtf8(utf8));
      assert.equal(utf8.toString(), new TextDecoder("utf-8").decode(bytes));
    }),
  );
});

test("never throws", () => {
  const piece = fc.constantFrom(
    "<meta ",
    "charset",
    "=",
    "'",
    '"',
    "utf-8",
    "<!--",
    "-->",
    "/",
    ">",
    " ",
    "content",
    "<a ",
    ";",
  );
  const label = fc.array(piece).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(label, fc.option(label), fc.uint8Array(), (head, contentType, tail) => {
      decodeHtml(Buffer.concat([Buffer.from(head), tail]), contentType);
    }),
  );
});

test("a large page is the same in pieces, and no longer than allowed: a character that does not fit is left out", () => {
  // Characters of two bytes, from an odd place on: each border between pieces is inside one.
  const body = Buffer.concat([Buffer.from("x"), Buffer.alloc(5_000_000, Buffer.from([0x82, 0xa0]))]);
  const whole = decodeHtml(body, "text/html; charset=shift_jis");
  assert.ok(whole.utf8.equals(Buffer.from(`x${"あ".repeat(2_500_000)}`)));
  assert.equal(whole.isCut, false);
  const cut = decodeHtml(body, "text/html; charset=shift_jis", 3_000_000);
  assert.deepEqual([cut.utf8.length, cut.isCut], [2_999_999 - 1, true]);
  assert.ok(whole.utf8.subarray(0, cut.utf8.length).equals(cut.utf8));
  assert.deepEqual(decodeHtml(Buffer.from([0xe9, 0xe9]), "text/html; charset=latin1", 3).utf8, Buffer.from("é"));
});
