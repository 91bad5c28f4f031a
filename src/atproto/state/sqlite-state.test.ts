/** The state in SQLite keeps the promises of a cursor ledger, and what it reports and refuses. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { cursorNote } from "../../kernel/ledger.ts";
import { ledgerConformance } from "../../kernel/testing/conformance.ts";
import { cursorProperties } from "../../kernel/testing/cursor-model.ts";
import { STATE_FILE } from "../folder-files.ts";
import { retryFailures } from "./failures.ts";
import { SqliteState } from "./sqlite-state.ts";
import { sqlitePlace, stateHarness } from "./testing/state-harness.ts";
import { statePromises } from "./testing/state-promises.ts";

const makeHarness = async () => stateHarness(await sqlitePlace());

ledgerConformance("SqliteState", makeHarness, "cursor");
cursorProperties("SqliteState", makeHarness, 60);
statePromises("SqliteState", async () => sqlitePlace());

test("two processes cannot crawl with one file, and asking makes none", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-state-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "deep", "state.db");
  const nothing = new SqliteState(path);
  assert.equal((await nothing.summary()).completed, 0);
  await nothing.reset();
  assert.equal(existsSync(path), false);
  const first = new SqliteState(path);
  await first.take();
  const second = new SqliteState(path);
  await assert.rejects(second.take(), { code: "STATE_BUSY" });
  assert.equal((await new SqliteState(path).summary()).isRunning, true);
  await first.commit({ settled: [], lanes: new Map(), notes: [cursorNote("a", "1")] });
  await first.close();
  await second.close();
  const third = new SqliteState(path);
  await third.take();
  await third.close();
  assert.equal((await third.summary()).isRunning, false);
  await third.close();
});

test("counts are those of the rows, whatever was settled, forgotten or retried, also in a file of an earlier version", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-state-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, STATE_FILE);
  const state = new SqliteState(path);
  await state.take();
  const settle = (did: number, failure: string | null, isFinal: boolean) => ({
    did: `did:plc:${did}`,
    ...{ failure, isFinal, detail: null, host: "https://a.example", retryAt: 0 },
  });
  const rows = () => {
    using db = new DatabaseSync(path, { readOnly: true });
    const many = (where: string) => db.prepare(`SELECT count(*) AS many FROM dids WHERE ${where}`).get()!["many"];
    return { completed: many("final = 1"), timeout: many("failure = 'timeout'"), gone: many("failure = 'not_found'") };
  };
  const counted = async (reader: SqliteState) => {
    const { completed, failed } = await reader.summary();
    return { completed, timeout: failed["timeout"] ?? 0, gone: failed["not_found"] ?? 0 };
  };
  await state.commit({
    settled: [
      ...Array.from({ length: 50 }, (_, at) => settle(at, null, true)),
      ...Array.from({ length: 30 }, (_, at) => settle(50 + at, "timeout", false)),
      ...Array.from({ length: 20 }, (_, at) => settle(80 + at, "not_found", true)),
      // What is stored stays stored.
      settle(0, "timeout", false),
      settle(50, null, true),
      settle(51, "not_found", true),
      settle(52, "not_found", false),
    ],
    lanes: new Map(),
    notes: [],
  });
  assert.deepEqual(await counted(state), { completed: 72, timeout: 27, gone: 22 });
  await state.forget("did:plc:1");
  await state.forget("did:plc:99");
  await state.close();
  retryFailures(folder, { class: "not_found" });
  assert.deepEqual(rows(), { completed: 50, timeout: 27, gone: 21 });
  assert.deepEqual(await counted(state), rows());
  await state.close();
  // As version 2 left it.
  using db = new DatabaseSync(path);
  for (const name of ["did_added", "did_changed", "did_removed"]) db.exec(`DROP TRIGGER ${name}`);
  db.exec("DROP TABLE did_counts; UPDATE schema_versions SET version = 2 WHERE part = 'atproto'");
  db.close();
  assert.deepEqual(await counted(state), rows());
  await state.reset();
  assert.deepEqual(await counted(state), { completed: 0, timeout: 0, gone: 0 });
  await state.commit({ settled: [settle(1, "timeout", false)], lanes: new Map(), notes: [] });
  assert.deepEqual(await counted(state), { completed: 0, timeout: 1, gone: 0 });
  await state.close();
});
