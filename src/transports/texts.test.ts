import assert from "node:assert/strict";
import { test } from "node:test";
import { domainToASCII } from "node:url";
import fc from "fast-check";
import { parse } from "yaml";
import {
  bytes,
  clean,
  count,
  counted,
  duration,
  moment,
  roundCount,
  settingLine,
  stopwatch,
  unicodeHosts,
  zoneOf,
} from "./texts.ts";

/** Where the control characters and the marks of direction are. */
const character = fc.integer({ min: 0, max: 0x20ff }).map((code) => String.fromCharCode(code));

test("escape sequences lose their escape, and line breaks become blanks", () => {
  assert.equal(clean("\u001b[31mred\u001b[0m"), "[31mred[0m");
  assert.equal(clean("a\r\nb\tc"), "a  b c");
  assert.equal(clean("\u009b2Jx\u0007\u007f"), "2Jx");
});

test("marks that turn text around are taken out, other scripts stay", () => {
  assert.equal(clean("abc\u202egnp.exe"), "abcgnp.exe");
  assert.equal(clean("Prüfung 日本語 😀 עברית"), "Prüfung 日本語 😀 עברית");
});

test("whatever comes in, no control character goes out", () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      assert.doesNotMatch(clean(text), /\p{Cc}/u);
    }),
  );
});

test("counts", () => {
  assert.equal(count(1_234_567), "1,234,567");
  assert.equal(counted(1, "page"), "1 page");
  assert.equal(counted(2, "page"), "2 pages");
  assert.equal(counted(0, "address", "addresses"), "0 addresses");
});

test("durations", () => {
  assert.equal(duration(12.4), "12 ms");
  assert.equal(duration(4_200), "4.2 s");
  assert.equal(duration(59_960), "1 min 00 s");
  assert.equal(duration(185_000), "3 min 05 s");
  assert.equal(duration(7_620_000), "2 h 07 min");
  assert.equal(stopwatch(7_900), "0:07");
  assert.equal(stopwatch(10_930_000), "3:02:10");
});

test("sizes", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(1_500), "1.5 KB");
  assert.equal(bytes(999_600), "1.0 MB");
  assert.equal(bytes(123_456_789), "123 MB");
});

test("moments are in the person's own time", () => {
  const date = new Date(2026, 10, 16, 9, 5);
  assert.equal(moment(date.getTime()), `2026-11-16 09:05 ${zoneOf(date)}`);
});

test("the time zone is labelled by its distance from UTC", () => {
  const zone = (minutes: number) => zoneOf({ getTimezoneOffset: () => -minutes } as Date);
  assert.deepEqual([0, 60, 330, -210, 840].map(zone), ["UTC", "+01:00", "+05:30", "-03:30", "+14:00"]);
});

test("counts where there is little room take four characters at most", () => {
  const values = [0, 45.3, 999, 999.6, 1_234, 9_949, 9_951, 999_499, 999_500, 41_000_000, 2_000_000_000];
  const shown = ["0", "45", "999", "1.0k", "1.2k", "9.9k", "10k", "999k", "1.0M", "41M", "2.0G"];
  assert.deepEqual(values.map(roundCount), shown);
});

test("a line is YAML", () => {
  assert.equal(settingLine("exclude", ["a", "b"]), 'exclude: ["a", "b"]');
  assert.deepEqual(parse(settingLine("userAgent", 'a: "b" # c')), { userAgent: 'a: "b" # c' });
});

test("internationalised hosts are shown in Unicode; paths, and labels that could pose as another, are not changed", () => {
  assert.equal(unicodeHosts("https://www.xn--mnchen-3ya.de/xn--mnchen-3ya"), "https://www.münchen.de/xn--mnchen-3ya");
  assert.equal(unicodeHosts("xn--e1afmkfd.xn--p1ai"), "пример.рф");
  assert.equal(unicodeHosts("Crawl www.xn--mnchen-3ya.de instead."), "Crawl www.münchen.de instead.");
  const mixed = domainToASCII("аpple.com"); // The first letter is Cyrillic.
  for (const text of [mixed, "example.com", "xn--a-.com", "a title with xn--mnchen-3ya"]) {
    assert.equal(unicodeHosts(text), text);
  }
});
