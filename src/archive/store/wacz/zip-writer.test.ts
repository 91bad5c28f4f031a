import assert from "node:assert/strict";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../storage/testing/files.ts";
import { readZip } from "../testing/readers.ts";
import { ZipWriter } from "./zip-writer.ts";

// 1: all of it in ZIP64; 60: only what lies behind, sizes small; the last is what a file of ordinary size gets.
for (const limit of [1, 60, undefined]) {
  test(`an independent reader reads the entries${limit === undefined ? "" : `, ZIP64 from ${limit} bytes on`}`, async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, "x.zip");
    await writeFile(join(folder, "big"), "big".repeat(50));
    const handle = await open(path, "w");
    const zip = new ZipWriter(handle, Date.UTC(2025, 0, 12, 10, 30, 42), limit);
    const small = await zip.addBytes("small.txt", Buffer.from("small"));
    assert.deepEqual(small.bytes, 5);
    await zip.addFile("folder/big", join(folder, "big"));
    await zip.addBytes("empty", Buffer.alloc(0));
    await zip.finish();
    await handle.close();
    assert.equal((await readFile(path)).includes(Buffer.from("PK\x06\x06")), limit !== undefined);
    const modifiedAt = new Date(Date.UTC(2025, 0, 12, 10, 30, 42));
    const entry = (text: string) => ({ isStored: true, modifiedAt, bytes: Buffer.from(text) });
    assert.deepEqual(
      [...(await readZip(path))],
      [
        ["small.txt", entry("small")],
        ["folder/big", entry("big".repeat(50))],
        ["empty", entry("")],
      ],
    );
  });
}
