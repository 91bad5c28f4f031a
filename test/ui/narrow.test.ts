/// <reference lib="dom" />
/** Every screen on a phone and on a wide monitor: nothing overflows the page. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SCREENS } from "./screens.ts";
import { needsBrowser, openScreen, useWebApp } from "./web-app.ts";

const SIZES = [
  { width: 390, height: 844 },
  { width: 1920, height: 1080 },
];

describe("screens of any width", needsBrowser, () => {
  const world = useWebApp();

  for (const viewport of SIZES) {
    test(`at ${viewport.width} pixels no screen scrolls sideways, and each has its heading`, async () => {
      const { app } = world;
      await app.crawlTwice();
      const page = await app.page({ viewport, hasTouch: viewport.width < 500 });
      for (const { name, path } of SCREENS) {
        await openScreen(page, path(app.site.url));
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.ok(wide <= 0, `${name} overflows by ${wide} pixels`);
      }
    });
  }
});
