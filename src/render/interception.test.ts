import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { intercept, type PausedRequest, requestType, withHeaders } from "./interception.ts";

const rules = {
  blockTypes: new Set(["image", "media", "font"]),
  headers: { "X-Key": "secret" },
  origin: "https://a.test",
  url: "https://a.test/page",
  hasCookies: false,
};
const paused = (over: Partial<PausedRequest>): PausedRequest => ({
  url: "https://a.test/x",
  method: "GET",
  resourceType: "Script",
  headers: {},
  mainFrame: true,
  download: false,
  ...over,
});
const action = (over: Partial<PausedRequest>, awaited = false, blockTypes = rules.blockTypes) =>
  intercept(paused(over), awaited, { ...rules, blockTypes }).action;

describe("intercept", () => {
  it("answers the awaited document and leaves no other", () => {
    assert.equal(action({ resourceType: "Document" }, true), "answer");
    assert.equal(action({ resourceType: "Document" }, false), "leave");
    assert.equal(action({ resourceType: "Document", mainFrame: false }, true), "ask");
  });

  it("answers a page that asks for itself again, unless it posts a form", () => {
    const own = { resourceType: "Document", url: rules.url } as const;
    assert.equal(action(own), "reload");
    assert.equal(action({ ...own, method: "POST" }), "leave");
    assert.equal(action({ ...own, url: `${rules.url}?x` }), "leave");
  });

  it("blocks a download, which leads nowhere", () => {
    for (const mainFrame of [true, false]) {
      assert.equal(action({ resourceType: "Document", download: true, mainFrame }), "block");
    }
  });

  it("blocks by type, and hides the icon that only the browser wants", () => {
    for (const resourceType of ["Image", "Media", "Font", "TextTrack"] as const) {
      assert.equal(action({ resourceType }), "block");
    }
    assert.equal(action({ resourceType: "Other", headers: { Accept: "image/avif,*/*" } }), "hide");
    assert.equal(action({ resourceType: "Other" }), "ask");
    assert.equal(action({ resourceType: "XHR" }, false, new Set(["fetch"])), "block");
    assert.equal(action({ resourceType: "Document", mainFrame: false }, false, new Set(["document"])), "block");
  });

  it("blocks prefetches and foreign schemes", () => {
    assert.equal(action({ headers: { "Sec-Purpose": "prefetch" } }), "block");
    assert.equal(action({ headers: { "Sec-Purpose": "prefetch;prerender" } }), "block");
    for (const url of ["file:///etc/passwd", "chrome://version", "ftp://a.test/", "view-source:https://a.test"]) {
      assert.equal(action({ url, mainFrame: false, resourceType: "Document" }), "block");
    }
  });

  it("sends the extra headers to the page's own origin only", () => {
    const headers = (url: string) => {
      const outcome = intercept(paused({ url }), false, rules);
      return outcome.action === "ask" ? outcome.headers : "not asked";
    };
    assert.deepEqual(headers("https://a.test/api"), { "X-Key": "secret" });
    for (const url of ["http://a.test/", "https://a.test:8443/", "https://b.a.test/", "https://a.test.evil/"]) {
      assert.equal(headers(url), null, url);
    }
  });
});

describe("requestType", () => {
  it("names what the result knows, and calls the rest other", () => {
    assert.equal(requestType("Fetch"), "fetch");
    assert.equal(requestType("EventSource"), "other");
    assert.equal(requestType("Ping"), "other");
    assert.equal(requestType(undefined), "other");
  });
});

describe("withHeaders", () => {
  it("replaces whatever the case of the name", () => {
    assert.deepEqual(withHeaders({ Accept: "*/*", "x-key": "old" }, { "X-Key": "new" }), [
      { name: "Accept", value: "*/*" },
      { name: "X-Key", value: "new" },
    ]);
  });
});
