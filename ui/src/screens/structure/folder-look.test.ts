import assert from "node:assert/strict";
import { test } from "node:test";
import { fillOf, legendOf, pathOf } from "./folder-look.ts";

const counts = { urls: 4, ok: 3, redirect: 0, clientError: 1, serverError: 0, noAnswer: 0, depth: 2.5, findings: 8 };

test("answers are bands as wide as their share", () => {
  assert.equal(fillOf(counts, "status"), "linear-gradient(to right, var(--ok-fill) 0% 75%, var(--warn-fill) 75% 100%)");
});

test("depth and findings per URL have the colour that the legend gives them", () => {
  const fillNamed = (colour: "depth" | "issues", label: string) =>
    legendOf(colour).find((shade) => shade.label === label)?.fill;
  assert.equal(fillOf(counts, "depth"), fillNamed("depth", "2–3"));
  assert.equal(fillOf(counts, "issues"), fillNamed("issues", "1–2"));
  assert.equal(fillOf({ ...counts, findings: 0 }, "issues"), fillNamed("issues", "Up to 0.5"));
  assert.equal(fillOf({ ...counts, findings: 99 }, "issues"), fillNamed("issues", "Over 8"));
});

test("the way to a folder begins at its host", () => {
  assert.deepEqual(pathOf("https://example.com/docs/api/"), [
    { name: "example.com", folder: "https://example.com/" },
    { name: "docs", folder: "https://example.com/docs/" },
    { name: "api", folder: "https://example.com/docs/api/" },
  ]);
  assert.deepEqual(pathOf("nonsense"), []);
});
