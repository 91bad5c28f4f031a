/** What pages, metadata and their repair promise, on every state that a power cut could leave. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { fastFolder } from "../../storage/testing/files.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { FROM_SPOOL, isFromSpool } from "../archive-record.ts";
import { type BlobStore, sha256Of } from "./blob-store.ts";
import { MetadataLog } from "./metadata.ts";
import { formatRecord, isDamage, type MetadataRecord, parseRecord } from "./metadata-record.ts";
import { type Committed, checkMetadata, type RecordsEnd } from "./metadata-sums.ts";
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

/** The names in the metadata, in order. Every line must be whole, unless a crash may have cut some short. */
function recorded(folder: string, isWhole = true): string[] {
  const path = join(folder, METADATA);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  return lines.flatMap((line) => {
    const parsed = parseRecord(Buffer.from(line));
    if (!isDamage(parsed)) return parsed.url.split("/").at(-1)!;
    if (isWhole) throw new Error(`${line} is not a record`);
    return [];
  });
}

/** The lines and their sums are exactly what was marked. */
async function assertIntact(folder: string, mark: RecordsEnd): Promise<void> {
  const { damaged } = await checkMetadata(join(folder, METADATA), [{ ...ledgerAt(mark), isClosed: true }]);
  assert.deepEqual(damaged, []);
}

const ledgerAt = (mark: Committed["mark"], isOwn: Committed["isOwn"] = () => true): Committed => ({
  mark,
  isClosed: false,
  isEndLost: false,
  isOwn,
});

async function opened(folder: string, fs: FileSystem, ...ledgers: Committed[]): Promise<MetadataLog> {
  const log = await MetadataLog.open(join(folder, METADATA), () => {}, fs);
  try {
    await log.recover(ledgers);
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

test("metadata: each line whole, in order, and there once it was appended", async (t) => {
  const names = ["a", "b", "c", "d"];
  await assertCrashSafe<{ lines: number; mark: RecordsEnd }>(t, {
    async work({ folder, fs, promise }) {
      let log = await opened(folder, fs);
      promise({ lines: 2, mark: await log.append([record("a"), record("b")]) });
      const mark = await log.append([record("c")]);
      promise({ lines: 3, mark });
      await log.close();
      log = await opened(folder, fs, ledgerAt(mark));
      promise({ lines: 4, mark: await log.append([record("d")]) });
      await log.close();
    },
    async recover({ folder, fs, promised }) {
      // What lies behind the last commit is cut off, from the lines and from their sums.
      const { lines = 0, mark = null } = promised.at(-1) ?? {};
      await (await opened(folder, fs, ledgerAt(mark))).close();
      if (mark === null) return;
      const written = names.slice(0, lines).map((name) => formatRecord(record(name)));
      assert.equal(readFileSync(join(folder, METADATA), "utf8"), written.join(""));
      await assertIntact(folder, mark);
    },
  });
});

test("two ledgers, one file: what neither has committed is cut off, and the rest stays", async (t) => {
  const own = (name: string) => record(name);
  const foreign = (name: string) => record(name, FROM_SPOOL);
  const marks: RecordsEnd[] = [];
  const ledgers = (): Committed[] => [
    ledgerAt(marks[0]!, (each) => !isFromSpool(each)),
    ledgerAt(marks[1]!, isFromSpool),
  ];
  await assertCrashSafe<string>(t, {
    async prepare(folder) {
      const log = await opened(folder, realFileSystem);
      // The archive run has committed a, and then the scrape b and d; c was never settled.
      marks.push(await log.append([own("a")]), await log.append([foreign("b"), foreign("d")]));
      await log.append([foreign("c")]);
      await log.close();
    },
    async work({ folder, fs, promise }) {
      const metadata = await opened(folder, fs, ...ledgers());
      promise("cut");
      marks.push(await metadata.append([own("f")]));
      promise("f");
      assert.equal((await metadata.lastLineOf("https://a.example/f"))?.url, "https://a.example/f");
      await metadata.close();
    },
    async recover({ folder, promised }) {
      const names = recorded(folder, promised.length > 0);
      const expected = promised.includes("f") ? ["a", "b", "d", "f"] : ["a", "b", "d"];
      assert.deepEqual(names.slice(0, expected.length), expected);
      if (promised.length > 0) assert.ok(!names.includes("c"));
      if (promised.includes("f")) await assertIntact(folder, marks[2]!);
    },
    needless: {
      "sync metadata/crawl_metadata.jsonl.sums (AppendFile.truncate in append-file.ts)": "they are cut off again",
    },
  });
});

test("two ledgers from before there were sums: lines of each that it never settled go, and no line is cut in two", async (t) => {
  const folder = await fastFolder(t);
  const path = join(folder, METADATA);
  const lines = [record("a"), record("b", FROM_SPOOL), record("c"), record("d", FROM_SPOOL), record("e")].map(
    formatRecord,
  );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join(""));
  const end = (count: number) => ({ bytes: Buffer.byteLength(lines.slice(0, count).join("")), sum: null });
  const log = await opened(
    folder,
    realFileSystem,
    ledgerAt(end(1), (each) => !isFromSpool(each)),
    ledgerAt({ bytes: end(4).bytes - 3, sum: null }, isFromSpool),
  );
  assert.deepEqual(recorded(folder), ["a", "b", "d"]);
  const mark = await log.append([record("f")]);
  await log.close();
  await (await opened(folder, realFileSystem, ledgerAt(mark))).close();
  assert.deepEqual(recorded(folder), ["a", "b", "d", "f"]);
  // One ledger knows exactly where its lines end: one byte too many is damage, and nothing is cut.
  writeFileSync(path, ` ${lines.join("")}`);
  await assert.rejects(opened(folder, realFileSystem, ledgerAt(end(3))), { code: "ARCHIVE_DAMAGED" });
  assert.equal(readFileSync(path, "utf8"), ` ${lines.join("")}`);
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
  await assertCrashSafe<RecordsEnd>(t, {
    async prepare(folder) {
      const records = await storePages(sampleStore(folder), pages);
      const log = await opened(folder, realFileSystem);
      await log.append(records);
      await log.close();
      await appendFile(join(folder, METADATA), "a damaged line\n");
      await appendFile(join(folder, METADATA), formatRecord({ ...records[0]!, depth: 9 }));
      writeFileSync(fileOf(folder, sha256Of(Buffer.from("<p>bad"))), "corrupt");
    },
    async work({ folder, fs, promise }) {
      promise((await repair(folder, fs)).records);
    },
    async recover({ folder, fs, promised }) {
      const [records = (await repair(folder, fs)).records] = promised;
      assert.deepEqual(recorded(folder), ["good", "good"]);
      await assertIntact(folder, records);
      const aside = readdirSync(join(folder, "state")).map((name) => readFileSync(join(folder, "state", name), "utf8"));
      assert.match(aside.join(""), /a damaged line\n/);
      assert.match(aside.join(""), /a\.example\/bad/);
      assert.deepEqual(readdirSync(join(folder, "store/html/quarantine")), [`${sha256Of(Buffer.from("<p>bad"))}.html`]);
    },
  });
});
