import assert from "node:assert/strict";
import { test } from "node:test";
import { type PageReading, readPage } from "./extract-page.ts";
import { DEFAULT_PAGE_OPTIONS } from "./options.ts";
import { pageLinkObjects } from "./page-content.ts";
import { PageReaders } from "./page-readers.ts";

const FILLER = "<p>some words of a long page</p>".repeat(400);
const PAGES: Record<string, [body: Buffer, contentType: string | null]> = {
  "UTF-8": [Buffer.from(`<title>Ünïcode 😀</title><a href=/a>ä</a><img src=b.png alt="Bïld">${FILLER}`), "text/html"],
  "a byte order mark": [Buffer.from(`\uFEFF<title>Mark</title><a href="/b?x=1&amp;y=2">b</a>${FILLER}`), null],
  "another encoding": [
    Buffer.from(`<title>Gr\xfc\xdfe</title><a href=/\xfc>\xfc</a>${FILLER}`, "latin1"),
    "text/html; charset=iso-8859-1",
  ],
  "no links": [Buffer.from(`<title>None</title>${FILLER}`), "text/html"],
};

/** A reading as plain values. */
function facts({ utf8, charset, source, content: { links, ...content } }: PageReading) {
  return { html: utf8.toString(), charset, source, content, links: pageLinkObjects(links) };
}

/** Reads pages until a thread was started: it is looked for every 8 pages. */
async function busyReaders(more: Partial<ConstructorParameters<typeof PageReaders>[0]> = {}): Promise<PageReaders> {
  const readers = new PageReaders({ page: DEFAULT_PAGE_OPTIONS, threads: 1, load: () => 1, ...more });
  for (let page = 0; page < 7; page++) await readers.read(Buffer.from("<p>"), null);
  return readers;
}

for (const [name, [body, contentType]] of Object.entries(PAGES)) {
  test(`a page with ${name} says the same, read here or in a thread`, async () => {
    const readers = await busyReaders();
    const reading = readers.read(body, contentType);
    assert.ok(reading instanceof Promise, "it was sent to the thread");
    assert.deepEqual(facts(await reading), facts(readPage(body, contentType, DEFAULT_PAGE_OPTIONS)));
    await readers.close();
  });
}

test("a part of a larger buffer is sent as that part", async () => {
  const readers = await busyReaders();
  const [body] = PAGES["UTF-8"]!;
  const part = Buffer.concat([Buffer.alloc(1_000, "x"), body, Buffer.alloc(1_000, "y")]).subarray(1_000, -1_000);
  assert.deepEqual(facts(await readers.read(part, null)), facts(readPage(body, null, DEFAULT_PAGE_OPTIONS)));
  await readers.close();
});

test("answers come to whom they belong, however many wait", async () => {
  const readers = await busyReaders();
  const titles = Array.from({ length: 300 }, (_, page) => `Page ${page}`);
  const readings = await Promise.all(
    titles.map((title) => readers.read(Buffer.from(`<title>${title}</title>${FILLER}`), null)),
  );
  assert.deepEqual(
    readings.map(({ content }) => content.facts.title),
    titles,
  );
  await readers.close();
});

test("a crawl that waits for its servers starts no thread, nor one with a single processor", async () => {
  for (const more of [{ load: () => 0.5 }, { threads: 0 }]) {
    const readers = await busyReaders(more);
    for (let page = 0; page < 100; page++) {
      assert.ok(!(readers.read(PAGES["UTF-8"]![0], null) instanceof Promise));
    }
    await readers.close();
  }
});

test("small pages are read here", async () => {
  const readers = await busyReaders();
  assert.ok(!(readers.read(Buffer.from("<title>small</title>"), null) instanceof Promise));
  await readers.close();
});

test("what a failing thread was to read is read here, and so is all that comes later", async () => {
  const thread = new URL("data:text/javascript,process.exit(1)");
  const readers = await busyReaders({ thread });
  const [body] = PAGES["UTF-8"]!;
  const readings = await Promise.all([readers.read(body, null), readers.read(body, null)]);
  for (const reading of readings) assert.equal(reading.content.facts.title, "Ünïcode 😀");
  for (let page = 0; page < 64; page++) assert.ok(!(readers.read(body, null) instanceof Promise));
  await readers.close();
});

test("closing reads what waits", async () => {
  const readers = await busyReaders();
  const [body] = PAGES["UTF-8"]!;
  const readings = [readers.read(body, null), readers.read(body, null), readers.read(body, null)];
  await readers.close();
  for (const reading of await Promise.all(readings)) assert.equal(reading.content.facts.title, "Ünïcode 😀");
});
