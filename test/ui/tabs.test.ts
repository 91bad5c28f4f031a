/// <reference lib="dom" />
/** Many tabs and many page loads: a browser opens six connections to a server, so the app may hold only one of them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { needsWholeBrowser, openScreen, useWebApp } from "./web-app.ts";

const TABS = 10;
const LOADS = 12;

describe("one browser, one event stream", needsWholeBrowser, () => {
  const world = useWebApp({ hasBackForwardCache: true });

  /** How many event streams the server holds open. */
  const streams = async (): Promise<number> => {
    const text = await (await world.app.serving.fetch("/metrics")).text();
    return Number(/^trawl_event_readers (\d+)$/m.exec(text)?.[1]);
  };
  const crawl = () => world.app.serving.crawl({ url: world.app.site.url, settings: { maxUrls: 3 } });
  const showsCrawls = (page: Page, count: number) =>
    page.getByText(`${count} crawl${count === 1 ? "" : "s"}`, { exact: true }).waitFor();

  test(`${TABS} tabs load, share one stream, and all show a crawl that starts`, async () => {
    const first = await world.app.page();
    const tabs: Page[] = [];
    while (tabs.length < TABS) {
      const tab = tabs.length === 0 ? first : world.app.watch(await first.context().newPage());
      await openScreen(tab, "/");
      tabs.push(tab);
    }
    assert.equal(await streams(), 1);
    await crawl();
    for (const tab of tabs) await showsCrawls(tab, 1);
    // The first tab is closed: the others still get events.
    await tabs[0]!.close();
    await crawl();
    for (const tab of tabs.slice(1)) await showsCrawls(tab, 2);
    await first.context().close();
  });

  test(`${LOADS} loads in one tab, back and forward again, and the page that comes back is up to date`, async () => {
    const page = await world.app.page();
    const screens = ["/", "/new", "/schedules"];
    for (let load = 0; load < LOADS; load++) await openScreen(page, `${screens[load % 3]}?load=${load}`);
    assert.equal(await streams(), 1);
    await page.goto("/");
    await showsCrawls(page, 2);
    await page.evaluate(() => Object.assign(window, { isTheOldPage: true }));
    await page.goto("/schedules");
    await crawl();
    // A page from the cache is not loaded again.
    await page.goBack({ waitUntil: "commit" });
    await showsCrawls(page, 3);
    assert.ok(await page.evaluate(() => "isTheOldPage" in window), "it comes from the back/forward cache");
    await crawl();
    await showsCrawls(page, 4);
    assert.equal(await streams(), 1);
  });
});
