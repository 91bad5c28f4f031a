/// <reference lib="dom" />
/** Every screen, light and dark, checked against the WCAG rules that a program can check. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import axe from "axe-core";
import { SCREENS } from "./screens.ts";
import { needsBrowser, openScreen, useWebApp } from "./web-app.ts";

/** The accessible name of a tree row is shorter than what it shows. */
const RULES = [{ id: "label-content-name-mismatch", selector: "button, a, [role=tab], [role=option]" }];

describe("accessibility", needsBrowser, () => {
  const world = useWebApp();

  for (const colorScheme of ["light", "dark"] as const) {
    test(`${colorScheme}: no screen breaks a rule`, async () => {
      const { app } = world;
      await app.crawlTwice();
      const page = await app.page({ colorScheme });
      const broken: string[] = [];
      for (const { name, path } of SCREENS) {
        await openScreen(page, path(app.site.url));
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate((rules) => {
          const injected = (window as unknown as { axe: typeof axe }).axe;
          injected.configure({ rules });
          return injected.run();
        }, RULES);
        for (const { id, nodes } of violations) {
          broken.push(...nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html}\n${failureSummary}`));
        }
      }
      assert.deepEqual(broken, []);
    });
  }
});
