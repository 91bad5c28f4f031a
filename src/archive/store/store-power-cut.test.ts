/** What pages, metadata and their repair promise, on every state that a power cut could leave. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { FileSystem } from "../../storage/file-system.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { FROM_SPOOL, isFromSpool, metadataRecords } from "../archive-record.ts";
import { type BlobStore, sha256Of } from "./blob-store.ts";
import { MetadataLog } from "./metadata.ts";
import { formatRecord, isDamage, type MetadataRecord, parseRecord } from "./metadata-record.ts";
import { repairArchive } from "./repair-store.ts";
import { sampleRecord, sampleStore, storePages } from "./testing/samples.ts";

const page = (name: string): Buffer => Buffer.from(`<title>${name}</title>`);

/** Every file of the store holds the page of its name, and the promised ones are there. */
async function checkPages(blobs: BlobStore, promised: readonly string[]): Promise<void> {
  for await (const { kind, sha256 } of blobs.each()) if (kind === "blob") await blobs.read(sha256);
  for (const name of promised) {
    assert.deepEqual(await blobs.read(sha256Of(page(name))), page(name), `page ${name} is lost`);
  }
}

for (const compress of [false, true]) {
  test(`pages ${compress ? "in zstd" : "as they are"}: whole, and there once they were put`, async (t) => {
    await assertCrashSafe<string>(t, {
      async work({ folder, fs, promise }) {
        const blobs = sampleStore(folder, { compress, fs });
        const put = async (name: string, store = blobs) => {
          await store.put(page(name));
          promise(name);
        };
        await Promise.all([put("a"), put("b"), put("a")]);
        await put("c");
        // A process that dies after the rename leaves a name that is not durable; the next one must not trust it.
        const unsynced: FileSystem = {
          ...bind(fs),
          syncFolder: async () => {
            throw new Error("killed");
          },
        };
        await assert.rejects(sampleStore(folder, { compress, fs: unsynced }).put(page("d")));
        await put("d", sampleStore(folder, { compress, fs }));
      },
      recover: ({ folder, fs, promised }) => checkPages(sampleStore(folder, { compress, fs }), promised),
    });
  });
}

/** The methods of a class instance, to be spread. */
const bind = (fs: FileSystem): FileSystem => ({
  open: (...args) => fs.open(...args),
  rename: (...args) => fs.rename(...args),
  link: (...args) => fs.link(...args),
  rm: (...args) => fs.rm(...args),
  ensureFolder: (...args) => fs.ensureFolder(...args),
  syncFolder: (...args) => fs.syncFolder(...args),
});

test("a page in quarantine stays there", async (t) => {
  const sha256 = sha256Of(page("a"));
  await assertCrashSafe<string>(t, {
    async prepare(folder) {
      await sampleStore(folder).put(page("a"));
      writeFileSync(fileOf(folder, sha256), "damaged");
    },
    async work({ folder, fs, promise }) {
      promise((await sampleStore(folder, { fs }).quarantine(sha256))!);
    },
    async recover({ folder, promised }) {
      const isInStore = existsSync(fileOf(folder, sha256));
      const isAside = existsSync(join(folder, `store/html/quarantine/${sha256}.html`));
      assert.notEqual(isInStore, isAside, "in one place");
      if (promised.length > 0) assert.ok(isAside, "it is back");
    },
  });
});

const fileOf = (folder: string, sha256: string): string =>
  join(folder, "store/html", sha256.slice(0, 2), sha256.slice(2, 4), `${sha256}.html`);

const METADATA = "metadata/crawl_metadata.jsonl";
const record = (name: string, metadata: MetadataRecord["metadata"] = {}): MetadataRecord =>
  sampleRecord({ url: `https://a.example/${name}`, metadata });

/** The names in the metadata, in order. Every line must be whole. */
function recorded(folder: string): string[] {
  const path = join(folder, METADATA);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => {
    const parsed = parseRecord(Buffer.from(line));
    if (isDamage(parsed)) throw new Error(`${line} is no record`);
    return parsed.url.split("/").at(-1)!;
  });
}

test("metadata: each line whole, in order, and there once it was appended", async (t) => {
  const names = ["a", "b", "c", "d"];
  await assertCrashSafe<number>(t, {
    async work({ folder, fs, promise }) {
      let log = await MetadataLog.open(join(folder, METADATA), assert.fail, fs);
      await log.append([record("a"), record("b")]);
      promise(2);
      await log.append([record("c")]);
      promise(3);
      await log.close();
      await appendFile(join(folder, METADATA), "");
      log = await MetadataLog.open(join(folder, METADATA), assert.fail, fs);
      await log.append([record("d")]);
      promise(4);
      await log.close();
    },
    async recover({ folder, fs, promised }) {
      // What lies behind the last commit is cut off by the ledger: zeros are no line that counts.
      const least = promised.at(-1) ?? 0;
      const log = await MetadataLog.open(join(folder, METADATA), () => {}, fs);
      await log.close();
      const lines = readFileSync(join(folder, METADATA), "utf8").split("\n").slice(0, least).join("\n");
      assert.equal(
        `${lines}${least > 0 ? "\n" : ""}`,
        names
          .slice(0, least)
          .map((name) => formatRecord(record(name)))
          .join(""),
      );
    },
  });
});

test("two ledgers, one file: cutting off the lines of one keeps those of the other", async (t) => {
  const own = (name: string) => record(name);
  const foreign = (name: string) => record(name, FROM_SPOOL);
  const length = Buffer.byteLength(formatRecord(own("a")) + formatRecord(foreign("b")));
  await assertCrashSafe<string>(t, {
    async prepare(folder) {
      const log = await MetadataLog.open(join(folder, METADATA), assert.fail);
      // The last commit of the archive run names the length with a and b; c and e were never settled.
      await log.append([own("a"), foreign("b"), own("c"), foreign("d"), own("e")]);
      await log.close();
    },
    async work({ folder, fs, promise }) {
      const metadata = await MetadataLog.open(join(folder, METADATA), assert.fail, fs);
      const records = metadataRecords({
        metadata,
        before: async () => {},
        isOwn: (each) => !isFromSpool(each),
        isShared: true,
      });
      await records.truncateTo(length);
      promise("cut");
      await records.append([own("f")]);
      promise("f");
      assert.equal((await metadata.lastLineOf("https://a.example/f"))?.url, "https://a.example/f");
      await metadata.close();
    },
    async recover({ folder, fs, promised }) {
      await (await MetadataLog.open(join(folder, METADATA), () => {}, fs)).close();
      const names = recorded(folder).filter((name) => name !== "f");
      const expected =
        promised.length > 0
          ? [["a", "b", "d"]]
          : [
              ["a", "b", "d"],
              ["a", "b", "c", "d", "e"],
            ];
      assert.ok(
        expected.some((each) => each.join() === names.join()),
        `found ${names}`,
      );
      if (promised.includes("f")) assert.equal(recorded(folder).at(-1), "f");
    },
  });
});

test("repair: what is dropped was set aside before, and a page in quarantine is not in the store", async (t) => {
  const NOW = 1_700_000_000_000;
  const pages = { "https://a.example/good": "<p>good", "https://a.example/bad": "<p>bad" };
  const repair = (folder: string, fs: FileSystem) =>
    repairArchive({
      metadataPath: join(folder, METADATA),
      blobs: sampleStore(folder, { fs }),
      stateFolder: join(folder, "state"),
      now: NOW,
      onProblem: () => {},
      fs,
    });
  await assertCrashSafe<"repaired">(t, {
    async prepare(folder) {
      const records = await storePages(sampleStore(folder), pages);
      const log = await MetadataLog.open(join(folder, METADATA), assert.fail);
      await log.append(records);
      await log.close();
      await appendFile(join(folder, METADATA), "a damaged line\n");
      await appendFile(join(folder, METADATA), formatRecord({ ...records[0]!, depth: 9 }));
      writeFileSync(fileOf(folder, sha256Of(Buffer.from("<p>bad"))), "corrupt");
    },
    async work({ folder, fs, promise }) {
      await repair(folder, fs);
      promise("repaired");
    },
    async recover({ folder, fs, promised }) {
      if (promised.length === 0) await repair(folder, fs);
      assert.deepEqual(recorded(folder), ["good", "good"]);
      const aside = readdirSync(join(folder, "state")).map((name) => readFileSync(join(folder, "state", name), "utf8"));
      assert.match(aside.join(""), /a damaged line\n/);
      assert.match(aside.join(""), /a\.example\/bad/);
      assert.deepEqual(readdirSync(join(folder, "store/html/quarantine")), [`${sha256Of(Buffer.from("<p>bad"))}.html`]);
    },
  });
});
