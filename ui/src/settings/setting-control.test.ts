import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settingForms } from "../../../src/app/config/setting-checks.ts";
import {
  allowsNull,
  changedSettings,
  controlOf,
  problemOfValue,
  searchSettings,
  settingLabel,
  shownValue,
} from "./setting-control.ts";

const settings = settingForms();
const named = (name: string) => settings.find((setting) => setting.name === name)!;

describe("controlOf, with the server's own settings", () => {
  it("gives each type its control", () => {
    assert.deepEqual(controlOf(named("render")), { kind: "switch" });
    assert.deepEqual(controlOf(named("parallelism")), {
      kind: "number",
      isWhole: true,
      min: 1,
      above: null,
      max: 1000,
    });
    assert.deepEqual(controlOf(named("rate")), { kind: "number", isWhole: false, min: 0, above: null, max: null });
    assert.deepEqual(controlOf(named("robots")), { kind: "choice", options: ["respect", "ignore", "ignore-report"] });
    assert.equal(controlOf(named("discovery")).kind, "choices");
    assert.equal(controlOf(named("exclude")).kind, "list");
    assert.equal(controlOf(named("headers")).kind, "pairs");
    assert.equal(controlOf(named("userAgent")).kind, "text");
  });

  it("sees through what may be null", () => {
    assert.equal(controlOf(named("proxy")).kind, "text");
    assert.equal(controlOf(named("stripParams")).kind, "list");
    assert.equal(allowsNull(named("proxy")), true);
    assert.equal(allowsNull(named("userAgent")), false);
  });

  it("finds nothing wrong with any default", () => {
    for (const setting of settings) assert.equal(problemOfValue(setting, setting.default), null, setting.name);
  });
});

describe("problemOfValue", () => {
  it("says what is wrong with a number", () => {
    assert.match(problemOfValue(named("parallelism"), 0)!, /At least 1/);
    assert.match(problemOfValue(named("parallelism"), 1001)!, /At most 1000/);
    assert.match(problemOfValue(named("parallelism"), 1.5)!, /whole/);
    assert.match(problemOfValue(named("rate"), Number.NaN)!, /number/);
    assert.match(problemOfValue(named("timeout"), 0)!, /More than 0/);
    assert.equal(problemOfValue(named("rate"), 0.5), null);
  });
});

describe("changedSettings", () => {
  it("holds what differs, by value", () => {
    const base = { exclude: ["/a"], maxUrls: 0, render: false };
    const values = { exclude: ["/a"], maxUrls: 5, render: false, unknown: 1 };
    assert.deepEqual(changedSettings([{ name: "exclude" }, { name: "maxUrls" }, { name: "render" }], values, base), {
      maxUrls: 5,
    });
  });
});

describe("names and search", () => {
  it("reads as words", () => {
    assert.equal(settingLabel(settings, "rate"), "Requests/s per host");
    assert.equal(settingLabel([], "rate"), "rate");
    const labels = settings.map(({ label }) => label);
    assert.equal(new Set(labels).size, labels.length);
    for (const label of labels) assert.ok(label.length > 2 && label.length <= 32, label);
  });

  it("says what 0 stands for", () => {
    assert.equal(shownValue(named("maxUrls"), 0), "no limit");
    assert.equal(shownValue(named("maxUrls"), 5), "5");
    assert.equal(shownValue(named("retries"), 0), "0");
    for (const { name, description, zero } of settings)
      assert.equal(zero === "No limit", description.includes("0 for no limit"), name);
  });

  it("finds by name and by meaning, all words", () => {
    const names = (typed: string) => searchSettings(settings, typed).map(({ name }) => name);
    assert.ok(names("robots").includes("robots"));
    assert.ok(names("calendar").includes("stopTraps"));
    assert.deepEqual(names("subdomains start"), ["includeSubdomains"]);
    assert.equal(names("").length, settings.length);
    assert.deepEqual(names("no such setting"), []);
  });
});
