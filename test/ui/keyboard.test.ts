/// <reference lib="dom" />
/** The web app without a mouse. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { needsBrowser, useWebApp } from "./web-app.ts";

describe("with the keyboard only", needsBrowser, () => {
  const world = useWebApp();

  test("a crawl is started, watched, filtered, and a URL is opened and closed", async () => {
    const { app } = world;
    const page = await app.page();
    const { keyboard } = page;
    await page.goto("/");
    // The box has the focus: the user can type at once.
    await page.locator(":focus").and(page.getByLabel("Address of the website")).waitFor();
    await keyboard.type(app.site.url);
    await keyboard.press("Enter");
    await page.waitForURL("**/crawls/1/live");
    await page.getByText("Completed").first().waitFor();
    // The second key has to follow soon, which a busy machine may not manage at the first attempt.
    do {
      await keyboard.press("g");
      await keyboard.press("e");
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
    } while (!page.url().includes("/crawls/1/explorer"));
    // The table has the focus: no Tab, no click.
    await page.locator(":focus").and(page.getByRole("grid")).waitFor();
    await keyboard.press("j");
    await keyboard.press("ArrowDown");
    await keyboard.press("k");
    await page.getByText(/^Row 2 of /).waitFor();
    await keyboard.press("/");
    await keyboard.type("harbour");
    await page.waitForURL(/search=harbour/);
    // Out of the search box, the same keys work without the focus in the table.
    await page.getByRole("grid").waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.waitForURL(/inspect=/);
    await page.getByRole("tab", { name: "Facts" }).waitFor();
    await keyboard.press("Escape");
    await page.waitForURL(/explorer(?!.*inspect=)/);
    await keyboard.press("Control+k");
    const palette = page.getByRole("dialog");
    await palette.getByRole("combobox").or(palette.getByRole("textbox")).first().waitFor();
    await keyboard.type("sheepshank");
    await palette
      .getByRole("option", { name: /docs\/knots\/sheepshank/ })
      .first()
      .waitFor();
    await keyboard.press("Enter");
    await page.waitForURL(/inspect=.*sheepshank/);
    await keyboard.press("Escape");
    await page.waitForURL(/explorer(?!.*inspect=)/);
    await keyboard.press("Control+k");
    await keyboard.type("compare");
    await keyboard.press("Enter");
    await page.waitForURL("**/compare**");
    // A reason opens as a row of a table does, and its examples are the next rows.
    await page.goto("/crawls/1/decisions");
    const reason = page.locator("summary").first();
    await reason.waitFor();
    await keyboard.press("j");
    await page.locator(":focus").and(reason).waitFor();
    await keyboard.press("Enter");
    await page.getByRole("list", { name: "Examples" }).first().waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.waitForURL(/inspect=/);
    await page.getByRole("tab", { name: "Facts" }).waitFor();
    await keyboard.press("Escape");
    await page.waitForURL(/decisions(?!.*inspect=)/);
    await keyboard.press("?");
    const help = await page.getByRole("dialog").innerText();
    for (const label of ["Command palette", "Next row", "Open the row", "Run the query", "Explorer"]) {
      assert.ok(help.includes(label), label);
    }
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("Tab reaches every control of the start screen in order, and each shows where it is", async () => {
    const page = await world.app.page();
    await page.goto("/");
    await page.getByLabel("Address of the website").waitFor();
    const wanted = await page.locator("a[href], button:not(:disabled), input:not(:disabled)").count();
    const reached = new Set<string>();
    for (let press = 0; press < wanted * 2; press++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        // A card shows it around the whole card, which its link's ::after covers.
        const isShown = [null, "::after"].some((part) => {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element, part);
          return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
        });
        return { name: element.outerHTML.slice(0, 200), isShown, isBody: element === document.body };
      });
      if (focused.isBody) continue;
      assert.ok(focused.isShown, `nothing shows that this has the focus: ${focused.name}`);
      reached.add(focused.name);
    }
    // Radio buttons of one group are reached as one.
    assert.ok(reached.size >= 8, `${reached.size} of ${wanted}`);
  });
});
