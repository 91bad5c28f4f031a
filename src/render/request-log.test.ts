import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Protocol } from "puppeteer-core";
import { RequestLog } from "./request-log.ts";

function setup() {
  const clock = { now: 0 };
  const log = new RequestLog(() => clock.now, 5_000);
  const begin = (
    requestId: string,
    type: Protocol.Network.ResourceType,
    url = `https://a.test/${requestId}`,
    status = 0,
  ) =>
    log.began({
      requestId,
      type,
      request: { url, method: "GET", headers: {} },
      ...(status ? { redirectResponse: { status } } : {}),
    } as unknown as Protocol.Network.RequestWillBeSentEvent);
  return { clock, log, begin };
}

describe("RequestLog", () => {
  it("lists each request with its outcome", () => {
    const { log, begin } = setup();
    begin("1", "Script");
    begin("2", "Fetch");
    log.answered("1", { status: 200 });
    log.finished("1");
    log.failed("2", "net::ERR_FAILED");
    assert.deepEqual(
      log.requests.map(({ type, status, failed }) => [type, status, failed]),
      [
        ["script", 200, null],
        ["fetch", null, "net::ERR_FAILED"],
      ],
    );
    assert.deepEqual([log.pending, log.traffic], [0, 4]);
  });

  it("gives every hop of a redirect its own line", () => {
    const { log, begin } = setup();
    begin("1", "Script", "https://a.test/old");
    begin("1", "Script", "https://a.test/new", 302);
    log.answered("1", { status: 200 });
    assert.deepEqual(
      log.requests.map(({ url, status }) => [url, status]),
      [
        ["https://a.test/old", 302],
        ["https://a.test/new", 200],
      ],
    );
    assert.equal(log.pending, 1);
  });

  it("marks a blocked request whichever event comes first, and calls it no failure", () => {
    const { log, begin } = setup();
    log.blocked("1", "https://a.test/1");
    begin("1", "Image");
    begin("2", "Image");
    log.blocked("2", "https://a.test/2");
    log.failed("1", "net::ERR_BLOCKED_BY_CLIENT");
    log.failed("2", "net::ERR_BLOCKED_BY_CLIENT");
    assert.ok(log.requests.every((request) => request.blocked && request.failed === null));
  });

  it("marks only the blocked hop of a redirect", () => {
    const { log, begin } = setup();
    begin("1", "Script", "https://a.test/old");
    log.blocked("1", "http://10.0.0.1/");
    begin("1", "Script", "http://10.0.0.1/", 302);
    assert.deepEqual(
      log.requests.map(({ blocked }) => blocked),
      [false, true],
    );
  });

  it("hides requests the page did not make, whichever event comes first", () => {
    const { log, begin } = setup();
    log.hide("1");
    begin("1", "Other");
    begin("2", "Other");
    log.hide("2");
    assert.deepEqual([log.requests.length, log.pending], [0, 0]);
  });

  it("does not wait for streams, sockets, beacons and media", () => {
    const { log, begin } = setup();
    for (const type of ["EventSource", "Ping", "Media"] as const) begin(type, type);
    log.beganSocket({ requestId: "ws", url: "wss://a.test/" });
    assert.deepEqual([log.pending, log.live, log.requests.length], [0, true, 4]);
  });

  it("stops waiting for a long poll", () => {
    const { clock, log, begin } = setup();
    begin("poll", "XHR");
    clock.now = 4_999;
    assert.equal(log.pending, 1);
    clock.now = 5_000;
    assert.equal(log.pending, 0);
  });

  it("leaves out anything but network requests", () => {
    const { log, begin } = setup();
    begin("1", "Image", "data:image/png;base64,AAAA");
    begin("2", "Script", "blob:https://a.test/1-2");
    assert.deepEqual([log.requests.length, log.pending], [0, 0]);
  });

  it("keeps its list short when a page asks without end", () => {
    const { log, begin } = setup();
    for (let id = 0; id < 2_500; id++) {
      begin(String(id), "Fetch");
      log.finished(String(id));
    }
    begin("long", "Fetch", `https://a.test/${"x".repeat(9_000)}`);
    assert.deepEqual([log.requests.length, log.omitted, log.pending], [2_000, 501, 1]);
  });
});
