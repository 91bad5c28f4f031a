/** Lines are found where they begin, near or far, short or long. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { AppendFile } from "../../storage/append-file.ts";
import { linesAt } from "./ledger-files.ts";

it("gives any lines of a file, in the order asked for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-lines-"));
  const file = await AppendFile.open(join(folder, "lines"));
  const lines = Array.from({ length: 400 }, (_, at) => `${at}:${"x".repeat(at % 50 === 0 ? at * 100 : at % 90)}`);
  const offsets: number[] = [];
  let length = 0;
  for (const line of lines) {
    offsets.push(length);
    length += line.length + 1;
  }
  await file.append(Buffer.from(`${lines.join("\n")}\n`));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: lines.length - 1 }), { maxLength: 60 }), async (wanted) => {
      const found = await linesAt(
        file,
        wanted.map((at) => offsets[at]!),
      );
      assert.deepEqual(
        found.map((each) => each.toString()),
        wanted.map((at) => lines[at]),
      );
    }),
  );
  await file.close();
  rmSync(folder, { recursive: true });
});
