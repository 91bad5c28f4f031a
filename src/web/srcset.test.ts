import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { srcsetUrls } from "./srcset.ts";

const CASES: [srcset: string, urls: string[]][] = [
  ["", []],
  ["  , ,", []],
  ["a.jpg", ["a.jpg"]],
  ["a.jpg 1x, b.jpg 2x", ["a.jpg", "b.jpg"]],
  ["\n a.jpg\t100w ,\n b.jpg 200w", ["a.jpg", "b.jpg"]],
  ["a.jpg, b.jpg", ["a.jpg", "b.jpg"]],
  ["a.jpg,b.jpg", ["a.jpg,b.jpg"]],
  ["a.jpg,, b.jpg", ["a.jpg", "b.jpg"]],
  ["data:image/png;base64,AA== 1x, b.jpg 2x", ["data:image/png;base64,AA==", "b.jpg"]],
  ["a.jpg 100w 50h", ["a.jpg"]],
  ["a.jpg 50h, b.jpg 0w, c.jpg 1w 1x, d.jpg -1x, e.jpg huge", []],
  ["a.jpg 1.5x, b.jpg .5x, c.jpg 1e1x", ["a.jpg", "b.jpg", "c.jpg"]],
  ["a.jpg f(1, 2), b.jpg", ["b.jpg"]],
  ["a.jpg (, b.jpg", []],
];

for (const [srcset, urls] of CASES) {
  test(`srcset ${JSON.stringify(srcset)}`, () => assert.deepEqual(srcsetUrls(srcset), urls));
}

test("gives back the URLs that a srcset was made of", () => {
  const url = fc.stringMatching(/^[a-z0-9/._?=&,-]{1,20}$/).filter((text) => !/^,|,$/.test(text));
  const candidate = fc.tuple(url, fc.constantFrom(" 1x", " 2.5x", " 300w", " 1w 2h", " "));
  fc.assert(
    fc.property(fc.array(candidate), (candidates) => {
      assert.deepEqual(
        srcsetUrls(candidates.map((parts) => parts.join("")).join(", ")),
        candidates.map(([text]) => text),
      );
    }),
  );
});

test("never throws, and gives only pieces of its input", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."a ,()1wx\t") }), (srcset) => {
      for (const url of srcsetUrls(srcset)) assert.ok(srcset.includes(url) && url !== "" && !/\s/.test(url));
    }),
  );
});
