import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopeOptions } from "./scope.ts";
import { createScope } from "./scope.ts";

function verdictOf(url: string, options: Partial<ScopeOptions>): string {
  const defaults = {
    startUrls: ["https://www.site.example/"],
    subdomains: false,
    startFolder: false,
    include: [],
    exclude: [],
  };
  const { internal, inScope, reason, rule } = createScope({ ...defaults, ...options }).classify(url);
  assert.equal(inScope, reason === null);
  return inScope ? "in" : `${internal ? "internal" : "external"} ${reason}: ${rule}`;
}

test("the site is its host, with and without www, under both schemes", () => {
  const outside = "external external: hosts: www.site.example";
  assert.equal(verdictOf("https://www.site.example/a", {}), "in");
  assert.equal(verdictOf("http://site.example/a", {}), "in");
  assert.equal(verdictOf("https://blog.site.example/", {}), outside);
  assert.equal(verdictOf("https://site.example:8080/", {}), outside);
  assert.equal(verdictOf("https://other.example/", {}), outside);
  assert.equal(verdictOf("https://site.example.evil.com/", {}), outside);
});

test("subdomains: one registrable domain, where there is one", () => {
  const on = { subdomains: true };
  assert.equal(verdictOf("https://a.b.site.example/", on), "in");
  assert.match(verdictOf("https://notsite.example/", on), /^external/);
  assert.match(verdictOf("https://b.co.uk/", { ...on, startUrls: ["https://a.co.uk/"] }), /^external/);
  assert.equal(verdictOf("https://x.a.co.uk/", { ...on, startUrls: ["https://a.co.uk/"] }), "in");
  assert.match(verdictOf("https://you.github.io/", { ...on, startUrls: ["https://me.github.io/"] }), /^external/);
  assert.equal(verdictOf("http://127.0.0.1:81/x", { ...on, startUrls: ["http://127.0.0.1:81/"] }), "in");
  assert.match(verdictOf("http://127.0.0.2:81/", { ...on, startUrls: ["http://127.0.0.1:81/"] }), /^external/);
  assert.match(verdictOf("http://localhost:82/", { ...on, startUrls: ["http://localhost:81/"] }), /^external/);
  assert.equal(verdictOf("http://[::1]:81/x", { ...on, startUrls: ["http://[::1]:81/"] }), "in");
});

test("subdomains: on the same port, where the default port of either scheme is the host alone", () => {
  const on = { subdomains: true, startUrls: ["http://site.example:8080/"] };
  assert.equal(verdictOf("https://a.site.example:8080/", on), "in");
  assert.match(verdictOf("http://site.example:9090/", on), /^external/);
  assert.match(verdictOf("http://a.site.example/", on), /^external/);
  assert.match(verdictOf("http://a.site.example:8080/", { subdomains: true }), /^external/);
});

test("the start folder", () => {
  const inside = (start: string, url: string) => verdictOf(url, { startFolder: true, startUrls: [start] });
  for (const start of ["/docs/", "/docs", "/docs/index.html"]) {
    assert.equal(inside(`https://e.example${start}`, "https://www.e.example/docs/a/b"), "in", start);
    assert.equal(inside(`https://e.example${start}`, "https://e.example/docs?x"), "in", start);
    assert.equal(
      inside(`https://e.example${start}`, "https://e.example/docs2"),
      "internal outside_folder: folders: /docs/",
    );
    assert.equal(inside(`https://e.example${start}`, "https://e.example/"), "internal outside_folder: folders: /docs/");
  }
  assert.equal(inside("https://e.example/", "https://e.example/any"), "in");
  const two = { startFolder: true, subdomains: true, startUrls: ["https://e.example/a/", "https://e.example/b/"] };
  assert.equal(verdictOf("https://e.example/b/x", two), "in");
  assert.equal(verdictOf("https://other.e.example/c", two), "in");
});

test("patterns: exclude first, then include, each named", () => {
  const options = { include: ["/blog/*", "/docs/*"], exclude: ["*.pdf", "/draft-\\d+/"] };
  assert.equal(verdictOf("https://site.example/blog/a", options), "in");
  assert.equal(verdictOf("https://site.example/blog/a.pdf", options), "internal excluded: *.pdf");
  assert.equal(verdictOf("https://site.example/docs/draft-12", options), "internal excluded: /draft-\\d+/");
  assert.equal(verdictOf("https://site.example/", options), "internal not_included: include: /blog/*, /docs/*");
  assert.match(verdictOf("https://other.example/blog/a", options), /^external external/);
  assert.throws(() => verdictOf("https://site.example/", { exclude: ["/(?=x)/"] }), { code: "BAD_CONFIG" });
});

test("more hosts than are remembered", () => {
  const scope = createScope({
    startUrls: ["https://e.example/"],
    subdomains: true,
    startFolder: false,
    include: [],
    exclude: [],
  });
  for (let index = 0; index < 10_000; index++) assert.ok(!scope.classify(`https://h${index}.test/`).internal);
  assert.ok(scope.classify("https://e.example/").internal);
});
