/** A user opens a view by its count, and writes a filter of which one condition must match. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { needsBrowser, useWebApp } from "./web-app.ts";

describe("filters and views of the Explorer", needsBrowser, () => {
  const world = useWebApp();
  const total = async (filter: string): Promise<number> => {
    const { body } = await world.app.serving.ask<{ total: number }>(
      "GET",
      `/crawls/2/urls?limit=1&filter=${encodeURIComponent(filter)}`,
    );
    return body.total;
  };

  test("one of two conditions must match; the chip changes both", async () => {
    await world.app.crawlTwice();
    const page = await world.app.page();
    await page.goto("/crawls/2/explorer");
    await page.getByRole("button", { name: "Add filter" }).first().click();
    await page.getByLabel("Value").fill("200");
    await page.getByRole("button", { name: "Or…" }).click();
    await page.getByRole("group", { name: "Condition 2" }).getByLabel("Value").fill("3xx");
    await page.getByRole("button", { name: "Add filter" }).last().click();
    await page.waitForURL(/200/);
    const rows = (count: number) => page.getByRole("status").filter({ hasText: new RegExp(`\\b${count} URLs?$`) });
    const [either, successes, redirects] = await Promise.all(
      ["status=200 || status=3xx", "status=200", "status=3xx"].map(total),
    );
    assert.ok(successes! > 0 && redirects! > 0);
    assert.equal(either, successes! + redirects!);
    await rows(either!).waitFor();
    await page.getByRole("button", { name: "Change the filter Status = 200 or Status = 3xx" }).click();
    await page.getByRole("button", { name: "Remove condition 2" }).click();
    await page.getByRole("button", { name: "Change filter", exact: true }).click();
    await rows(successes!).waitFor();
  });

  test("the editor stays inside a small window as it grows, and keeps the focus", async () => {
    const page = await world.app.page({ viewport: { width: 390, height: 600 } });
    await page.goto("/crawls/2/explorer");
    await page.getByRole("button", { name: "Add filter" }).first().click();
    const or = page.getByRole("button", { name: "Or…" });
    for (const added of [2, 3, 4]) {
      // Playwright refuses to click what is outside the window.
      await or.click();
      await page
        .getByRole("group", { name: `Condition ${added}` })
        .locator("input:focus")
        .waitFor();
    }
    await page.getByRole("button", { name: "Remove condition 4" }).click();
    await page.locator("button:focus", { hasText: "Or…" }).waitFor();
  });

  test("a view in the menu says how many URLs it has", async () => {
    const page = await world.app.page();
    await page.goto("/crawls/2/explorer");
    await page.getByRole("button", { name: /^Views/ }).click();
    const redirects = await total("status=3xx");
    assert.ok(redirects > 0);
    await page.getByRole("menuitemradio", { name: new RegExp(`^Redirects ${redirects}$`) }).click();
    await page
      .getByRole("status")
      .filter({ hasText: new RegExp(`\\b${redirects} URLs?$`) })
      .waitFor();
  });
});
