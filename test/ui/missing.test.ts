/// <reference lib="dom" />
/** A user opens an old link to a crawl or a project that was deleted. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { needsBrowser, useWebApp } from "./web-app.ts";

describe("what does not exist", needsBrowser, () => {
  const world = useWebApp();

  for (const [path, sentence] of [
    ["/crawls/999/issues", "There is no crawl 999."],
    ["/crawls/abc999/issues", "This page does not exist"],
    ["/projects/999/crawls", "This page does not exist"],
  ] as const) {
    test(`${path} says so once, and offers no screens of it, on a phone and on a monitor`, async () => {
      const { server } = world.app.serving;
      // The browser reports the 404 as an error, so this page is not watched.
      const page = await world.app.strangersPage(server.url);
      await page.goto(server.signInUrl());
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(path);
        await page.getByText(sentence).waitFor();
        assert.doesNotMatch(await page.locator("main").innerText(), /with this id/);
        if (width === 390) await page.getByRole("button", { name: "More" }).click();
        await page.getByRole("link", { name: "Archives" }).last().waitFor();
        assert.equal(await page.locator('a[href*="999"]').count(), 0);
      }
      await page.context().close();
    });
  }
});
