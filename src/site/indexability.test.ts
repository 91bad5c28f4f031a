import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type IndexabilityFacts, indexabilityOf } from "./indexability.ts";

const plain: IndexabilityFacts = {
  status: 200,
  isUndecodable: false,
  readBytes: null,
  isChallenge: false,
  isHtml: true,
  noindexMeta: null,
  noindexHeader: null,
  refreshElsewhere: null,
  canonicalElsewhere: null,
  forbiddenBy: null,
  redirectsByScript: false,
  soft404: false,
};

const CASES: [name: string, facts: Partial<IndexabilityFacts>, indexable: string, reason: string | null][] = [
  ["a page", {}, "Yes", null],
  ["a page not modified", { status: 304 }, "Yes", null],
  ["an image", { isHtml: false }, "-", null],
  ["no answer", { status: null, isHtml: false }, "No", "no_response"],
  ["a bot check", { status: 403, isChallenge: true, isHtml: false }, "No", "challenge"],
  ["a bot check with 200", { isChallenge: true, isHtml: false }, "No", "challenge"],
  ["a body that cannot be decoded", { isUndecodable: true, isHtml: false }, "No", "undecodable"],
  ["a redirect", { status: 301, isHtml: false }, "No", "redirect"],
  ["300 with choices", { status: 300 }, "No", "redirect"],
  ["not found", { status: 404 }, "No", "client_error"],
  ["gone", { status: 410 }, "No", "client_error"],
  ["server error", { status: 503 }, "No", "server_error"],
  ["a soft 404", { soft404: true }, "No", "soft_404"],
  ["a redirect by script", { redirectsByScript: true }, "No", "redirect"],
  ["a refresh without delay", { refreshElsewhere: "said" }, "No", "redirect"],
  ["forbidden by robots.txt", { forbiddenBy: "said" }, "No", "robots_disallow"],
  ["noindex in the header", { noindexHeader: "said" }, "No", "noindex_header"],
  ["noindex in the page", { noindexMeta: "said" }, "No", "noindex_meta"],
  ["an image with noindex in the header", { isHtml: false, noindexHeader: "said" }, "No", "noindex_header"],
  ["another page is the canonical one", { canonicalElsewhere: "said" }, "No", "canonicalised"],
];

for (const [name, facts, indexable, indexability] of CASES) {
  test(`indexability: ${name}`, () => {
    const evidence = Object.values(facts).includes("said") ? "said" : null;
    const expected = { indexable, indexability, indexability_evidence: evidence };
    assert.deepEqual(indexabilityOf({ ...plain, ...facts }), expected);
  });
}

test("indexability: of a page that was not read as a whole, how much was", () => {
  const evidence = "judged by the first 1000 bytes: the rest was not read";
  const yes = { indexable: "Yes", indexability: null, indexability_evidence: evidence };
  assert.deepEqual(indexabilityOf({ ...plain, readBytes: 1_000 }), yes);
  assert.equal(indexabilityOf({ ...plain, readBytes: 1_000, isHtml: false }).indexability_evidence, null);
  assert.equal(indexabilityOf({ ...plain, readBytes: 1_000, noindexMeta: "said" }).indexability_evidence, "said");
});

test("indexability: of several reasons the first of the table is named, and there is one whenever the answer is no", () => {
  const all = { forbiddenBy: "said", noindexHeader: "said", noindexMeta: "said", canonicalElsewhere: "said" };
  assert.equal(indexabilityOf({ ...plain, ...all, status: 404 }).indexability, "client_error");
  assert.equal(indexabilityOf({ ...plain, ...all }).indexability, "robots_disallow");
  assert.equal(indexabilityOf({ ...plain, ...all, forbiddenBy: null }).indexability, "noindex_header");
  const facts = fc.record({
    status: fc.option(fc.integer({ min: 200, max: 599 })),
    isChallenge: fc.boolean(),
    isHtml: fc.boolean(),
    isUndecodable: fc.boolean(),
    readBytes: fc.constant(null),
    noindexMeta: fc.option(fc.string()),
    noindexHeader: fc.option(fc.string()),
    canonicalElsewhere: fc.option(fc.string()),
    refreshElsewhere: fc.option(fc.string()),
    forbiddenBy: fc.option(fc.string()),
    redirectsByScript: fc.boolean(),
    soft404: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (some) => {
      const { indexable, indexability } = indexabilityOf(some);
      assert.equal(indexable === "No", indexability !== null);
    }),
  );
});
