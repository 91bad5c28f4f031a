import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFile, cp, readdir, readFile, rename, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { temporaryFolder } from "../../../storage/testing/files.ts";
import { readWarc, START, sampleCapture, warcWriter } from "../testing/captures.ts";
import { checkDigests } from "../testing/readers.ts";
import { parseCdxj } from "./cdxj.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const BASE = "trawl-20250112100000-00001";

const indexIn = async (folder: string, base = BASE) =>
  (await readFile(join(folder, `${base}.cdxj`), "utf8"))
    .split("\n")
    .slice(0, -1)
    .map((line) => parseCdxj(line)!);

test("request and response are written, and an independent reader reads them", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = await warcWriter(folder);
  const html = "<title>héllo</title>";
  const headers: [string, string][] = [
    ["content-type", "text/html"],
    ["content-encoding", "br"],
    ["content-length", "9"],
  ];
  await writer.write(sampleCapture(html, { response: { headers, httpVersion: "2", statusText: "" } }));
  await writer.write(
    sampleCapture("gone", { url: "https://github.com/gone", response: { status: 404, statusText: "Not Found" } }),
  );
  await writer.write(
    sampleCapture("", { url: "https://github.com/old", response: { status: 301, headers: [["location", "/new"]] } }),
  );
  await writer.close();

  assert.deepEqual((await readdir(folder)).sort(), [`${BASE}.cdxj`, `${BASE}.warc.gz`]);
  const records = await readWarc(join(folder, `${BASE}.warc.gz`));
  assert.deepEqual(
    records.map(({ type }) => type),
    ["warcinfo", "request", "response", "request", "response", "request", "response"],
  );
  const [info, request, response, , missing, , redirect] = records;
  assert.match(info!.payload, /^format: WARC File Format 1.1\r\nconformsTo: .*\r\nsoftware: Trawl\/test\r\n$/);
  assert.equal(info!.header("WARC-Filename"), `${BASE}.warc.gz`);
  assert.equal(request!.header("WARC-Concurrent-To"), response!.header("WARC-Record-ID"));
  assert.equal(response!.header("WARC-Target-URI"), "https://github.com/o/r");
  assert.equal(response!.header("WARC-Date"), "2025-01-12T10:00:00Z");
  assert.equal(response!.header("WARC-IP-Address"), "192.0.2.1");
  assert.equal(response!.header("WARC-Protocol"), "h2");
  assert.equal(response!.header("WARC-Payload-Digest"), `sha256:${sha256(html)}`);
  assert.equal(response!.status, "HTTP/1.1 200 OK");
  assert.equal(response!.payload, html);
  assert.equal(response!.httpHeader("content-encoding"), null);
  assert.equal(response!.httpHeader("x-orig-content-encoding"), "br");
  assert.equal(response!.httpHeader("content-length"), String(Buffer.byteLength(html)));
  assert.deepEqual([missing!.status, missing!.payload], ["HTTP/1.1 404 Not Found", "gone"]);
  assert.equal(redirect!.httpHeader("location"), "/new");
  assert.equal(new Set(records.map((record) => record.header("WARC-Record-ID"))).size, 7);
});

test("the index is sorted, and each of its lines cuts one record out of the file", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = await warcWriter(folder);
  const urls = ["https://github.com/z", "https://github.com/a", "https://github.com/a/b", "https://example.com/"];
  await Promise.all(urls.map((url) => writer.write(sampleCapture(`page ${url}`, { url }))));
  await writer.close();
  const index = await indexIn(folder);
  assert.deepEqual(
    index.map(({ key }) => key),
    ["com,example)/", "com,github)/a", "com,github)/a/b", "com,github)/z"],
  );
  const file = await readFile(join(folder, `${BASE}.warc.gz`));
  for (const { entry, timestamp } of index) {
    const offset = Number(entry.offset);
    const record = gunzipSync(file.subarray(offset, offset + Number(entry.length))).toString();
    assert.match(record, /^WARC\/1\.1\r\nWARC-Type: response\r\n/);
    assert.ok(record.endsWith(`page ${entry.url}\r\n\r\n`));
    assert.deepEqual([timestamp, entry.mime, entry.status], ["20250112100000", "text/html", "200"]);
    assert.equal(entry.digest, `sha256:${sha256(`page ${entry.url}`)}`);
    assert.equal(entry.filename, `${BASE}.warc.gz`);
  }
});

test("a page that is there already, or unchanged, becomes a revisit of the record that has it", async (t) => {
  const folder = await temporaryFolder(t);
  const first = await warcWriter(folder);
  await first.write(sampleCapture("same", { url: "https://github.com/one" }));
  const twin = await first.write(sampleCapture("same", { url: "https://github.com/two", at: START + 60_000 }));
  assert.equal(twin.type, "revisit");
  await first.close();

  // Another run: what the finished files hold is known.
  const second = await warcWriter(folder, { now: () => START + 3_600_000 });
  const not = {
    status: 304,
    statusText: "Not Modified",
    body: Buffer.alloc(0),
    headers: [["etag", '"1"']] as [string, string][],
  };
  const unchangedSha256 = sha256("same");
  const url = "https://github.com/two";
  await second.write(sampleCapture("", { url, at: START + 3_600_000, response: not, unchangedSha256 }));
  const unknown = await second.write(sampleCapture("", { response: not, unchangedSha256: sha256("never archived") }));
  assert.equal(unknown.type, "response", "a 304 of a page that no WARC has can refer to nothing");
  const error = await second.write(sampleCapture("same", { response: { status: 404 } }));
  assert.equal(error.type, "response");
  const empty = [await second.write(sampleCapture("")), await second.write(sampleCapture(""))];
  assert.deepEqual(
    empty.map(({ type }) => type),
    ["response", "response"],
  );
  await second.close();

  const [, , original, , duplicate] = await readWarc(join(folder, `${BASE}.warc.gz`));
  const [, , unchanged] = await readWarc(join(folder, "trawl-20250112110000-00001.warc.gz"));
  for (const [record, profile] of [
    [duplicate!, "identical-payload-digest"],
    [unchanged!, "server-not-modified"],
  ] as const) {
    assert.equal(record.type, "revisit");
    assert.equal(record.header("WARC-Profile"), `http://netpreserve.org/warc/1.1/revisit/${profile}`);
    assert.equal(record.header("WARC-Refers-To"), original!.header("WARC-Record-ID"));
    assert.equal(record.header("WARC-Refers-To-Target-URI"), "https://github.com/one");
    assert.equal(record.header("WARC-Refers-To-Date"), "2025-01-12T10:00:00Z");
    assert.equal(record.header("WARC-Payload-Digest"), `sha256:${sha256("same")}`);
    assert.equal(record.header("WARC-Target-URI"), url);
    assert.equal(record.payload, "");
  }
  assert.equal(unchanged!.status, "HTTP/1.1 304 Not Modified");
  assert.deepEqual(
    (await indexIn(folder)).map(({ entry }) => entry.mime),
    ["text/html", "warc/revisit"],
  );
});

test("a new file is started before one exceeds its size, and every capture is in one of them", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = await warcWriter(folder, { maxBytes: 4000 });
  const urls = Array.from({ length: 20 }, (_, index) => `https://github.com/${index}`);
  await Promise.all(urls.map((url) => writer.write(sampleCapture(`page ${url}`, { url }))));
  await writer.close();
  const names = (await readdir(folder)).filter((name) => name.endsWith(".warc.gz"));
  assert.ok(names.length > 3);
  const seen: (string | null)[] = [];
  for (const name of names) {
    assert.ok((await stat(join(folder, name))).size < 5000);
    const records = await readWarc(join(folder, name));
    assert.equal(records[0]!.type, "warcinfo");
    for (const record of records) if (record.type === "response") seen.push(record.header("WARC-Target-URI"));
  }
  assert.deepEqual(seen.sort(), urls.sort());
  assert.ok((await readdir(folder)).every((name) => !name.endsWith(".open")));
});

test("after a crash the file ends with its last indexed record and is completed; no empty file is started", async (t) => {
  const [live, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const writer = await warcWriter(live);
  await writer.write(sampleCapture("one", { url: "https://github.com/one" }));
  const whole = (await stat(join(live, `${BASE}.warc.gz.open`))).size;
  await writer.write(sampleCapture("two", { url: "https://github.com/two" }));
  // The crash: half of the second record reached the disk, and half of its index line.
  await cp(live, folder, { recursive: true });
  await writer.close();
  const index = join(folder, `${BASE}.cdxj.open`);
  await truncate(join(folder, `${BASE}.warc.gz.open`), whole + 40);
  await truncate(index, (await readFile(index)).indexOf("\n") + 10);

  const notices: string[] = [];
  const again = await warcWriter(folder, { onNotice: (text) => notices.push(text) });
  assert.match(notices.join(), /40 bytes/);
  assert.deepEqual((await readdir(folder)).sort(), [`${BASE}.cdxj`, `${BASE}.warc.gz`]);
  assert.deepEqual(
    (await readWarc(join(folder, `${BASE}.warc.gz`))).map(({ type }) => type),
    ["warcinfo", "request", "response"],
  );
  const revisit = await again.write(sampleCapture("one", { url: "https://github.com/three" }));
  assert.deepEqual([revisit.type, revisit.file], ["revisit", "trawl-20250112100000-00002.warc.gz"]);
  await again.close();
  await (await warcWriter(folder)).close();
  assert.equal((await readdir(folder)).length, 4);
});

test("recovers from a crash at any step of finishing", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = await warcWriter(folder);
  await writer.write(sampleCapture("one"));
  await writer.close();
  const warc = join(folder, `${BASE}.warc.gz`);
  const index = await readFile(join(folder, `${BASE}.cdxj`));
  // The sorted index is there, the WARC still open; then only the open index is left over.
  await appendFile(join(folder, `${BASE}.cdxj.open`), index);
  await rename(warc, `${warc}.open`);
  await (await warcWriter(folder)).close();
  await appendFile(join(folder, `${BASE}.cdxj.open`), index);
  await (await warcWriter(folder)).close();
  assert.deepEqual((await readdir(folder)).sort(), [`${BASE}.cdxj`, `${BASE}.warc.gz`]);
  assert.deepEqual(await readFile(join(folder, `${BASE}.cdxj`)), index);
  assert.equal((await readWarc(warc)).length, 3);
});

test("an independent reader finds every digest right", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = await warcWriter(folder);
  for (const html of ["<p>one", "<p>two é", "<p>one", ""]) await writer.write(sampleCapture(html));
  const cut = sampleCapture("<p>cut", { response: { truncated: "length" } });
  await writer.write(cut);
  await writer.close();
  const warc = join(folder, `${BASE}.warc.gz`);
  assert.deepEqual(checkDigests(warc), { right: 15, elsewhere: 1 });
});
