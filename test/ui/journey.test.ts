/** A user's way through the web app, with the mouse: crawl, watch, filter, inspect, compare, delete. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { startKillableCrawl } from "../../src/app/testing/killable-crawl.ts";
import { smallSite } from "../../src/app/testing/small-site.ts";
import { needsBrowser, TRAP_LIMITS, useWebApp } from "./web-app.ts";

const screen = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first();
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, level: 1 });

describe("a user in the web app", needsBrowser, () => {
  const world = useWebApp();
  let page: Page;

  test("starts a crawl of a site, watches it, and sees its end", async () => {
    page = await world.app.page();
    await page.goto("/");
    await heading(page, "Crawl a website").waitFor();
    await page.getByLabel("Address of the website").fill(world.app.site.url);
    await page.getByRole("button", { name: "Start crawl" }).click();
    await page.waitForURL("**/crawls/1/live");
    await page.getByText("Completed").first().waitFor();
    const { body } = await world.app.serving.ask<{ crawlInfo: { pagesCrawled: number } }>("GET", "/crawls/1?limit=1");
    assert.ok(body.crawlInfo.pagesCrawled > 300);
    assert.ok(world.app.site.requests().length > 300);
  });

  test("sees the same counts in the overview as the server returns", async () => {
    await screen(page, "Overview").click();
    await heading(page, /^Overview/).waitFor();
    const { body } = await world.app.serving.ask<{ crawled: number; brokenTotal: number }>("GET", "/crawls/1/overview");
    const figures = await page.locator("main").innerText();
    assert.match(figures, new RegExp(`Crawled\\s+${body.crawled}\\s`));
    assert.match(figures, new RegExp(`Broken\\s+${body.brokenTotal}\\s`));
  });

  test("filters the explorer, and the number of rows matches the filter", async () => {
    await screen(page, "Explorer").click();
    const grid = page.getByRole("grid");
    await grid.getByRole("gridcell", { name: `${world.app.site.url}shop`, exact: true }).waitFor();
    await page.getByRole("button", { name: "4xx 4", exact: true }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /^4 URLs$/ })
      .waitFor();
    await grid.getByRole("gridcell", { name: `${world.app.site.url}blog/the-one-that-got-away` }).waitFor();
    assert.match(page.url(), /filter=/);
    // The address contains the view: it can be shared, and the back button undoes it.
    await page.goBack();
    await page
      .getByRole("status")
      .filter({ hasText: /^1,\d{3} URLs$/ })
      .waitFor();
    await page.getByLabel("Search URLs and titles").fill("sitemap");
    await page
      .getByRole("status")
      .filter({ hasText: /^\d+ URLs$/ })
      .waitFor();
  });

  test("a filter brings the columns that answer the next question", async () => {
    await page.goto("/crawls/1/explorer");
    await page.getByRole("button", { name: /^3xx/ }).click();
    await page.getByRole("columnheader", { name: "Redirects to" }).waitFor();
    const pressed = page.getByRole("button", { name: /^3xx/ });
    const count = Number((await pressed.innerText()).replace(/^3xx\s*/, ""));
    await page.getByText(`${count} URLs`, { exact: true }).waitFor();
    await pressed.click();
    await page.getByRole("columnheader", { name: "Redirects to" }).waitFor({ state: "detached" });
  });

  test("choosing a text field offers “contains”, and the file has the names on screen", async () => {
    await page.goto("/crawls/1/explorer");
    await page.getByRole("button", { name: "Add filter" }).first().click();
    await page.getByLabel("Field").selectOption("title");
    assert.equal(await page.getByLabel("Operator").inputValue(), "~");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Views" }).click();
    await page
      .getByRole("menuitem", { name: "Broken" })
      .or(page.getByRole("menuitemradio", { name: "Broken" }))
      .click();
    await page.waitForURL(/filter=/);
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "This view as CSV" }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^127\.0\.0\.1-\d+-broken-\d{4}-\d\d-\d\d\.csv$/);
    const text = await (await download.createReadStream()).toArray();
    assert.match(String(Buffer.concat(text)), /^URL,Status,Found on,Title,Depth\n/);
  });

  test("a crawl's address opens it, and a screen opened without the server waits for it", async () => {
    await page.goto("/crawls/1");
    await page.waitForURL("**/crawls/1/issues");
    const other = await page.context().newPage();
    await other.goto("/crawls/1/overview");
    await heading(other, /^Overview/).waitFor();
    await other.context().setOffline(true);
    await other.getByRole("link", { name: "SQL", exact: true }).first().click();
    await other.getByText("The Trawl server is not responding").waitFor();
    await other.getByText("This screen opens when the server is back").waitFor();
    await other.context().setOffline(false);
    await heading(other, "SQL").waitFor();
    await other.close();
  });

  test("opens a URL and reads its facts, links and why it was crawled", async () => {
    await page.goto(`/crawls/1/explorer?inspect=${encodeURIComponent(`${world.app.site.url}docs/knots/sheepshank`)}`);
    const drawer = page.getByRole("dialog").or(page.getByRole("complementary")).last();
    await drawer.getByText("404").first().waitFor();
    await drawer.getByRole("tab", { name: /^Links in/ }).click();
    await drawer.getByText("/blog/reading-the-winter-beach").first().waitFor();
    await drawer.getByRole("tab", { name: "Why" }).click();
    await drawer.getByText(world.app.site.url).first().waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/explorer(?!.*inspect=)/);
  });

  test("compares two crawls", async () => {
    const settings = { ...TRAP_LIMITS, exclude: ["*/blog/*"] };
    await world.app.serving.crawl({ url: world.app.site.url, settings });
    await page.goto("/crawls/2/compare");
    await page.getByText(/^· Not crawled \d+$/).click();
    await page.getByText("/blog/the-one-that-got-away").first().waitFor();
    const { body } = await world.app.serving.ask<{ counts: { notCrawled: number } }>(
      "GET",
      "/crawls/2/compare/1?limit=1",
    );
    assert.ok(body.counts.notCrawled > 10);
    await page.getByText(`${body.counts.notCrawled} URLs`).first().waitFor();
  });

  test("opens every other screen, and none of them is empty", async () => {
    for (const [path, text] of [
      ["/crawls/2/decisions", "robots.txt disallows it"],
      ["/crawls/2/graph", "pages"],
      ["/crawls/2/sql", "Examples"],
      ["/projects/1/settings", "Requests at once"],
      ["/projects/1/schedule", "Cron"],
      ["/projects/1/crawls", "#1"],
      ["/schedules", "schedule"],
      ["/new", "What to crawl"],
    ] as const) {
      await page.goto(path);
      await page.locator("main").getByText(text).first().waitFor();
    }
  });

  test("shows what only the owner may change without a way to change it, and saves everything else next to it", async () => {
    const { serving, site } = world.app;
    serving.app.configs.update({ url: site.url, settings: { browser: "/opt/own-browser" } });
    await page.goto("/projects/1/settings");
    const row = (name: string) => page.locator(`[data-setting=${name}]`);
    await row("browser").getByText("/opt/own-browser").waitFor();
    for (const name of ["browser", "cacheDir", "ca", "connectTo", "proxy", "insecure", "allowPrivate"]) {
      await row(name).getByText("Set on the command line only").waitFor();
      assert.equal(await row(name).locator("input, select, textarea, [role=switch]").count(), 0, name);
    }
    await row("maxRedirects").getByRole("textbox").fill("7");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Settings saved").waitFor();
    const { body } = await serving.ask<{ changed: string[] }>("GET", `/config?url=${encodeURIComponent(site.url)}`);
    assert.ok(body.changed.includes("browser") && body.changed.includes("maxRedirects"));
    serving.app.configs.update({ url: site.url, settings: { browser: null, maxRedirects: null } });
  });

  test("pauses a running crawl, resumes it, and stops it", async () => {
    await world.app.serving.ask("POST", "/crawl", { url: world.app.site.url, settings: { ...TRAP_LIMITS, rate: 5 } });
    // Navigating to the project shows its running crawl.
    await page.goto("/projects/1");
    await page.waitForURL("**/crawls/3/live");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Stop…" }).click();
    await page.getByRole("button", { name: "Stop crawl" }).click();
    await page.getByText("No requests are in flight, and none will follow.").waitFor();
    const before = world.app.site.requests().length;
    await page.reload();
    assert.equal(world.app.site.requests().length, before);
  });

  test("watches a crawl that another process runs, pauses it, takes it over and stops it", async (t) => {
    // So many pages that the crawl cannot end before.
    const site = await smallSite(t, 100_000);
    const other = await startKillableCrawl(t, world.app.serving.app.home, site.url);
    await page.goto("/crawls/4/live");
    await page.getByText("Another process is running this crawl.").waitFor();
    await page.getByRole("button", { name: "Stop…" }).click();
    await page.getByText("The process that runs it will be asked to stop.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused. No requests are being sent.").waitFor();
    if (other.exitCode === null) await once(other, "exit");
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    assert.equal(await page.getByText("Another process is running this crawl.").count(), 0);
    await page.getByRole("button", { name: "Stop…" }).click();
    await page.getByRole("button", { name: "Stop crawl" }).click();
    await page.getByText("No requests are in flight, and none will follow.").waitFor();
    // A screen of what is deleted would ask for it again, and complain.
    await page.goto("about:blank");
    assert.equal((await world.app.serving.ask("DELETE", "/projects/2")).status, 200);
  });

  test("crawls again with the URL and the settings of the last crawl, shown first and changed", async () => {
    await page.goto("/projects/1/crawls");
    await page.getByRole("button", { name: "Crawl again" }).click();
    await heading(page, "Crawl again").waitFor();
    await page.getByText("The settings of crawl #3.").waitFor();
    assert.equal(await page.getByLabel("Start URL", { exact: true }).inputValue(), world.app.site.url);
    const rate = page.getByLabel("Requests/s per host", { exact: true });
    assert.equal(await rate.inputValue(), "5");
    await rate.fill("0");
    await page.getByLabel("URL limit", { exact: true }).fill("10");
    await page.getByRole("button", { name: "Start crawl" }).click();
    await page.waitForURL("**/crawls/5/live");
    await page.getByText("Limit reached").first().waitFor();
    const { body } = await world.app.serving.ask<{ crawl: { settings: object } }>("GET", "/crawls/5/summary");
    assert.partialDeepStrictEqual(body.crawl.settings, { ...TRAP_LIMITS, maxUrls: 10, rate: 0 });
    await page.getByRole("link", { name: "Crawl again without this limit" }).click();
    await page.getByText("The settings of crawl #5.").waitFor();
    assert.equal(await page.getByLabel("URL limit", { exact: true }).inputValue(), "");
    await page.goto("about:blank");
    assert.equal((await world.app.serving.ask("DELETE", "/crawls/5")).status, 200);
  });

  test("deletes a crawl after confirming, and a project after typing its name", async () => {
    await page.goto("/projects/1/crawls");
    await page.getByRole("button", { name: "Delete crawl 3" }).click();
    await page.getByRole("button", { name: "Delete crawl", exact: true }).click();
    await page.locator("table").getByRole("link", { name: "#3" }).waitFor({ state: "detached" });
    await page.goto("/");
    const domain = new URL(world.app.site.url).host;
    await page
      .getByRole("button", { name: `More for ${domain}` })
      .or(page.locator(".project-card button"))
      .first()
      .click();
    await page.getByRole("menuitem", { name: /Delete/ }).click();
    const confirm = page.getByRole("button", { name: "Delete project" });
    assert.equal(await confirm.isDisabled(), true);
    await page.getByRole("dialog").getByRole("textbox").fill(domain);
    await confirm.click();
    await page.locator(".project-card").waitFor({ state: "detached" });
    assert.deepEqual((await world.app.serving.ask<{ rows: unknown[] }>("GET", "/projects")).body.rows, []);
  });

  test("updates Trawl where npm can, and is told to restart it", async () => {
    const updating = await world.app.page();
    const update = { current: "1.0.0", latest: "9.9.9", isNewer: true, isOff: false, problem: null };
    const how = { installedBy: "npm-global", command: "npm install --global trawl@latest", canInstall: true };
    await updating.route("**/api/v1/update", (route) =>
      route.fulfill({ json: route.request().method() === "POST" ? { updatedTo: "9.9.9" } : { ...update, ...how } }),
    );
    await updating.goto("/");
    await updating.getByText("Trawl 9.9.9 is available; you have 1.0.0.").waitFor();
    await updating.getByRole("button", { name: "Update now" }).click();
    await updating.getByText("Updated to Trawl 9.9.9. Restart Trawl to use it.").waitFor();
    await updating.context().close();
  });
});
