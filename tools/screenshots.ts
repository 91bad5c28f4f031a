/** `npm run screenshots`: every screen of the web app into docs/screenshots, from a crawl of the demo site. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SCREENS } from "../test/ui/screens.ts";
import { openScreen, TRAP_LIMITS, WebApp } from "../test/ui/web-app.ts";
import { ROOT } from "./command.ts";

const FOLDER = join(ROOT, "docs", "screenshots");
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
const LOOKS = [
  { suffix: "", viewport: WIDE, colorScheme: "light" },
  { suffix: "-dark", viewport: WIDE, colorScheme: "dark" },
  { suffix: "-narrow", viewport: NARROW, colorScheme: "light" },
] as const;
/** Requests per second of the crawl on the live screen: it must still be running when its screenshot is taken. */
const WATCHED_RATE = 8;
/** A chart needs some seconds of a crawl. */
const CHART_MS = 12_000;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const app = await WebApp.open();
try {
  const { site, serving } = app;
  // Two crawls that differ, and a schedule, so that no screen is empty.
  await serving.crawl({ url: site.url, settings: { ...TRAP_LIMITS, exclude: ["*/guides/*", "*/products/b*"] } });
  await serving.crawl({ url: site.url, settings: { ...TRAP_LIMITS, exclude: ["*/blog/t*"], storeHtml: true } });
  await serving.ask("PUT", "/projects/1/schedule", { cron: "30 6 * * 1-5", timezone: "Europe/Berlin" });
  for (const { suffix, viewport, colorScheme } of LOOKS) {
    const page = await app.page({ viewport, colorScheme, hasTouch: viewport === NARROW });
    for (const { name, path } of SCREENS.filter((screen) => screen.name !== "live")) {
      await openScreen(page, path(site.url));
      if (name === "graph") await page.getByText("Arranging pages").waitFor({ state: "detached", timeout: 120_000 });
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(FOLDER, `${name}${suffix}.png`) });
    }
    const started = await serving.ask<{ crawlId: number }>("POST", "/crawl", {
      url: site.url,
      settings: { ...TRAP_LIMITS, rate: WATCHED_RATE },
    });
    await page.goto(`/crawls/${started.body.crawlId}/live`);
    await page.waitForTimeout(CHART_MS);
    await page.screenshot({ path: join(FOLDER, `live${suffix}.png`) });
    // The page is closed first: it would request a crawl that no longer exists.
    await page.context().close();
    await serving.ask("POST", `/crawls/${started.body.crawlId}/stop`, {});
    await serving.ask("DELETE", `/crawls/${started.body.crawlId}`);
  }
} finally {
  await app.close();
}
console.log(`${SCREENS.length * LOOKS.length} screenshots in docs/screenshots`);
