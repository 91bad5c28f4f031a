import assert from "node:assert/strict";
import { test } from "node:test";
import { stepLines, summaryLines, toResume, totalsText } from "./summary.ts";
import { createStyle } from "./terminal.ts";

const SUMMARY = {
  numbers: { notModified: { count: 0 } },
  discovered: 1_440,
  crawled: 368,
  open: 0,
  recorded: 1,
  skipped: 2,
  failed: 1,
  pages: 1,
  links: 8_758,
  bytes: 411_000,
  statuses: [
    { value: 200, count: 1_000 },
    { value: 404, count: 3 },
  ],
  errorCodes: [{ value: "dns_not_found", count: 1, meaning: "The host name does not exist." }],
  reasons: [
    {
      value: "max_query_variants",
      count: 211,
      meaning: "The limit of URLs that differ only in their query was reached.",
    },
  ],
  traps: [{ value: "maxUrlsPerPattern 30: https://a.example/calendar/N/N", count: 810 }],
  indexable: [],
  slowest: [{ url: "https://a.example/slow", timeServer: 1_302, ms: 1_302 }],
  brokenUrls: [
    { url: "https://a.example/\u001b[31mgone", status: 404, error: null, foundOn: "https://a.example/" },
    { url: "https://b.example/", status: null, error: "dns_not_found", foundOn: null },
  ],
  broken: 4,
} as unknown as Parameters<typeof totalsText>[0];

test("the counts in a sentence", () => {
  assert.equal(totalsText(SUMMARY), "368 of 1,440 URLs crawled; 1 page, 8,758 links, 411 KB.");
  const again = { ...SUMMARY, numbers: { ...SUMMARY.numbers, notModified: { count: 351 } } } as typeof SUMMARY;
  assert.match(totalsText(again), /^368 of 1,440 URLs crawled \(351 not modified\); 1 page, /);
});

test("one screen: status, reasons with their meaning, traps by name, broken with where, slow", () => {
  const lines = summaryLines(SUMMARY, { style: createStyle(false), width: 80, proseWidth: 60, listed: 2 });
  assert.equal(
    lines.join("\n"),
    `
Status
  200    1,000  OK
  404        3  Not Found
  error      1  The host name does not exist.

Not crawled
  211  The limit of URLs that differ only in their query was
       reached.

Traps
  https://a.example/calendar/N/N  810 not crawled  maxUrlsPerPattern 30

Broken (4)
  404            https://a.example/[31mgone
                 on https://a.example/
  dns not found  https://b.example/
  and 2 more

Slowest
  1.3 s  https://a.example/slow`,
  );
});

test("what is shown can be typed, by npx too", () => {
  const style = createStyle(false);
  assert.deepEqual(stepLines(toResume(3), style, {}), ["  trawl resume 3  continues where it stopped"]);
  assert.match(stepLines(toResume(3), style, { npm_command: "exec" })[0]!, /^ {2}npx trawl resume 3 /);
});

test("what a step does is broken where the terminal ends, and stands below it where that is too narrow", () => {
  const lines = (width: number) =>
    stepLines([["show 3", "one two three four five six seven"]], createStyle(false), {}, width);
  assert.deepEqual(lines(46), ["  trawl show 3  one two three four five six", "                seven"]);
  assert.deepEqual(lines(36), ["  trawl show 3", "      one two three four five six", "      seven"]);
});
