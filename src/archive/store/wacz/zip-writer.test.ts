import assert from "node:assert/strict";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../storage/testing/files.ts";
import { python } from "../testing/captures.ts";
import { ZipWriter } from "./zip-writer.ts";

/** Lists a ZIP file as Python's reader sees it, after it checked every checksum. */
const LIST = `
import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, i.compress_type, list(i.date_time), z.read(i).decode()] for i in z.infolist()]))
`;

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
    const listed = python("zipfile", "-c", LIST, path);
    if (listed === null) return t.skip("Python is not installed");
    assert.equal(listed.status, 0, listed.output);
    const date = [2025, 1, 12, 10, 30, 42];
    assert.deepEqual(JSON.parse(listed.output), [
      ["small.txt", 0, date, "small"],
      ["folder/big", 0, date, "big".repeat(50)],
      ["empty", 0, date, ""],
    ]);
  });
}
