import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ExchangeReport } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { openTrace, withoutSecretHeaders } from "./request-trace.ts";

const REPORT: ExchangeReport = {
  startedAt: 0,
  method: "GET",
  url: "https://example.com/a",
  requestHeaders: [["accept", "*/*"]],
  requestBytes: 0,
  isSent: true,
  httpVersion: "2",
  status: 200,
  statusText: "",
  responseHeaders: [["content-type", "text/html"]],
  wireBytes: 10,
  decodedBytes: 30,
  truncated: "length",
  timings: { dns: 1, connect: 2, tls: 3, firstByte: 4, download: 5, total: 16 },
  remoteAddress: "192.0.2.1",
  error: null,
};

test("credentials, cookies and the secret headers of the settings are hidden; all others are shown", () => {
  const seen: ExchangeReport[] = [];
  const observe = withoutSecretHeaders((report) => seen.push(report), { "X-KEY": "1", "Accept-Language": "de" });
  const names = ["authorization", "proxy-authorization", "cookie", "x-key", "accept-language", "user-agent"];
  observe({
    ...REPORT,
    requestHeaders: names.map((name) => [name, "value"]),
    responseHeaders: [
      ["set-cookie", "value"],
      ["etag", "value"],
    ],
  });
  const shown = [...seen[0]!.requestHeaders, ...seen[0]!.responseHeaders].filter(([, value]) => value === "value");
  assert.deepEqual(
    shown.map(([name]) => name),
    ["accept-language", "user-agent", "etag"],
  );
});

test("a HAR file is valid after every entry", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-trace-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "trace.HAR");
  const read = () => JSON.parse(readFileSync(path, "utf8")).log.entries;
  const { onExchange, close } = openTrace(path, { version: "1.0.0", onProblem: assert.fail });
  assert.deepEqual(read(), []);
  onExchange(REPORT);
  const [entry] = read();
  assert.equal(entry.startedDateTime, "1970-01-01T00:00:00.000Z");
  assert.deepEqual(entry.timings, { blocked: 1, dns: 1, connect: 5, ssl: 3, send: 0, wait: 4, receive: 5 });
  assert.deepEqual(entry.response.content, {
    size: 30,
    compression: 20,
    mimeType: "text/html",
    comment: "incomplete: length",
  });
  const unsent = { dns: 0, connect: 0, tls: 0, firstByte: 0, download: 0, total: 7 };
  onExchange({ ...REPORT, status: null, isSent: false, timings: unsent, error: new FetchError("connect_refused") });
  const [, failed] = read();
  assert.deepEqual([failed.response.status, failed.response._error], [0, "connect_refused"]);
  assert.deepEqual(failed.timings, { blocked: 7, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0 });
  close();
  onExchange(REPORT);
  assert.equal(read().length, 2);
});
