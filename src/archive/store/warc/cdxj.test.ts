import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { getSurt } from "warcio/utils";
import { cdxjTime, cdxjTimestamp, formatCdxj, parseCdxj, surt } from "./cdxj.ts";

test("keys are those of warcio, so that replay tools find what we index", () => {
  const examples = {
    "https://github.com/Owner/Repo": "com,github)/owner/repo",
    "https://www2.github.com:8443/": "com,github:8443)/",
    "http://github.com/?b=2&a=1": "com,github)/?a=1&b=2",
    "http://192.0.2.1/x": "1,2,0,192)/x",
    "urn:x": "urn:x",
  };
  for (const [url, key] of Object.entries(examples)) assert.equal(surt(url), key);
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      assert.equal(surt(url), getSurt(url));
    }),
    { numRuns: 40 },
  );
});

test("an index line comes back as it was, and anything else is refused", () => {
  const text = fc.string({ unit: "binary" });
  const digits = fc.nat().map(String);
  const entries = fc.record({
    url: fc.oneof(
      fc.webUrl(),
      text.map((path) => `https://github.com/ ${path}`),
    ),
    mime: text,
    status: digits,
    digest: text,
    length: digits,
    offset: digits,
    filename: text,
  });
  fc.assert(
    fc.property(entries, fc.nat(4e9), (entry, seconds) => {
      const line = formatCdxj(seconds * 1000, entry);
      const parsed = parseCdxj(line);
      assert.deepEqual(parsed?.entry, { ...entry });
      assert.equal(parsed?.timestamp, cdxjTimestamp(seconds * 1000));
      assert.equal(cdxjTime(parsed!.timestamp), seconds * 1000);
    }),
  );
  fc.assert(fc.property(text, (line) => parseCdxj(line) === null));
  assert.equal(parseCdxj("com)/ 20250112100000 {}"), null);
  assert.equal(parseCdxj('com)/ 20250112100000 {"url"'), null);
});
