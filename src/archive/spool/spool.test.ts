import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { DiscoveriesWriter } from "./discoveries-writer.ts";
import {
  type Bookmark,
  type Discovery,
  formatDiscovery,
  parseDiscovery,
  readBookmark,
  readSpool,
  writeBookmark,
} from "./spool-files.ts";
import { makeRoom } from "./spool-room.ts";

function folderFor(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "trawl-spool-"));
  t.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, "spool");
  mkdirSync(folder);
  return folder;
}

const foldersOf = (spool: string) => ({ spool, spoolSums: join(spool, "../sums") });

const found = (number: number): Discovery => ({
  url: `https://github.com/o/r-${number}`,
  page_type: "repo_root",
  depth: 1,
  referrer: null,
  discovered_at: 1,
});

async function urlsOf(folder: string, from: Bookmark): Promise<{ urls: (string | null)[]; end: Bookmark }> {
  const urls: (string | null)[] = [];
  let end = from;
  for await (const { discovery, next } of readSpool(folder, from)) {
    urls.push(discovery?.url ?? null);
    end = next;
  }
  return { urls, end };
}

const START: Bookmark = { file: null, offset: 0 };

test("discoveries come back in order over rotated files, from any bookmark", async (t) => {
  const folder = folderFor(t);
  const clock = new FakeClock(1_700_000_000_000);
  const writer = await DiscoveriesWriter.open(foldersOf(folder), { rotateBytes: 300, budgetBytes: 1e9 }, clock);
  for (let number = 0; number < 20; number += 2) assert.ok(writer.add([found(number), found(number + 1)]));
  await writer.close();
  const names = readdirSync(folder).sort();
  assert.equal(names[0], "discoveries-1700000000.jsonl");
  assert.ok(names.length > 5, "rotated by size, within one second too");
  for (const name of names) assert.ok(readFileSync(join(folder, name)).length <= 300);
  const all = Array.from({ length: 20 }, (_, number) => found(number).url);
  const { urls } = await urlsOf(folder, START);
  assert.deepEqual(urls, all);
  let read = 0;
  for await (const { next } of readSpool(folder, START)) {
    read++;
    assert.deepEqual((await urlsOf(folder, next)).urls, all.slice(read));
  }
});

test("a writer that starts again begins a file behind the last one, whatever the clock says", async (t) => {
  const folder = folderFor(t);
  writeFileSync(join(folder, "discoveries-1800000000.jsonl"), "");
  const writer = await DiscoveriesWriter.open(
    foldersOf(folder),
    { rotateBytes: 300, budgetBytes: 1e9 },
    new FakeClock(0),
  );
  writer.add([found(1)]);
  await writer.close();
  assert.deepEqual(readdirSync(folder).sort(), ["discoveries-1800000000.jsonl", "discoveries-1800000001.jsonl"]);
});

test("over the budget, the spool is full until room is made; what is added in the meantime is not lost", async (t) => {
  const folder = folderFor(t);
  const clock = new FakeClock(1_700_000_000_000);
  const writer = await DiscoveriesWriter.open(foldersOf(folder), { rotateBytes: 1e6, budgetBytes: 200 }, clock);
  let told = 0;
  writer.onFull = () => told++;
  assert.ok(writer.add([found(1)]));
  assert.ok(!(await writer.measure()));
  assert.ok(!writer.add([found(2)]), "that is more than the budget");
  assert.ok(!writer.add([found(3)]));
  assert.equal(told, 2);
  await writer.flush();
  assert.ok(await writer.measure());
  assert.deepEqual(
    (await urlsOf(folder, START)).urls,
    [1, 2, 3].map((number) => found(number).url),
  );
  const names = readdirSync(folder).sort();
  assert.equal(readFileSync(join(folder, names.at(-1)!)).length, 0, "the last file can stay when room is made");
  for (const name of names.slice(0, -1)) rmSync(join(folder, name));
  assert.ok(!(await writer.measure()), "there is room again");
  assert.ok(writer.add([found(4)]));
  await writer.close();
  assert.deepEqual((await urlsOf(folder, START)).urls, [found(4).url]);
});

test("a spool that is full at the start has an empty last file too", async (t) => {
  const folder = folderFor(t);
  writeFileSync(join(folder, "discoveries-1.jsonl"), formatDiscovery(found(1)));
  const writer = await DiscoveriesWriter.open(
    foldersOf(folder),
    { rotateBytes: 1e6, budgetBytes: 10 },
    new FakeClock(5_000),
  );
  assert.ok(writer.isFull);
  assert.deepEqual(readdirSync(folder).sort(), ["discoveries-1.jsonl", "discoveries-5.jsonl"]);
  await writer.close();
});

const room = (folder: string, bookmark: Bookmark, isOver: (file: string) => boolean = () => true) =>
  makeRoom({ folders: foldersOf(folder), bookmark, isOver, budgetBytes: 300 });

test("room is made from files that were read and whose pages are over, oldest first; the last file stays", async (t) => {
  const folder = folderFor(t);
  const [first, second, third, last] = [1, 2, 3, 4].map((number) => `discoveries-${number}.jsonl`) as [
    string,
    string,
    string,
    string,
  ];
  for (const file of [first, second, third]) writeFileSync(join(folder, file), formatDiscovery(found(1)));
  writeFileSync(join(folder, last), "");
  const { size } = statSync(join(folder, third));
  assert.deepEqual(
    await makeRoom({ folders: foldersOf(folder), bookmark: START, isOver: () => true, budgetBytes: 1e6 }),
    [],
  );
  assert.deepEqual(await room(folder, START), [], "nothing was read");
  assert.deepEqual(await room(folder, { file: last, offset: 0 }, (file) => file !== first), [], "in order only");
  assert.deepEqual(await room(folder, { file: second, offset: 0 }), [first], "the second one is still being read");
  writeFileSync(join(folder, first), formatDiscovery(found(1)));
  appendFileSync(join(folder, third), '{"url":"torn');
  assert.deepEqual(await room(folder, { file: third, offset: size }), [first, second]);
  assert.deepEqual(readdirSync(folder).sort(), [third, last]);
});

test("a bookmark in the middle of a line, or behind the end, means that the file is read from its beginning", async (t) => {
  const folder = folderFor(t);
  writeFileSync(join(folder, "discoveries-1.jsonl"), formatDiscovery(found(1)) + formatDiscovery(found(2)));
  for (const offset of [5, 10_000]) {
    assert.equal((await urlsOf(folder, { file: "discoveries-1.jsonl", offset })).urls.length, 2);
  }
});

test("a line that is still being written is left alone; a damaged one is skipped", async (t) => {
  const folder = folderFor(t);
  const path = join(folder, "discoveries-1.jsonl");
  writeFileSync(path, `${formatDiscovery(found(1))}{"url":3}\n${formatDiscovery(found(2)).slice(0, 20)}`);
  const first = await urlsOf(folder, START);
  assert.deepEqual(first.urls, [found(1).url, null]);
  appendFileSync(path, formatDiscovery(found(2)).slice(20));
  assert.deepEqual((await urlsOf(folder, first.end)).urls, [found(2).url]);
  assert.deepEqual((await urlsOf(folder, { file: "discoveries-gone.jsonl", offset: 9 })).urls.length, 3);
});

test("a bookmark survives, and a damaged one means from the start", async (t) => {
  const path = join(folderFor(t), "state", "spool_bookmark.json");
  const notices: string[] = [];
  const read = () => readBookmark(path, (text) => notices.push(text));
  assert.deepEqual(await read(), START);
  await writeBookmark(path, { file: "discoveries-123.jsonl", offset: 4567 });
  assert.equal(readFileSync(path, "utf8"), '{"file":"discoveries-123.jsonl","offset":4567}');
  assert.deepEqual(await read(), { file: "discoveries-123.jsonl", offset: 4567 });
  assert.deepEqual(notices, []);
  for (const damage of ["", "{", "[]", '{"file":1,"offset":2}', '{"file":"a","offset":-1}']) {
    writeFileSync(path, damage);
    assert.deepEqual(await read(), START);
  }
  assert.equal(notices.length, 5);
});

test("reading a line never throws, and a written line reads back unchanged", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      parseDiscovery(Buffer.from(bytes));
    }),
  );
  const fields = {
    url: fc.string(),
    page_type: fc.string(),
    depth: fc.nat(),
    referrer: fc.option(fc.string()),
    discovered_at: fc.nat(),
  };
  const discovery = fc.record(fields, { noNullPrototype: true });
  fc.assert(
    fc.property(discovery, (one) => {
      assert.deepEqual(parseDiscovery(Buffer.from(formatDiscovery(one).trimEnd())), one);
    }),
  );
});
