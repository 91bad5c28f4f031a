/// <reference lib="dom" />
/** What is wrong with a page as it is shown: it is wider than the window, or axe finds something. */
import axe from "axe-core";
import type { Page } from "playwright-core";

export async function problemsOf(page: Page): Promise<string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.evaluate(axe.source);
  // Of the stored page, its author decides.
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(document, { iframes: false }),
  );
  return [
    ...(wide > 0 ? [`overflows by ${wide} pixels`] : []),
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    ),
  ];
}
