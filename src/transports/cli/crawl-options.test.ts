import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { SETTINGS } from "../../site/site-config.ts";
import { flagOf, mergeSettings, readSettings, settingOptions } from "./crawl-options.ts";

function parse(...flags: string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of settingOptions()) command.addOption(option);
  return readSettings(command.parse(flags, { from: "user" }).opts());
}

test("every setting has a flag, shown once in the help", () => {
  const shown = settingOptions().filter((option) => !option.hidden);
  assert.equal(shown.length, SETTINGS.length);
  const flags = new Set(settingOptions().map((option) => option.long));
  for (const setting of SETTINGS) assert.ok(flags.has(flagOf(setting)), setting.name);
});

test("what is not given stays out", () => {
  assert.deepEqual(parse(), {});
});

test("numbers, switches, choices and texts", () => {
  assert.deepEqual(parse("--max-urls", "10", "--rate", "0.5", "--render", "--no-include-subdomains"), {
    maxUrls: 10,
    rate: 0.5,
    render: true,
    includeSubdomains: false,
  });
  assert.deepEqual(parse("--no-render", "--include-subdomains"), { render: false, includeSubdomains: true });
  assert.deepEqual(parse("--robots", "ignore-report", "--user-agent", "me/1"), {
    robots: "ignore-report",
    userAgent: "me/1",
  });
  assert.throws(() => parse("--max-urls", "many"), /not a number/);
  assert.throws(() => parse("--max-urls", ""), /not a number/);
  assert.throws(() => parse("--robots", "never"), /one of: respect, ignore, ignore-report/);
});

test("lists are repeated or separated by commas", () => {
  assert.deepEqual(parse("--discovery", "spider,sitemap", "--discovery", "network"), {
    discovery: ["spider", "sitemap", "network"],
  });
  assert.deepEqual(parse("--render-block", ""), { renderBlock: [] });
  assert.throws(() => parse("--discovery", "spyder"), /one of: spider/);
});

test("a comma in a pattern stays in it", () => {
  assert.deepEqual(parse("--exclude", "/a{1,2}/", "--exclude", "*/b"), { exclude: ["/a{1,2}/", "*/b"] });
});

test("headers are given one by one and keep their colons", () => {
  assert.deepEqual(parse("--header", "X-A: b:c", "--header", "Accept:*/*"), {
    headers: { "X-A": "b:c", Accept: "*/*" },
  });
  assert.throws(() => parse("--header", "nothing"), /Name: value/);
});

test("flags win over the file, an empty one takes away, and headers add up", () => {
  const file = { maxUrls: 5, proxy: "http://p:1", headers: { A: "1", B: "2" } };
  assert.deepEqual(mergeSettings(file, parse("--max-urls", "7", "--proxy", "", "--header", "B: 3")), {
    maxUrls: 7,
    proxy: null,
    headers: { A: "1", B: "3" },
  });
});
