/** The store thread: one SQLite connection that receives messages and answers them in order. */
import { parentPort, workerData } from "node:worker_threads";
import type { Known } from "../ledger.ts";
import { type PackedBatch, type RecordStore, SqliteStore } from "./store.ts";

export interface StoreThreadData {
  path: string;
  /** URL of the module whose default export is a RecordStore. */
  recordModule: string | null;
}

export type Question = { id: number } & (
  | { ask: "open" }
  | { ask: "commit"; batch: PackedBatch<unknown> }
  | { ask: "take"; lane: string; after: number; max: number }
  | { ask: "close" }
);

export type Answer =
  | { known: Known[] }
  | { to: number; value: unknown }
  | { to: number; error: { message: string; code: string | null } };

/** Known rows are sent in packs, so that a million of them neither fill memory nor cost one message each. */
const PACK = 2_000;

const { path, recordModule } = workerData as StoreThreadData;
const port = parentPort!;
const records =
  recordModule === null ? null : ((await import(recordModule)) as { default: RecordStore<unknown> }).default;
let store: SqliteStore<unknown> | null = null;

function answer(question: Question): unknown {
  switch (question.ask) {
    case "open": {
      store = new SqliteStore(path, records);
      let pack: Known[] = [];
      for (const known of store.known()) {
        if (pack.push(known) < PACK) continue;
        port.postMessage({ known: pack } satisfies Answer);
        pack = [];
      }
      port.postMessage({ known: pack } satisfies Answer);
      return store.recovered();
    }
    case "commit":
      return store!.commit(question.batch);
    case "take":
      return store!.take(question.lane, question.after, question.max);
    case "close":
      store?.close();
      return null;
  }
}

port.on("message", (question: Question) => {
  try {
    port.postMessage({ to: question.id, value: answer(question) } satisfies Answer);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    port.postMessage({ to: question.id, error: { message, code: code ?? null } } satisfies Answer);
  }
  if (question.ask === "close") port.close();
});
