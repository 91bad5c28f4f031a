/** The SQLite ledger: what every ledger promises, and what can go wrong with its file and its thread. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { ledgerConformance } from "../testing/conformance.ts";
import { RECORD_MODULE } from "../testing/kill-child.ts";
import { aBatch, anAdmitted, PLAIN_META, type PlainMeta } from "../testing/samples.ts";
import { threadedHarness } from "../testing/sqlite-harness.ts";
import { SqliteLedger } from "./ledger.ts";

ledgerConformance("SqliteLedger", threadedHarness);

describe("SqliteLedger in trouble", () => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-sqlite-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("refuses a database from the future, and lets go of its thread", async () => {
    const path = join(folder, "future.db");
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE schema_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
    db.exec("INSERT INTO schema_versions VALUES ('ledger', 999)");
    db.close();
    const ledger = new SqliteLedger(path, RECORD_MODULE, PLAIN_META);
    await assert.rejects(
      ledger.open(() => {}),
      { code: "STORE_TOO_NEW" },
    );
    await ledger.close();
  });

  it("says so when the file cannot be opened", async () => {
    const ledger = new SqliteLedger(join(folder, "no", "such", "folder.db"), null, PLAIN_META);
    await assert.rejects(
      ledger.open(() => {}),
      { code: "STORE_FAILED" },
    );
    await ledger.close();
  });

  it("rejects what is asked before and after its thread dies, and closes", async () => {
    const ledger = new SqliteLedger(join(folder, "dead.db"), "file:///no/such/module.ts", PLAIN_META);
    await assert.rejects(
      ledger.open(() => {}),
      { code: "STORE_FAILED" },
    );
    await assert.rejects(ledger.commit(aBatch({ admitted: [anAdmitted(1)] })), { code: "STORE_FAILED" });
    await assert.rejects(ledger.take("lane", 0, 1), { code: "STORE_FAILED" });
    await ledger.close();
    await ledger.close();
  });

  it("stores without records if it has no record store", async () => {
    const path = join(folder, "no-records.db");
    const ledger = new SqliteLedger<unknown, PlainMeta>(path, null, PLAIN_META);
    await ledger.open(() => {});
    const settled = [{ id: 1, state: "done", verdict: null, record: { any: "thing" } }] as const;
    await ledger.commit(aBatch({ admitted: [anAdmitted(1)], settled: [...settled] }));
    await ledger.close();
  });

  it("commits and closes while another connection reads", async () => {
    const path = join(folder, "read.db");
    const ledger = new SqliteLedger(path, RECORD_MODULE, PLAIN_META);
    await ledger.open(() => {});
    await ledger.commit(aBatch({ admitted: [anAdmitted(1)] }));
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN");
    const count = reader.prepare("SELECT count(*) AS n FROM urls");
    assert.equal(count.get()!["n"], 1);
    await ledger.commit(aBatch({ admitted: [anAdmitted(2)] }));
    assert.equal(count.get()!["n"], 1, "a reader sees the moment it began at");
    await ledger.close();
    reader.exec("COMMIT");
    assert.equal(count.get()!["n"], 2);
    reader.close();
  });

  it("waits for a short write by another process instead of failing the crawl", async () => {
    const path = join(folder, "busy.db");
    const ledger = new SqliteLedger(path, RECORD_MODULE, PLAIN_META);
    await ledger.open(() => {});
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const commit = ledger.commit(aBatch({ admitted: [anAdmitted(1)] }));
    // Holds this thread, and with it the lock, long enough for the store thread to run into it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    other.exec("COMMIT");
    other.close();
    await commit;
    await ledger.close();
  });
});
