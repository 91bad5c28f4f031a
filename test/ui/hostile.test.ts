/// <reference lib="dom" />
/** A site whose texts are scripts: in the web app they are texts. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { SCREENS } from "./screens.ts";
import { IdleNetwork, needsBrowser, openScreen, useWebApp } from "./web-app.ts";

const SCRIPT = `<script>window.attacked = true</script><img src=x onerror="window.attacked = true">`;
const escaped = SCRIPT.replaceAll("<", "&lt;").replaceAll('"', "&quot;");

describe("a hostile site", needsBrowser, () => {
  const world = useWebApp();
  let server: Server;
  let url: string;

  before(async () => {
    server = createServer((request, response) => {
      const headers = { "content-type": "text/html; charset=utf-8", "x-attack": SCRIPT };
      response.writeHead(request.url?.includes("gone") ? 404 : 200, headers);
      response.end(
        `<title>${escaped}</title><meta name=description content="${escaped}"><h1>${escaped}</h1>` +
          `<a href="/shop">x</a><a href="/shop?q=${encodeURIComponent(SCRIPT)}">${escaped}</a><a href="javascript:window.attacked=true">x</a>` +
          `<a href="/gone?'onclick=window.attacked=true">${escaped}</a><link rel=icon href="data:image/svg+xml,${escaped}">`,
      );
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  test("executes nothing on any screen, and its title is shown as text", async () => {
    const { app } = world;
    for (const maxUrls of [20, 30]) await app.serving.crawl({ url, settings: { maxUrls, storeHtml: true } });
    const page = await app.page();
    for (const { path } of SCREENS) {
      await openScreen(page, path(url));
      assert.equal(await page.evaluate(() => "attacked" in window), false, path(url));
    }
    await openScreen(page, `/crawls/2/explorer?inspect=${encodeURIComponent(url)}`);
    const idle = new IdleNetwork(page);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await idle.reached();
      assert.equal(await page.evaluate(() => "attacked" in window), false);
    }
    await page.getByRole("tab", { name: "Facts" }).click();
    await page.getByText(SCRIPT, { exact: true }).first().waitFor();
    // No link of the page leads anywhere but to http and https.
    const links = await page
      .locator("a[href]")
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol));
    assert.deepEqual([...new Set(links)], ["http:"]);
  });
});
