import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { systemClock } from "../../kernel/clock.ts";
import { isDiskFull } from "../../storage/file-system.ts";
import { parseArchiveConfig } from "../config/parse-archive-config.ts";
import { compareConfigs } from "./reload.ts";
import { ControlWatch, clearStop, Pauses, readFlags, requestPause, requestStop, withdrawPause } from "./watch.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-control-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function pausable() {
  const calls: string[] = [];
  return { calls, pause: async () => void calls.push("pause"), resume: () => void calls.push("resume") };
}

test("flags: any pause.* and stop.* counts, and can be taken back", async (t) => {
  const folder = folderFor(t);
  assert.deepEqual(await readFlags(join(folder, "missing")), { pause: [], stop: [] });
  await requestPause(folder);
  await requestStop(folder);
  writeFileSync(join(folder, "pause.scraper"), "");
  assert.deepEqual((await withdrawPause(folder)).sort(), ["pause.archive", "pause.scraper"]);
  assert.deepEqual(await clearStop(folder), ["stop.archive"]);
  assert.deepEqual(await readFlags(folder), { pause: [], stop: [] });
});

test("pauses: the run continues when the last reason has ended", async () => {
  const target = pausable();
  const told: string[] = [];
  const pauses = new Pauses(target, (reasons) => told.push(reasons.join("+")));
  await pauses.add("person");
  pauses.set("disk", true);
  pauses.set("disk", true);
  pauses.remove("person");
  assert.ok(!target.calls.includes("resume"));
  pauses.set("file", false);
  pauses.set("disk", false);
  assert.equal(target.calls.at(-1), "resume");
  assert.deepEqual(told, ["person", "person+disk", "disk", ""]);
});

test("watch: the disk must have a tenth more than the least before it goes on", async (t) => {
  const target = pausable();
  const pauses = new Pauses(target, () => {});
  let free = 1_000;
  const watch = new ControlWatch({
    workspace: folderFor(t),
    pauses,
    minFreeBytes: 500,
    stop: () => assert.fail(),
    clock: systemClock,
    freeBytes: async () => free,
  });
  const rests = async (bytes: number) => {
    free = bytes;
    await watch.look();
    return pauses.reasons.includes("disk");
  };
  assert.deepEqual(
    [await rests(500), await rests(499), await rests(549), await rests(550)],
    [false, true, true, false],
  );
  watch.setMinFreeBytes(0);
  assert.equal(await rests(0), false);
  await watch.diskFull();
  assert.deepEqual(pauses.reasons, ["disk"], "a write failed, so there is no room even if none has to be left");
  assert.deepEqual([await rests(999_999), await rests(1_100_000)], [true, false]);
  watch.close();
});

test("a full disk is known by its cause", () => {
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });
  assert.ok(isDiskFull(new TrawlError("FILE_NOT_WRITABLE", "x", { cause: full })));
  assert.ok(!isDiskFull(new TrawlError("FILE_NOT_WRITABLE")));
  assert.ok(!isDiskFull("ENOSPC"));
});

test("reload: what may change holds, the rest is only named", () => {
  const parse = (settings: object) =>
    parseArchiveConfig({ user_agent: "a/1 (+https://example.com)", ...settings }, (path) => path).config;
  const before = parse({});
  const after = parse({ limits: { req_per_sec: 3, http2: false }, caps: { max_depth: 9 }, accept_language: "de" });
  const { config, applied, later } = compareConfigs(before, after);
  assert.deepEqual(
    applied.map(({ setting }) => setting),
    ["limits.req_per_sec", "caps.max_depth"],
  );
  assert.deepEqual(
    later.map(({ setting }) => setting),
    ["accept_language", "limits.http2"],
  );
  assert.equal(config.limits.req_per_sec, 3);
  assert.equal(config.limits.http2, true);
  assert.equal(before.limits.req_per_sec, 1, "the old one stays as it is");
  assert.deepEqual(compareConfigs(before, before), { config: before, applied: [], later: [] });
});
