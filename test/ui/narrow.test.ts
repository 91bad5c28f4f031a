/// <reference lib="dom" />
/** Every screen on a phone and on a wide monitor: nothing overflows the page or is cut off at its edge. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
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
        assert.deepEqual(await cutOff(page), [], `${name} is cut off at the right`);
      }
    });
  }
});

/** The words and controls that the main part of the page hides at its right edge. What scrolls or is cut inside a box of its own is meant to. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const main = document.querySelector("main")!;
    const isShown = (element: Element): boolean => {
      for (let box = element; box !== main; box = box.parentElement!) {
        if (getComputedStyle(box).overflowX !== "visible") return false;
      }
      return true;
    };
    const saysSomething = (element: Element): boolean =>
      element.matches("input, select, textarea, svg") ||
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== "");
    const edge = main.getBoundingClientRect().right + 1;
    return [...main.querySelectorAll("*")]
      .filter((element) => element.getBoundingClientRect().right > edge && saysSomething(element) && isShown(element))
      .map((element) => element.outerHTML.slice(0, 200));
  });
