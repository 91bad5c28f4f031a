import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { encodeQuery, normalizePercent, queryCharset } from "./percent-encoding.ts";

describe("encodeQuery", () => {
  // What Chromium makes of the same links.
  for (const [charset, text, expected] of [
    ["shift_jis", "日本語 表 ソ ｱ", "%93%FA%96{%8C%EA %95\\ %83\\ %B1"],
    ["shift_jis", "①㈱髙纊", "%87@%87%8A%FB%FC%FA\\"],
    ["euc-jp", "日本語", "%C6%FC%CB%DC%B8%EC"],
    ["gbk", "中文繁體", "%D6%D0%CE%C4%B7%B1%F3w"],
    ["gbk", "€", "%80"],
    ["gb18030", "中€", "%D6%D0%A2%E3"],
    ["big5", "中文繁體", "%A4%A4%A4%E5%C1c%C5%E9"],
    ["euc-kr", "한국어", "%C7%D1%B1%B9%BE%EE"],
    ["windows-1251", "Привет", "%CF%F0%E8%E2%E5%F2"],
    ["windows-1252", "café €", "caf%E9 %80"],
    ["windows-1252", "中\u{20000}", "%26%2320013%3B%26%23131072%3B"],
  ] as const) {
    it(`${text} in ${charset}`, () => assert.equal(encodeQuery(`/a?q=${text}`, charset), `/a?q=${expected}`));
  }

  it("leaves path and fragment alone", () => {
    assert.equal(encodeQuery("/é?é#é", "windows-1252"), "/é?%E9#é");
    for (const href of ["/é", "/é#?é", "?plain=1"]) assert.equal(encodeQuery(href, "windows-1252"), href);
  });

  it("never throws, and leaves nothing but ASCII in the query", () => {
    const charsets = fc.constantFrom("shift_jis", "euc-jp", "gbk", "big5", "euc-kr", "iso-8859-2");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), charsets, (text, charset) => {
        assert.match(encodeQuery(`?${text.replaceAll("#", "")}`, charset), /^[\0-\x7f]*$/);
      }),
    );
  });
});

it("UTF-8 and its like need nothing", () => {
  assert.deepEqual([null, "utf-8", "utf-16le", "iso-2022-jp", "shift_jis"].map(queryCharset), [
    null,
    null,
    null,
    null,
    "shift_jis",
  ]);
});

test("hexadecimal digits are upper-cased, unreserved characters decoded, nothing else", () => {
  assert.equal(normalizePercent("/plain"), "/plain");
  assert.equal(normalizePercent("/%c3%a9"), "/%C3%A9");
  assert.equal(normalizePercent("/%7Euser/%41%2d%2E%5f"), "/~user/A-._");
  assert.equal(normalizePercent("/a%2fb%20c%3f"), "/a%2Fb%20c%3F");
  assert.equal(normalizePercent("%25%32%35"), "%2525");
});

test("a stray % stays, and decoding after it makes no new pair", () => {
  assert.equal(normalizePercent("100%"), "100%");
  assert.equal(normalizePercent("%zz%41"), "%zzA");
  assert.equal(normalizePercent("%4%31"), "%4%31");
  assert.equal(normalizePercent("%%34%31"), "%%341");
});

test("a second pass changes nothing", () => {
  const piece = fc.constantFrom("%", "4", "1", "%41", "%2f", "%25", "z", "/", "%3", "é");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = normalizePercent(pieces.join(""));
      assert.equal(normalizePercent(once), once);
    }),
    { numRuns: 2000 },
  );
});
