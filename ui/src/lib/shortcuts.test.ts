import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keyName, matchKey, PAIR_MS, type Shortcut, shownKeys } from "./shortcuts.ts";

const shortcut = (keys: string): Shortcut => ({ keys, label: keys, group: "test", run: () => undefined });
const plain = { ctrlKey: false, metaKey: false, altKey: false };

describe("keyName", () => {
  it("treats Ctrl and Cmd alike, and capitals as their letter", () => {
    assert.equal(keyName({ ...plain, key: "K", ctrlKey: true }), "mod+k");
    assert.equal(keyName({ ...plain, key: "k", metaKey: true }), "mod+k");
    assert.equal(keyName({ ...plain, key: "?" }), "?");
    assert.equal(keyName({ ...plain, key: "Escape" }), "Escape");
    assert.equal(keyName({ ...plain, key: "n", altKey: true }), "alt+n");
  });
});

describe("matchKey", () => {
  const all = [shortcut("n"), shortcut("g o"), shortcut("g n")];

  it("waits for the second key of a pair", () => {
    const first = matchKey(all, "g", null, 0);
    assert.equal(first.shortcut, null);
    assert.equal(matchKey(all, "n", first.pending, PAIR_MS).shortcut?.keys, "g n");
  });

  it("forgets the first key after a while", () => {
    const { pending } = matchKey(all, "g", null, 0);
    assert.equal(matchKey(all, "n", pending, PAIR_MS + 1).shortcut?.keys, "n");
  });

  it("starts over when the second key means nothing", () => {
    const { pending } = matchKey(all, "g", null, 0);
    assert.deepEqual(matchKey(all, "g", pending, 1).pending, { key: "g", at: 1 });
    assert.deepEqual(matchKey(all, "x", pending, 1), { shortcut: null, pending: null });
  });

  it("leaves a key alone that cannot be used now", () => {
    const off = { ...shortcut("j"), when: () => false };
    assert.equal(matchKey([off], "j", null, 0).shortcut, null);
    assert.equal(matchKey([shortcut("j"), off], "j", null, 0).shortcut?.when, undefined);
  });

  it("lets a screen take over a key", () => {
    const mine = shortcut("n");
    assert.equal(matchKey([...all, mine], "n", null, 0).shortcut, mine);
  });
});

describe("shownKeys", () => {
  it("shows caps", () => {
    assert.deepEqual(shownKeys("mod+k", true), ["⌘", "K"]);
    assert.deepEqual(shownKeys("g o", false), ["G", "O"]);
    assert.deepEqual(shownKeys("Shift+ArrowLeft", false), ["Shift", "←"]);
  });
});
