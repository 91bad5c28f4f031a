/** The state in SQLite keeps the promises of a cursor ledger, and what it reports and refuses. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cursorNote } from "../../kernel/ledger.ts";
import { ledgerConformance } from "../../kernel/testing/conformance.ts";
import { cursorProperties } from "../../kernel/testing/cursor-model.ts";
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
