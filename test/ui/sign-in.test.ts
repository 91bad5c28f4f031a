/** Signing in as a person does: a wrong token, the right one, a restart of the server, and signing out. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PACKAGE_ROOT } from "../../src/transports/cli/cli.ts";
import { startServer } from "../../src/transports/http/server.ts";
import { prepareUi } from "../../src/transports/http/web-app.ts";
import { needsBrowser, useWebApp } from "./web-app.ts";

describe("signing in", needsBrowser, () => {
  const world = useWebApp();

  test("a person types the token, stays signed in when the server restarts, and signs out", async (t) => {
    const { app } = world.app.serving;
    const token = "typed-by-a-person-0123";
    const options = { port: 0, token, uiFolder: await prepareUi(PACKAGE_ROOT, () => {}) };
    const first = await startServer(app, options);
    const page = await world.app.strangersPage(first.url);
    await page.goto("/new");
    await page.getByLabel("Token").fill("not the token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("What to crawl").first().waitFor();
    assert.equal(page.url(), `${first.url}/new`);
    await first.close();

    const second = await startServer(app, { ...options, port: first.port });
    t.after(() => second.close());
    await page.reload();
    await page.getByText("What to crawl").first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Trawl" }).waitFor();
    await page.context().close();
  });
});
