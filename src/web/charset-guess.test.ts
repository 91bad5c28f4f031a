import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeHtml } from "./charset.ts";
import { guessCharset } from "./charset-guess.ts";

/** The bytes of a text in an encoding that Node can only decode. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, number[]>();
  for (let lead = 0; lead < 256; lead++) {
    codes.set(decoder.decode(Uint8Array.of(lead)), [lead]);
  }
  for (let lead = 0x81; lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) {
      const character = decoder.decode(Uint8Array.of(lead, trail));
      if ([...character].length === 1 && !codes.has(character)) codes.set(character, [lead, trail]);
    }
  }
  return Buffer.from([...text].flatMap((character) => codes.get(character) ?? [0x3f]));
}

const TEXTS: [encoding: string, html: string][] = [
  [
    "windows-1251",
    "<html><head><title>Привет</title></head><body><h1>Привет, мир</h1><p>Это страница.</p></body></html>",
  ],
  ["windows-1251", "<title>Привет</title>"],
  ["koi8-r", "<title>Новости</title><p>Сегодня в городе открылась выставка, которую ждали много лет."],
  ["shift_jis", "<title>こんにちは</title>"],
  ["shift_jis", "<title>日本語のページ</title><p>これは日本語の文章です。"],
  ["euc-jp", "<title>日本語のページ</title><p>これは日本語の文章です。"],
  ["gb18030", "<title>你好世界</title><p>这是一个没有声明编码的中文网页，用来测试。"],
  ["big5", "<title>你好世界</title><p>這是一個沒有宣告編碼的中文網頁，用來測試。"],
  ["euc-kr", "<title>안녕하세요</title><p>이것은 인코딩을 선언하지 않은 한국어 페이지입니다."],
  ["windows-1253", "<title>Καλημέρα</title><p>Αυτή είναι μια σελίδα στα ελληνικά χωρίς δήλωση κωδικοποίησης."],
];

for (const [encoding, html] of TEXTS) {
  test(`${encoding}: ${html.slice(0, 40)}`, () => {
    const decoded = decodeHtml(encode(html, encoding), "text/html");
    assert.equal(decoded.utf8.toString(), html);
    assert.deepEqual([decoded.charset, decoded.source], [encoding, "guess"]);
  });
}

test("western pages stay western, however short", () => {
  const texts = [
    "<title>Café à la crème</title>",
    "<p>Größe und Übergröße für Männer in Köln",
    "<p>El niño comió piñas en España mañana",
    "<p>“Hello” – it’s naïve",
    "é!",
    "<p>Fußgängerübergänge",
    "<p>Blåbærsyltetøy på brødet, sa hun.",
  ];
  for (const text of texts) {
    const { utf8, charset } = decodeHtml(encode(text, "windows-1252"), null);
    assert.deepEqual([utf8.toString(), charset], [text, "windows-1252"]);
  }
});

test("a declaration wins over the bytes, and UTF-8 needs no guess", () => {
  const cyrillic = encode("<meta charset=koi8-r><p>Привет", "koi8-r");
  assert.deepEqual(decodeHtml(cyrillic, null).source, "meta");
  assert.deepEqual(decodeHtml(cyrillic, "text/html; charset=windows-1251").source, "header");
  assert.deepEqual(decodeHtml(Buffer.from("<p>Привет"), null).charset, "utf-8");
});

test("a declaration late in a long head counts; one in the body of UTF-8 does not", () => {
  const filler = `<script>${"x".repeat(3_000)}</script>`;
  const late = encode(`<head>${filler}<meta charset=windows-1251></head><body><p>Привет`, "windows-1251");
  assert.deepEqual([decodeHtml(late, null).charset, decodeHtml(late, null).source], ["windows-1251", "meta"]);
  const utf8 = Buffer.from(`<head>${filler}<meta charset=windows-1252></head><body>é`);
  assert.equal(decodeHtml(utf8, null).charset, "windows-1252", "as browsers read it");
  const inBody = Buffer.from(`<head>${filler}</head><body>é<meta charset=windows-1252>`);
  assert.equal(decodeHtml(inBody, null).charset, "utf-8");
});

test("any bytes have an answer that Node can decode", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const guessed = guessCharset(Buffer.from(bytes));
      if (guessed !== null) new TextDecoder(guessed);
    }),
  );
});
