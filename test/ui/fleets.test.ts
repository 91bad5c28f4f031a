/** A user looks at a fleet in the web app: its workers and hosts, pause, resume, stop, and the crawl that was pulled. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { NO_POSTGRES, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { FleetProof } from "../fleet/proof/proof.ts";
import { problemsOf } from "./page-problems.ts";
import { needsBrowser, openScreen, useWebApp, WebApp } from "./web-app.ts";

/** Where to put pictures, for people; none when it is not set. */
const PICTURES = process.env["TRAWL_PICTURES"];

const postgres = await TestPostgres.start();
after(() => postgres?.stop());

describe("fleets in the web app", postgres === null ? { skip: NO_POSTGRES } : needsBrowser, () => {
  const world = useWebApp({ postgres: postgres?.url });
  const proof = new FleetProof({ hosts: 12, pages: 4_000, rate: 2, speed: 1, postgres: () => postgres!.url });
  before(async () => {
    await proof.open();
    for (let count = 0; count < 2; count++) proof.work();
    await proof.reach(100);
  });
  after(() => proof.close());

  for (const width of [1440, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`a fleet and the list of fleets at ${width} pixels, ${colorScheme}`, async () => {
        const page = await world.app.page({ viewport: { width, height: 900 }, colorScheme });
        const broken: string[] = [];
        for (const [name, path] of [
          ["fleets", "/fleets"],
          ["fleet", `/fleets/${proof.name}`],
        ] as const) {
          await openScreen(page, path);
          await page.getByText(proof.name).first().waitFor();
          if (name === "fleet") await page.getByText("Working").nth(1).waitFor();
          if (PICTURES !== undefined)
            await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png` });
          broken.push(...(await problemsOf(page)).map((text) => `${name}: ${text}`));
        }
        assert.deepEqual(broken, []);
      });
    }
  }

  test("from the list to its workers, pause, resume, stop, and the crawl that was pulled", async () => {
    const page = await world.app.page();
    await page.goto("/");
    await page.getByRole("link", { name: "Fleets" }).first().click();
    await page.getByRole("link", { name: proof.name }).click();
    await page.getByText("Working").nth(1).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    assert.equal((await proof.state()).state, "paused");
    const count = proof.sent().length;
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await proof.reach((await proof.settled()) + 10);
    assert.ok(proof.sent().length > count);
    await page.getByRole("button", { name: "Stop…" }).click();
    await page.getByRole("button", { name: "Stop fleet" }).click();
    await page.getByText("No workers").waitFor();
    await page.getByText("Stopped", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pull" }).click();
    await page.waitForURL(/\/crawls\/\d+/);
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  test("a server without a database says how to name one", async () => {
    const other = await WebApp.open();
    const page = await other.page();
    await page.goto("/fleets");
    await page.getByText("TRAWL_POSTGRES").waitFor();
    await other.close();
  });
});
