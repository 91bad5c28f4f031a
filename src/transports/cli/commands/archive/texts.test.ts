import assert from "node:assert/strict";
import { test } from "node:test";
import { sameArchive } from "./archive-options.ts";
import { archiveLine, pauseTeller } from "./session.ts";

test("pauses: each reason is reported once, and so is the end of the last", () => {
  const said: string[] = [];
  const tell = pauseTeller((text) => said.push(text.split(/[ :]/, 2).join(" ")));
  tell(["disk"]);
  tell(["disk", "file"]);
  tell(["file", "person"]);
  assert.deepEqual(said, ["Paused ", "Paused by"], "whoever pressed Ctrl-C knows");
  tell([]);
  assert.equal(said.at(-1), "Continuing.");
});

test("progress: the line says why it is paused", () => {
  const progress = {
    state: "paused" as const,
    pauses: ["disk" as const],
    discovered: 2_000,
    fetched: 1_234,
    fetchedNow: 1_234,
    inAll: 1_234,
    open: 56,
    skipped: 70,
    failed: 1,
    retries: 0,
    resting: [],
    reopened: 0,
    requisites: null,
    refetching: 0,
    inFlight: 0,
  };
  const facts = { progress, perSecond: 0.96, elapsedMs: 27_400 };
  const line = "paused (disk) · 1,234 fetched · 56 open · 70 refused · 1 failed · 1.0 pages/s · 0:27";
  assert.equal(archiveLine(facts, 100), line);
  assert.equal(archiveLine(facts, 30).length, 30);
  const until = Math.ceil(new Date().setHours(23, 59, 58, 0) / 1_000);
  const resting = [{ host: "github.com", until, why: "it answered 429" }];
  assert.match(
    archiveLine({ ...facts, progress: { ...progress, pauses: [], resting } }, 200),
    /^1,234 fetched · 56 open · github\.com rests until 23:59:58 (UTC|[-+][\d:]+): it answered 429 · 70 refused · /,
  );
  const many = [...resting, ...resting, ...resting];
  assert.match(
    archiveLine({ ...facts, progress: { ...progress, pauses: [], resting: many } }, 200),
    /: it answered 429 · 2 more hosts rest · 70 refused · /,
  );
});

test("next steps are about the same archive, whatever its folder is called", () => {
  assert.equal(sameArchive({}), "");
  assert.equal(sameArchive({ workspace: "~/github", config: "a.yaml" }), " -w ~/github --config a.yaml");
  assert.equal(sameArchive({ workspace: "it's mine" }), " -w 'it'\\''s mine'");
});
