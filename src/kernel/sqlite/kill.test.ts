/** A process killed with SIGKILL among its commits, again and again: what is left is the first of them, each whole. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { RECORD_MODULE } from "../testing/kill-child.ts";
import { killRounds } from "../testing/kill-rounds.ts";
import type { TestRecord } from "../testing/ledger-harness.ts";
import { PLAIN_META, type PlainMeta } from "../testing/samples.ts";
import { readTestRecords } from "../testing/test-records.ts";
import { SqliteLedger } from "./ledger.ts";

it("kill -9 among commits loses none that was durable and halves none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-kill-"));
  const path = join(folder, "crawl.db");
  await killRounds({
    script: fileURLToPath(new URL("../testing/kill-child.ts", import.meta.url)),
    place: path,
    harness: {
      ledger: () => new SqliteLedger<TestRecord, PlainMeta>(path, RECORD_MODULE, PLAIN_META),
      async records() {
        const db = new DatabaseSync(path, { readOnly: true });
        const check = db.prepare("PRAGMA integrity_check").all();
        const records = readTestRecords(db);
        db.close();
        assert.deepEqual(
          check.map((row) => ({ ...row })),
          [{ integrity_check: "ok" }],
        );
        return records;
      },
    },
  });
  rmSync(folder, { recursive: true, force: true });
});
