/** A user reads what the audit found, accepts a finding, and looks at links. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { needsBrowser, useWebApp } from "./web-app.ts";

describe("issues in the web app", needsBrowser, () => {
  const world = useWebApp();
  interface Issue {
    rule: string;
    name: string;
    open: number;
  }
  const issues = async (): Promise<Issue[]> =>
    (await world.app.serving.ask<{ rows: Issue[] }>("GET", "/crawls/2/issues")).body.rows;

  test("opens an issue by keyboard, accepts one URL with a reason, and the count goes down", async () => {
    const { app } = world;
    await app.crawlTwice();
    // The worst one that is left in the list when one of its findings is accepted.
    const before = (await issues()).find(({ open }) => open > 1)!;
    const page = await app.page();
    await page.goto("/crawls/2");
    await page.waitForURL("**/crawls/2/issues");
    await page.getByRole("link", { name: before.name, exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/issue\?rule=/);
    await page.goto(`/crawls/2/issue?rule=${before.rule}`);
    await page.getByRole("heading", { name: "How to fix it" }).waitFor();
    await page
      .getByRole("button", { name: /^Accept or ignore http/ })
      .first()
      .click();
    await page.getByLabel("Reason").fill("It stays until spring");
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByRole("button", { name: /^No longer accept this/ }).waitFor();
    assert.equal((await issues()).find(({ rule }) => rule === before.rule)?.open, before.open - 1);
    await page.getByRole("link", { name: "Open in the Explorer" }).click();
    await page.getByText("Issue is", { exact: false }).first().waitFor();
  });

  test("finds links by what their targets answer", async () => {
    const page = await world.app.page();
    await page.goto("/crawls/2/links");
    await page.getByRole("columnheader", { name: "Anchor" }).waitFor();
    await page.getByLabel("Status").selectOption("3");
    await page.waitForURL(/statusClass=3/);
    const { body } = await world.app.serving.ask<{ total: number }>("GET", "/crawls/2/links?statusClass=3&limit=1");
    await page.getByRole("heading", { name: new RegExp(`^${body.total.toLocaleString("en-US")} links?$`) }).waitFor();
  });
});
