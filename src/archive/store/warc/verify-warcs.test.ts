import assert from "node:assert/strict";
import { appendFile, cp, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../storage/testing/files.ts";
import { readWarc, sampleCapture, warcWriter } from "../testing/captures.ts";
import { checkDigests } from "../testing/readers.ts";
import { parseCdxj } from "./cdxj.ts";
import { repairWarcs } from "./repair-warcs.ts";
import { assertIntact, verifyWarcs, type WarcProblem } from "./verify-warcs.ts";

const BASE = "trawl-20250112100000-00001";
const WARC = `${BASE}.warc.gz`;
const INDEX = `${BASE}.cdxj`;
const URLS = ["https://github.com/a", "https://github.com/b", "https://github.com/c"];

/** Three pages and a revisit. */
async function smallFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  const writer = await warcWriter(folder);
  for (const url of URLS) await writer.write(sampleCapture(`<p>page ${url}`, { url }));
  await writer.write(sampleCapture(`<p>page ${URLS[0]}`, { url: "https://github.com/twin" }));
  await writer.close();
  return folder;
}

async function problemsOf(folder: string): Promise<WarcProblem[]> {
  const problems: WarcProblem[] = [];
  await verifyWarcs({ folder, onProblem: (problem) => problems.push(problem) });
  return problems;
}

const repair = (folder: string) => repairWarcs({ folder, onProblem: () => {} });

async function indexIn(folder: string) {
  const text = await readFile(join(folder, INDEX), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => parseCdxj(line)!.entry);
}

test("an intact folder has no problems, and its counts are right", async (t) => {
  const folder = await smallFolder(t);
  const counts = await verifyWarcs({ folder, onProblem: (problem) => assert.fail(JSON.stringify(problem)) });
  const { length } = await readFile(join(folder, WARC));
  assert.deepEqual([counts.files, counts.captures, counts.bytes], [1, 4, length]);
  assert.deepEqual(await problemsOf(join(folder, "none")), []);
});

/** Every byte, when set: five minutes instead of seconds. */
const STEP = process.env["TRAWL_EVERY_BYTE"] ? 1 : 41;

test("every byte of WARC and index that is changed, removed or added is noticed", async (t) => {
  const folder = await smallFolder(t);
  let cases = 0;
  for (const name of [WARC, INDEX]) {
    const path = join(folder, name);
    const whole = await readFile(path);
    const damages = (at: number): [string, Buffer][] => {
      const flipped = Buffer.from(whole);
      flipped[at] = whole[at]! ^ (1 << (at % 8));
      const [before, after] = [whole.subarray(0, at), whole.subarray(at)];
      return [
        ["flipped", flipped],
        ["removed", Buffer.concat([before, after.subarray(1)])],
        ["added", Buffer.concat([before, Buffer.from([(at * 7) % 256]), after])],
        ["cut", before],
      ];
    };
    for (let at = 0; at < whole.length; at += STEP) {
      for (const [what, bytes] of damages(at)) {
        await writeFile(path, bytes);
        assert.ok((await problemsOf(folder)).length > 0, `${name}: byte ${at} ${what}`);
        cases++;
      }
    }
    await writeFile(path, whole);
  }
  assert.ok(cases > 400, `${cases} cases`);
});

test("any bit, any range: noticed; repaired, it is intact, and every record that was not hit is still there", async (t) => {
  const original = await smallFolder(t);
  const files = new Map<string, Buffer>();
  for (const name of [WARC, INDEX]) files.set(name, await readFile(join(original, name)));
  const records = await indexIn(original);
  const folder = await temporaryFolder(t);
  const damage = fc.record({
    name: fc.constantFrom(WARC, INDEX),
    from: fc.nat(),
    length: fc.nat(300),
    replacement: fc.uint8Array({ maxLength: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ name, from, length, replacement }) => {
      await rm(folder, { recursive: true, force: true });
      await cp(original, folder, { recursive: true });
      const whole = files.get(name)!;
      const start = from % whole.length;
      const bytes = Buffer.concat([whole.subarray(0, start), replacement, whole.subarray(start + length)]);
      fc.pre(!bytes.equals(whole));
      await writeFile(join(folder, name), bytes);
      assert.ok((await problemsOf(folder)).length > 0);
      await repair(folder);
      assert.deepEqual(await problemsOf(folder), []);
      const untouched = records.filter(
        ({ offset, length: size }) =>
          name === INDEX || Number(offset) + Number(size) <= start || Number(offset) >= start + length,
      );
      const left = (await readdir(folder)).includes(INDEX) ? await indexIn(folder) : [];
      for (const { url } of untouched)
        assert.ok(
          left.some((entry) => entry.url === url),
          `${url} is lost`,
        );
      if (left.length > 0) checkDigests(join(folder, WARC));
    }),
    { numRuns: 60 },
  );
});

test("damage is named with its file, its offset and the page", async (t) => {
  const folder = await smallFolder(t);
  const [, hit] = (await indexIn(folder)).toSorted((a, b) => Number(a.offset) - Number(b.offset));
  const path = join(folder, WARC);
  const bytes = await readFile(path);
  bytes[Number(hit!.offset) + 40]! ^= 255;
  await writeFile(path, bytes);
  const [problem, ...others] = await problemsOf(folder);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [problem!.kind, problem!.file, problem!.offset, problem!.url],
    ["damaged_record", WARC, Number(hit!.offset), hit!.url],
  );
  await assert.rejects(assertIntact(folder), {
    code: "ARCHIVE_DAMAGED",
    message: new RegExp(`byte ${hit!.offset}\\b`),
  });
  const { reindexed, setAside } = await repair(folder);
  assert.deepEqual(reindexed, [INDEX]);
  assert.deepEqual(setAside, [join(folder, "quarantine", `${WARC}-${hit!.offset}`)]);
  assert.deepEqual(
    await readFile(setAside[0]!),
    bytes.subarray(Number(hit!.offset), Number(hit!.offset) + Number(hit!.length)),
  );
  assert.deepEqual(
    (await readWarc(path)).map(({ type }) => type),
    ["warcinfo", "request", "response", "request", "request", "response", "request", "revisit"],
  );
  assert.equal((await indexIn(folder)).length, 3);
});

test("a lost index is rebuilt, byte for byte; an index without its WARC is set aside", async (t) => {
  const folder = await smallFolder(t);
  const index = await readFile(join(folder, INDEX));
  await rm(join(folder, INDEX));
  assert.deepEqual(
    (await problemsOf(folder)).map(({ kind }) => kind),
    ["missing_index"],
  );
  await repair(folder);
  assert.deepEqual(await readFile(join(folder, INDEX)), index);
  await rm(join(folder, WARC));
  assert.deepEqual(
    (await problemsOf(folder)).map(({ kind }) => kind),
    ["missing_warc"],
  );
  await repair(folder);
  assert.deepEqual(await readdir(folder), ["quarantine"]);
});

test("the index of an older version, without digests, is accepted", async (t) => {
  const folder = await smallFolder(t);
  const text = await readFile(join(folder, INDEX), "utf8");
  await writeFile(join(folder, INDEX), text.replaceAll(/,"recordDigest":[^}]*/g, ""));
  assert.deepEqual(await problemsOf(folder), []);
});

test("what a crash leaves in an open file is not damage; anything before it is", async (t) => {
  const [live, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const writer = await warcWriter(live);
  for (const url of URLS) await writer.write(sampleCapture(`<p>page ${url}`, { url }));
  await cp(live, folder, { recursive: true });
  await writer.close();
  const [warc, index] = [join(folder, `${WARC}.open`), join(folder, `${INDEX}.open`)];
  await appendFile(warc, "half a record");
  await appendFile(index, "half a line");
  assert.deepEqual(
    (await problemsOf(folder)).map(({ kind }) => kind),
    ["torn_warc"],
  );
  const bytes = await readFile(warc);
  bytes[500]! ^= 1;
  await writeFile(warc, bytes);
  assert.deepEqual(
    (await problemsOf(folder)).map(({ kind }) => kind),
    ["torn_warc", "damaged_record"],
  );
  await repair(folder);
  assert.deepEqual(await problemsOf(folder), []);
  assert.ok((await indexIn(folder)).length >= 2);
});

test("recovery keeps whole records whose index lines were lost, by a crash or by damage", async (t) => {
  const [live, cut, gone] = [await temporaryFolder(t), await temporaryFolder(t), await temporaryFolder(t)];
  const writer = await warcWriter(live);
  for (const url of URLS) await writer.write(sampleCapture(`<p>page ${url}`, { url }));
  for (const folder of [cut, gone]) await cp(live, folder, { recursive: true });
  await writer.close();
  await truncate(join(cut, `${INDEX}.open`), 10);
  await rm(join(gone, `${INDEX}.open`));
  for (const folder of [cut, gone]) {
    await (await warcWriter(folder)).close();
    assert.deepEqual(await problemsOf(folder), []);
    assert.deepEqual(
      (await indexIn(folder)).map(({ url }) => url),
      URLS,
    );
  }
});

test("a file that a run is finishing while it is checked is not reported", async (t) => {
  const folder = await smallFolder(t);
  // The step before the last: the sorted index is there, and the WARC still has its open name.
  await cp(join(folder, INDEX), join(folder, `${INDEX}.open`));
  await rename(join(folder, WARC), join(folder, `${WARC}.open`));
  assert.deepEqual(await problemsOf(folder), []);
  await rename(join(folder, `${WARC}.open`), join(folder, WARC));
  assert.deepEqual(await problemsOf(folder), []);
});
