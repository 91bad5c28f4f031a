/** The smallest record store: a text per id. It has no unique index, so that a record written twice shows. */
import type { DatabaseSync } from "node:sqlite";
import type { RecordStore } from "../sqlite/store.ts";
import type { TestRecord } from "./ledger-harness.ts";

export function readTestRecords(db: DatabaseSync): { id: number; record: TestRecord }[] {
  const rows = db.prepare("SELECT id, text FROM test_records ORDER BY rowid").all();
  return rows.map((row) => ({ id: row["id"] as number, record: { text: row["text"] as string } }));
}

const testRecords: RecordStore<TestRecord> = {
  part: "test",
  migrations: ["CREATE TABLE test_records (id INTEGER NOT NULL, text TEXT NOT NULL) STRICT"],
  open(db) {
    const insert = db.prepare("INSERT INTO test_records VALUES (?, ?)");
    return {
      write(id, record) {
        insert.run(id, record.text);
      },
      close() {},
    };
  },
};

export default testRecords;
