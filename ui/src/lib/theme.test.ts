import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyTheme, readTheme } from "./theme.ts";

describe("the theme", () => {
  it("works without storage", () => {
    const closed = {
      getItem: (): string => {
        throw new Error("denied");
      },
      setItem: () => {
        throw new Error("denied");
      },
      removeItem: () => undefined,
    };
    assert.equal(readTheme(closed), "system");
    const root = { dataset: {} as Record<string, string> };
    applyTheme("dark", root as unknown as HTMLElement, closed);
    assert.equal(root.dataset["theme"], "dark");
  });

  it("ignores an unknown theme", () => {
    assert.equal(readTheme({ getItem: () => "purple" }), "system");
    assert.equal(readTheme({ getItem: () => "light" }), "light");
  });
});
