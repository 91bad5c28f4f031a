import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { collectionFilter } from "./collection-filter.ts";

test("names are matched whole, and beginnings with a star", () => {
  const { wants } = collectionFilter(["app.bsky.feed.post", "com.example.*"]);
  const names = ["app.bsky.feed.post", "app.bsky.feed.postgate", "com.example.thing", "com.exampleother.thing"];
  assert.deepEqual(names.map(wants), [true, false, true, false]);
});

test("nothing given, or a star, is everything, under one key", () => {
  for (const patterns of [[], ["*"], ["a.b.c", "*"]]) {
    const { wants, key, sql } = collectionFilter(patterns);
    assert.deepEqual([wants("x"), key, sql], [true, "", null]);
  }
});

test("order and repetition do not change the key", () => {
  assert.equal(collectionFilter(["b.c.d", "a.b.c"]).key, collectionFilter(["a.b.c", "b.c.d", "a.b.c"]).key);
});

test("anything but a collection name is refused, so that nothing can escape its quotes in SQL", () => {
  assert.throws(() => collectionFilter(["a'; DROP TABLE x"]), { code: "BAD_USAGE" });
  fc.assert(
    fc.property(fc.string(), (pattern) => {
      let sql: string | null;
      try {
        ({ sql } = collectionFilter([pattern]));
      } catch {
        return;
      }
      if (sql !== null) assert.match(sql, /^(collection = '[\w.-]+'|startsWith\(collection, '[\w.-]+'\))$/);
    }),
  );
});
