import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { documentResponse } from "./document-response.ts";

const respond = (status: number, headers: [string, string][] = [], body = "x") =>
  documentResponse({ url: "https://a.test/", status, headers, body: Buffer.from(body) });

describe("documentResponse", () => {
  it("drops headers that no longer fit the body or would start more traffic", () => {
    const { responseHeaders } = respond(200, [
      ["Content-Type", "text/html"],
      ["Content-Encoding", "br"],
      ["content-length", "9"],
      ["Content-Disposition", "attachment"],
      ["Speculation-Rules", '"/r.json"'],
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
    ]);
    assert.deepEqual(responseHeaders, [
      { name: "Content-Type", value: "text/html" },
      { name: "Set-Cookie", value: "a=1" },
      { name: "Set-Cookie", value: "b=2" },
    ]);
  });

  it("keeps statuses that show a page and turns the others into 200", () => {
    for (const status of [200, 203, 404, 410, 500, 503]) assert.equal(respond(status).responseCode, status);
    for (const status of [0, 101, 204, 205, 301, 304, 308, 999]) assert.equal(respond(status).responseCode, 200);
  });

  it("keeps every byte of the body, and never sends none", () => {
    assert.equal(respond(200, [], "é<p>").body, Buffer.from("é<p>").toString("base64"));
    assert.equal(respond(404, [], "").body, Buffer.from(" ").toString("base64"));
  });
});
