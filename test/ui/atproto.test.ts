/// <reference lib="dom" />
/** A user looks at an AT Protocol archive: progress, servers, failures, and the records of a repo. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { failedRepos } from "../../src/atproto/state/failures.ts";
import { type KnownRepoArchive, knownRepoArchive } from "../atproto/known-repo-archive.ts";
import { needsBrowser, openScreen, useWebApp } from "./web-app.ts";

/** Where to put pictures of every tab, for people; none when it is not set. */
const PICTURES = process.env["TRAWL_PICTURES"];

describe("AT Protocol archives in the web app", needsBrowser, () => {
  const world = useWebApp();
  const ends: (() => unknown)[] = [];
  let archive: KnownRepoArchive | null = null;
  const known = async (): Promise<KnownRepoArchive> =>
    (archive ??= await knownRepoArchive({ after: (end) => ends.push(end) }, world.app.serving.app.home.root));
  after(async () => {
    for (const end of ends) await end();
  });

  test("from the list to a server's failures, which are tried again, and to a record", async () => {
    const page = await world.app.page();
    await page.goto("/");
    await page.getByRole("link", { name: "AT Protocol" }).first().click();
    await page.getByText("No archives yet").waitFor();
    const { folder, network } = await known();
    await page.reload();
    await page.getByRole("link", { name: folder }).click();
    await page.getByRole("heading", { name: "rca" }).waitFor();
    await page.getByText(`${network.good.length}`, { exact: true }).first().waitFor();

    await page.getByRole("tab", { name: "Servers" }).click();
    await page.getByRole("heading", { name: "2 servers" }).waitFor();
    await page.getByRole("button", { name: "Not found 1, Not a valid repo 1" }).click();
    await page.getByRole("heading", { name: "2 failures" }).waitFor();
    await page.getByLabel("Class").selectOption("parse_error");
    await page.getByRole("heading", { name: "1 failure" }).waitFor();
    const { did: wrong } = network.faulty("wrongDid");
    await page.getByText(wrong, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Try these again" }).click();
    await page.getByText("The next crawl tries 1 failed repo again.").waitFor();
    const due = [...failedRepos(folder, {}, 10)].filter(({ retryAt }) => retryAt === 0);
    assert.deepEqual(
      due.map(({ did }) => did),
      [wrong],
    );

    const { did, repo } = network.good.find(({ repo }) => repo.paths.length > 5)!;
    await page.getByRole("tab", { name: "Repos" }).click();
    await page.getByLabel("DID of an account").fill(did);
    await page.getByRole("button", { name: "Show repo" }).click();
    await page.getByRole("heading", { name: `${repo.paths.length} records` }).waitFor();
    const [collection, rkey] = repo.paths[0]!.split("/") as [string, string];
    await page.getByRole("button", { name: collection, exact: true }).click();
    await page.waitForURL(/collection=/);
    await page.getByRole("heading", { name: collection }).waitFor();
    await page.getByText(rkey, { exact: true }).first().click();
    await page.locator("details[open] pre").waitFor();
    assert.equal(JSON.parse(await page.locator("details[open] pre").innerText()).$type, collection);
  });

  test("a repo that is not there is an answer in words", async () => {
    const { id } = await known();
    const page = await world.app.strangersPage(world.app.serving.server.url);
    await page.goto(world.app.serving.server.signInUrl());
    // Signing in leads to another address.
    await page.getByRole("link", { name: "AT Protocol" }).first().waitFor();
    await page.goto(`/atproto/${id}?tab=repos&did=did:plc:none`);
    await page.getByText("The archive has no repo of did:plc:none.").waitFor();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 1920]) {
      test(`${colorScheme}, ${width} pixels: no tab overflows or breaks a rule`, async () => {
        const { id, network } = await known();
        const { did } = network.good.find(({ repo }) => repo.paths.length > 5)!;
        const page = await world.app.page({ colorScheme, viewport: { width, height: width < 500 ? 844 : 1080 } });
        const broken: string[] = [];
        for (const tab of ["progress", "servers", "failures", "repos", `repos&did=${did}`]) {
          await openScreen(page, `/atproto/${id}?tab=${tab}`);
          if (PICTURES !== undefined) {
            const name = tab.replace(/&.*/, "-one");
            await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png` });
          }
          broken.push(...(await problemsOf(page)).map((text) => `${tab}: ${text}`));
        }
        assert.deepEqual(broken, []);
      });
    }
  }
});

async function problemsOf(page: Page): Promise<string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return [
    ...(wide > 0 ? [`overflows by ${wide} pixels`] : []),
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    ),
  ];
}
