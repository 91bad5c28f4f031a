import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { looksLikeUrl, rankAll } from "./rank.ts";

describe("the palette", () => {
  it("prefers beginnings and needs every word", () => {
    const found = (typed: string) => rankAll(["Overview", "Compare over time", "Recover"], (text) => text, typed);
    assert.deepEqual(found("over"), ["Overview", "Compare over time", "Recover"]);
    assert.deepEqual(found("over time"), ["Compare over time"]);
    assert.deepEqual(found(""), ["Overview", "Compare over time", "Recover"]);
  });

  it("knows an address from a word", () => {
    for (const url of ["example.com", "https://example.com/a?b", "localhost:8080/x", "127.0.0.1:80"])
      assert.ok(looksLikeUrl(url), url);
    for (const word of ["settings", "example", "a b.com", "javascript:alert(1)", ""])
      assert.ok(!looksLikeUrl(word), word);
  });
});
