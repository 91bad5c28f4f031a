/** What a WARC writer promises, on every state that a power cut could leave. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { temporaryFolder } from "../../../storage/testing/files.ts";
import { assertCrashSafe } from "../../../storage/testing/replay-crashes.ts";
import { sampleCapture, warcWriter } from "../testing/captures.ts";
import { checkDigests } from "../testing/readers.ts";
import { parseCdxj } from "./cdxj.ts";
import { repairWarcs } from "./repair-warcs.ts";
import type { WarcWriter } from "./warc-writer.ts";

const urlOf = (name: string): string => `https://github.com/o/${name}`;
const write = (writer: WarcWriter, name: string) => writer.write(sampleCapture(`<p>${name}`, { url: urlOf(name) }));

/** In a folder of WARCs that were repaired: what was wrong in them. */
const QUARANTINE = "quarantine";

/** The URLs of all finished WARCs. Each record is whole, and each index line leads to the record of its URL. */
function readAll(folder: string): string[] {
  const urls: string[] = [];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  assert.deepEqual(
    names.filter((name) => !/\.(warc\.gz|cdxj)$/.test(name) && name !== QUARANTINE),
    [],
    "nothing unfinished is left",
  );
  for (const name of names.filter((each) => each.endsWith(".warc.gz"))) {
    const path = join(folder, name);
    checkDigests(path);
    const index = readFileSync(path.replace(".warc.gz", ".cdxj"), "utf8").split("\n").slice(0, -1);
    assert.deepEqual(index, index.toSorted());
    for (const line of index) {
      const { url, offset, length, filename } = parseCdxj(line)!.entry;
      assert.equal(filename, name);
      const record = readFileSync(path).subarray(Number(offset), Number(offset) + Number(length));
      assert.match(gunzipSync(record).toString(), new RegExp(`^WARC-Target-URI: ${url}\r$`, "m"));
      urls.push(url);
    }
  }
  assert.equal(new Set(urls).size, urls.length, "each capture is there once");
  return urls;
}

test("captures are whole, indexed, and there once they were written; a file that a crash left open is finished", async (t) => {
  const { states } = await assertCrashSafe<string>(t, {
    async prepare(folder) {
      // Left by a crash: two captures, and half a third.
      const before = await temporaryFolder(t);
      const writer = await warcWriter(before);
      await write(writer, "earlier-1");
      await write(writer, "earlier-2");
      cpSync(before, join(folder, "warc"), { recursive: true });
      await writer.close();
      const names = readdirSync(join(folder, "warc"));
      assert.equal(names.filter((name) => name.endsWith(".open")).length, 2);
      for (const name of names) appendFileSync(join(folder, "warc", name), "half of something");
    },
    async work({ folder, fs, promise }) {
      promise("earlier-1");
      promise("earlier-2");
      // Room for two captures a file.
      const writer = await warcWriter(join(folder, "warc"), { maxBytes: 2_000, onNotice: () => {}, fs });
      const keep = async (name: string) => {
        await write(writer, name);
        promise(name);
      };
      await keep("a");
      await Promise.all([keep("b"), keep("c")]);
      await keep("d");
      await writer.close();
    },
    async recover({ folder, fs, promised }) {
      const writer = await warcWriter(join(folder, "warc"), { onNotice: () => {}, fs });
      await writer.close();
      const urls = readAll(join(folder, "warc"));
      for (const name of promised) assert.ok(urls.includes(urlOf(name)), `${name} is lost`);
    },
    needless: {
      "sync warc (AppendFile.open in append-file.ts)": "a lost index is rebuilt from the records, which takes longer",
      "sync warc (finish in warc-file.ts)": "the same",
    },
  });
  assert.ok(states > 100, `${states} states`);
});

test("a repair loses nothing that is intact, and sets aside what is not", async (t) => {
  // The last in order: what is synced after it would hide that it was not.
  const LONE_INDEX = "zzz-00001.cdxj";
  const quarantined = (folder: string): Buffer[] => {
    const path = join(folder, QUARANTINE);
    return (existsSync(path) ? readdirSync(path) : []).map((name) => readFileSync(join(path, name)));
  };
  let damaged = Buffer.alloc(0);
  await assertCrashSafe<string>(t, {
    async prepare(root) {
      const folder = join(root, "warc");
      const writer = await warcWriter(folder);
      for (const name of ["a", "b", "c"]) await write(writer, name);
      await writer.close();
      const names = readdirSync(folder);
      const index = readFileSync(join(folder, names.find((name) => name.endsWith(".cdxj"))!), "utf8").split("\n");
      const { offset, length } = parseCdxj(index.find((line) => line.includes("/o/b"))!)!.entry;
      const path = join(folder, names.find((name) => name.endsWith(".warc.gz"))!);
      const bytes = readFileSync(path);
      bytes[Number(offset) + Math.floor(Number(length) / 2)]! ^= 1;
      writeFileSync(path, bytes);
      damaged = bytes.subarray(Number(offset), Number(offset) + Number(length));
      writeFileSync(join(folder, LONE_INDEX), "an index without its WARC\n");
    },
    async work({ folder, fs, promise }) {
      await repairWarcs({ folder: join(folder, "warc"), onProblem: () => {}, fs });
      promise("repaired");
    },
    async recover({ folder, fs, promised }) {
      const warcs = join(folder, "warc");
      const check = (): void => {
        const urls = readAll(warcs);
        for (const name of ["a", "c"]) assert.ok(urls.includes(urlOf(name)), `${name} is lost`);
        const aside = quarantined(warcs);
        assert.ok(
          aside.some((bytes) => bytes.includes(damaged)),
          "the damaged bytes are lost",
        );
        assert.ok(
          aside.some((bytes) => bytes.includes("an index without")),
          "the index is lost",
        );
      };
      if (promised.length > 0) check();
      await repairWarcs({ folder: warcs, onProblem: () => {}, fs });
      check();
    },
    needless: {
      "sync warc (moveAside in repair-warcs.ts)": "a file under both names is moved again",
      "sync warc (replaceFile in durable.ts)": "here, moving the index syncs the folder once more",
    },
  });
});
