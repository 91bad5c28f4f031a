/** What an import of identities promises, on every state that a power cut could leave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileSystem } from "../../storage/file-system.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { makeKeys } from "../repo/testing/build-car.ts";
import { didOf } from "../testing/fake-pds.ts";
import { IdentityTable } from "./identity-table.ts";
import type { PlcBatch } from "./plc-export.ts";

const { didKey: signingKey } = makeKeys("secp256k1");
const BATCHES = 4;
const NAME = "export";
const pdsOf = (number: number): string => `https://${number}.example`;

/** Two accounts in each; its cursor is its number. */
async function* batchesFrom(cursor: string | null, onRead: (batch: number) => void): AsyncGenerator<PlcBatch> {
  for (let batch = Number(cursor ?? 0) + 1; batch <= BATCHES; batch++) {
    const lines = [2 * batch, 2 * batch + 1].map((number) => ({
      ...{ did: didOf(number), pds: pdsOf(number), signingKey, seq: null, createdAt: null },
    }));
    yield { lines, cursor: String(batch) };
    onRead(batch);
  }
}

/** Runs of three accounts. */
async function importInto(folder: string, fs: FileSystem, onRead: (batch: number) => void = () => {}): Promise<void> {
  const table = new IdentityTable(folder, 3, fs);
  await table.import(NAME, (cursor) => batchesFrom(cursor, onRead));
  table.close();
}

test("an import continues after a power cut, and what was imported is found", async (t) => {
  await assertCrashSafe<string>(t, {
    async work({ folder, fs, promise }) {
      await importInto(`${folder}/identities`, fs);
      promise("imported");
    },
    async recover({ folder, fs, promised }) {
      const path = `${folder}/identities`;
      const findAll = (): void => {
        const table = new IdentityTable(path, 3, fs);
        try {
          for (let number = 2; number < 2 * BATCHES + 2; number++)
            assert.equal(table.find(didOf(number))?.pds, pdsOf(number));
        } finally {
          table.close();
        }
      };
      if (promised.length > 0) findAll();
      // An export that was read to its end is not read again.
      await importInto(path, fs, () => assert.equal(promised.length, 0));
      findAll();
    },
  });
});
