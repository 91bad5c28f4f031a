/** Exports and events over real sockets: what the client does not read is not produced. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { SiteReader } from "../../src/site/store/reader.ts";
import { tableSite } from "../site/table-site.ts";
import { serveBigCrawl } from "./big-crawl.ts";
import { startServing } from "./serving.ts";

const URLS = 60_000;

const world = serveBigCrawl(URLS);

/** Counts rows that exports read, and waits for their readers to be closed. */
function watchReaders(t: { after(end: () => void): void }) {
  const { each, close } = SiteReader.prototype;
  const watched = { rows: 0, closed: Promise.withResolvers<void>() };
  SiteReader.prototype.each = function* (this: SiteReader, ...given) {
    for (const row of each.apply(this, given)) {
      watched.rows++;
      yield row;
    }
  };
  SiteReader.prototype.close = function (this: SiteReader) {
    close.apply(this);
    watched.closed.resolve();
  };
  t.after(() => Object.assign(SiteReader.prototype, { each, close }));
  return watched;
}

const download = async (path: string): Promise<IncomingMessage> => {
  const { url, token } = world.serving.server;
  const headers = { authorization: `Bearer ${token}` };
  const [response] = await once(get(`${url}/api/v1${path}`, { headers }), "response");
  return response as IncomingMessage;
};

test("an export arrives complete, with a file name", async (t) => {
  const watched = watchReaders(t);
  const response = await world.serving.fetch(`/api/v1/crawls/${world.id}/export?fields=url,status&filter=status%3D404`);
  const name = response.headers.get("content-disposition")!;
  assert.match(name, /^attachment; filename="[a-z0-9.-]+-urls-\d{4}-\d\d-\d\d\.csv"; filename\*=UTF-8''/);
  assert.match(response.headers.get("content-type")!, /^text\/csv/);
  assert.equal((await response.text()).trimEnd().split("\n").length, URLS / 10 + 1);
  await watched.closed.promise;
  assert.equal(watched.rows, URLS / 10);
});

test("a client that leaves ends the reading", async (t) => {
  const watched = watchReaders(t);
  const response = await download(`/crawls/${world.id}/export?format=jsonl`);
  await once(response, "data");
  response.destroy();
  await watched.closed.promise;
  assert.ok(watched.rows < URLS / 2, String(watched.rows));
});

test("HEAD reads no rows beyond the first, and releases them", async (t) => {
  const watched = watchReaders(t);
  const response = await world.serving.fetch(`/api/v1/crawls/${world.id}/export`, { method: "HEAD" });
  assert.equal(response.status, 200);
  await watched.closed.promise;
  assert.ok(watched.rows < 1_000, String(watched.rows));
});

test("an event reader that never reads is disconnected", async () => {
  const { server, app } = world.serving;
  const socket = connect(server.port, "127.0.0.1");
  socket.pause();
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`);
  // The server's side of the stream is open once the metrics count it.
  const readers = async () =>
    /^trawl_event_readers (\d+)$/m.exec(await (await world.serving.fetch("/metrics")).text())?.[1];
  while ((await readers()) !== "1") await new Promise(setImmediate);
  const closed = once(socket, "close");
  socket.on("error", () => {});
  // More than the sockets' own buffers hold. Between rounds the server may write.
  for (let round = 0; (await readers()) === "1" && round < 2_000; round++) {
    for (let count = 0; count < 500; count++) app.events.emit({ type: "crawl:progress", crawlId: 1, projectId: 1 });
  }
  assert.equal(await readers(), "0");
  socket.resume();
  await closed;
});

test("an export of a small crawl with large expressions is read in another process, and is whole", async (t) => {
  const serving = await startServing();
  t.after(() => serving.close());
  const site = await tableSite(t, { "/": "<title>home</title>" });
  const { crawlId } = await serving.crawl({ url: site.url, settings: { discovery: ["spider"] } });
  const export_ = async (filter: string) => {
    const path = `/api/v1/crawls/${crawlId}/export?format=jsonl&fields=url&filter=${encodeURIComponent(filter)}`;
    const response = await serving.fetch(path);
    return [response.status, await response.text()];
  };
  const whole = [200, `${JSON.stringify({ url: site.url })}\n`];
  const watched = watchReaders(t);
  assert.deepEqual(await export_("title=~^home"), whole);
  assert.equal(watched.rows, 1, "a small one is read here");
  assert.deepEqual(await export_(`title=~^home|${"(a|b)*c".repeat(300)}`), whole);
  assert.equal(watched.rows, 1);
});
