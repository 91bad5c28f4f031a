import assert from "node:assert/strict";
import { test } from "node:test";
import { type PageReading, readPage } from "../page/extract-page.ts";
import { DEFAULT_PAGE_OPTIONS, type PageOptions } from "../page/options.ts";
import { pageLinkObjects } from "../page/page-content.ts";
import { PageReader, type PageReaderOptions } from "./page-reader.ts";

const FILLER = "<p>some words of a long page</p>".repeat(400);
const PAGES: Record<string, [body: Buffer, contentType: string | null, xml?: boolean]> = {
  "UTF-8": [Buffer.from(`<title>Ünïcode 😀</title><a href=/a>ä</a><img src=b.png alt="Bïld">${FILLER}`), "text/html"],
  "a byte order mark": [Buffer.from(`\uFEFF<title>Mark</title><a href="/b?x=1&amp;y=2">b</a>${FILLER}`), null],
  "another encoding": [
    Buffer.from(`<title>Gr\xfc\xdfe</title><a href=/\xfc>\xfc</a>${FILLER}`, "latin1"),
    "text/html; charset=iso-8859-1",
  ],
  XML: [Buffer.from(`<html><title>X</title><script/><a href="/x">x</a>${FILLER}</html>`), null, true],
  "no links": [Buffer.from(`<title>None</title>${FILLER}`), "text/html"],
};

/** A reading as plain values. */
function values({ utf8, content: { links, ...content }, ...rest }: PageReading) {
  return { html: utf8.toString(), ...rest, content, links: pageLinkObjects(links), isXml: links.source.isXml };
}

/** A reader that has started its thread: it looks every 8 pages whether it should. */
function busyReader(more: Partial<PageReaderOptions> = {}): PageReader {
  const reader = new PageReader({
    ...{ page: DEFAULT_PAGE_OPTIONS, mostBytes: Number.POSITIVE_INFINITY, hasThread: true, load: () => 1 },
    ...more,
  });
  for (let page = 0; page < 8; page++) assert.equal(reader.send(Buffer.from("<p>"), null, false), null);
  return reader;
}

for (const [name, [body, contentType, xml = false]] of Object.entries(PAGES)) {
  test(`a page with ${name} says the same, read here or in the thread`, async () => {
    const reader = busyReader();
    const reading = reader.send(body, contentType, xml);
    assert.ok(reading, "it was sent to the thread");
    assert.deepEqual(values(await reading), values(readPage(body, contentType, { ...DEFAULT_PAGE_OPTIONS, xml })));
    await reader.close();
  });
}

test("a part of a larger buffer is sent as that part", async () => {
  const reader = busyReader();
  const [body] = PAGES["UTF-8"]!;
  const part = Buffer.concat([Buffer.alloc(1_000, "x"), body, Buffer.alloc(1_000, "y")]).subarray(1_000, -1_000);
  assert.deepEqual(
    values(await reader.send(part, null, false)!),
    values(readPage(body, null, { ...DEFAULT_PAGE_OPTIONS, xml: false })),
  );
  await reader.close();
});

test("a page that gets too long in UTF-8 is cut in the thread, too", async () => {
  const [body, contentType] = PAGES["another encoding"]!;
  const mostBytes = body.length / 2;
  const reader = busyReader({ mostBytes });
  const reading = await reader.send(body, contentType, false)!;
  assert.equal(reading.isCut, true);
  assert.ok(reading.utf8.length <= mostBytes);
  await reader.close();
});

test("each answer reaches the page that it belongs to, however many wait", async () => {
  const reader = busyReader();
  const titles = Array.from({ length: 30 }, (_, page) => `Page ${page}`);
  const readings = titles.map((title) => reader.send(Buffer.from(`<title>${title}</title>${FILLER}`), null, false)!);
  assert.deepEqual(
    (await Promise.all(readings)).map(({ content }) => content.facts.title),
    titles,
  );
  await reader.close();
});

test("a crawl that waits for its servers starts no thread, nor does one with a single processor", async () => {
  for (const more of [{ load: () => 0.5 }, { hasThread: false }]) {
    const reader = busyReader(more);
    for (let page = 0; page < 100; page++) assert.equal(reader.send(PAGES["UTF-8"]![0], null, false), null);
    await reader.close();
  }
});

test("small and very large pages are read here, and so is what would have to wait long", async () => {
  const reader = busyReader();
  assert.equal(reader.send(Buffer.from("<title>small</title>"), null, false), null);
  assert.equal(reader.send(Buffer.alloc(1 << 20, "large "), null, false), null);
  const page = Buffer.alloc(200_000, "<p>words</p>");
  const sent = Array.from({ length: 10 }, () => reader.send(page, null, false));
  assert.ok(sent.includes(null));
  await reader.close();
});

test("what a failing thread was to read is read here, and so is all that comes later", async () => {
  const thread = new URL("data:text/javascript,process.exit(1)");
  const reader = busyReader({ thread });
  const [body] = PAGES["UTF-8"]!;
  const readings = await Promise.all([reader.send(body, null, false), reader.send(body, null, false)]);
  for (const reading of readings) assert.equal(reading?.content.facts.title, "Ünïcode 😀");
  for (let page = 0; page < 64; page++) assert.equal(reader.send(body, null, false), null);
  await reader.close();
});

test("a thread that the system refuses is done without", async () => {
  // The constructor throws, as it does when there are too many threads.
  const reader = busyReader({ thread: new URL("http://127.0.0.1/") });
  for (let page = 0; page < 64; page++) assert.equal(reader.send(PAGES["UTF-8"]![0], null, false), null);
  await reader.close();
});

test("a page that cannot be read anywhere fails alone", async () => {
  const thread = new URL("data:text/javascript,process.exit(1)");
  const page = { ...DEFAULT_PAGE_OPTIONS, hash: { algorithm: "no such hash", strip: [] } } as unknown as PageOptions;
  const reader = busyReader({ thread, page });
  await assert.rejects(reader.send(PAGES["UTF-8"]![0], null, false)!);
  await reader.close();
});

test("a thread that does not come back is ended by closing", async () => {
  const thread = new URL("data:text/javascript,for (;;);");
  const reader = busyReader({ thread });
  const reading = reader.send(PAGES["UTF-8"]![0], null, false)!;
  await reader.close();
  assert.equal((await reading).content.facts.title, "Ünïcode 😀");
});

test("closing reads what waits", async () => {
  const reader = busyReader();
  const [body] = PAGES["UTF-8"]!;
  const readings = [1, 2, 3].map(() => reader.send(body, null, false)!);
  await reader.close();
  for (const reading of await Promise.all(readings)) assert.equal(reading.content.facts.title, "Ünïcode 😀");
});
