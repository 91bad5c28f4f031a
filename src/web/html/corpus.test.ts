import assert from "node:assert/strict";
import { test } from "node:test";
import { CORPUS } from "./testing/corpus.ts";
import { parse5Tokens, scannedTokens } from "./testing/tokens.ts";

for (const { name, html } of CORPUS) {
  test(`tokenizes ${name} as parse5 does`, () => assert.deepEqual(scannedTokens(html), parse5Tokens(html)));
}
