/// <reference lib="dom" />
/** A user runs an archive in the web app: status, pages, a stored page that can do nothing, failures, search, verify. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type KnownArchive, knownArchive } from "../archive/known-archive.ts";
import { problemsOf } from "./page-problems.ts";
import { needsBrowser, openScreen, useWebApp } from "./web-app.ts";

/** Where to put pictures of every tab, for people; none when it is not set. */
const PICTURES = process.env["TRAWL_PICTURES"];

const listening = async (server: Server | TcpServer): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

/** Everything by which a page could reach the network or run something, all towards one port. */
const hostilePage = (port: number): string => {
  const at = (path: string) => `http://127.0.0.1:${port}/${path}`;
  return `<!doctype html><html><head><title>Hostile harbour</title>
    <meta http-equiv="refresh" content="0; url=${at("refresh")}">
    <link rel="preconnect" href="${at("")}"><link rel="dns-prefetch" href="${at("")}">
    <link rel="prefetch" href="${at("prefetch")}"><link rel="preload" as="image" href="${at("preload")}">
    <link rel="modulepreload" href="${at("module")}"><link rel="stylesheet" href="${at("css")}">
    <link rel="icon" href="${at("icon")}"><link rel="manifest" href="${at("manifest")}">
    <style>@import "${at("import")}"; body { background: url(${at("background")}) }</style>
    <script>document.title = "ran"; fetch("${at("fetch")}"); top.location = "${at("top")}"</script>
    <script src="${at("script")}"></script></head>
    <body onload="new Image().src='${at("onload")}'"><h1>Mackerel tide</h1>
    <img src="${at("image")}" srcset="${at("set")} 2x"><video autoplay src="${at("video")}" poster="${at("poster")}"></video>
    <iframe src="${at("frame")}"></iframe><object data="${at("object")}"></object><embed src="${at("embed")}">
    <svg><image href="${at("svg")}"/><use href="${at("use")}#a"/></svg>
    <form id="f" action="${at("form")}"><button>Send</button></form>
    <a href="${at("link")}" ping="${at("ping")}">Away</a> <a href="${at("blank")}" target="_blank">New tab</a></body></html>`;
};

/**
 * Clicks with the mouse until the control has the focus. Playwright's own click also waits for frames to be drawn and for
 * navigations to end; inside a sandbox, which refuses navigations, a busy machine has made it wait for ever.
 */
async function press(page: Page, control: Locator): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    await control.evaluate((element) => element.scrollIntoView());
    const { x, y, width, height } = (await control.boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("the click never arrived");
}

describe("archives in the web app", needsBrowser, () => {
  const world = useWebApp();
  let site: Server;
  let trap: TcpServer;
  let connections = 0;
  let isBroken = true;
  let start: string;
  let archive: KnownArchive;

  before(async () => {
    trap = createTcpServer((socket) => {
      connections++;
      socket.destroy();
    });
    const trapPort = await listening(trap);
    site = createHttpServer(({ url }, response) => {
      if (url === "/robots.txt") return void response.writeHead(404).end();
      const isBad = url === "/broken" && isBroken;
      response.writeHead(isBad ? 500 : 200, { "content-type": "text/html" });
      if (url === "/hostile") return void response.end(hostilePage(trapPort));
      response.end(`<title>Page ${url}</title><p>Words of ${url}</p><a href="/hostile">h</a><a href="/broken">b</a>`);
    });
    start = `http://127.0.0.1:${await listening(site)}/`;
    archive = knownArchive(world.app.serving.app.home.root, start);
  });
  after(() => {
    archive.remove();
    site.close();
    site.closeAllConnections();
    trap.close();
  });

  const runs = async (): Promise<string | undefined> => {
    const { body } = await world.app.serving.ask<{ rows: { run: { state: string } | null }[] }>("GET", "/archives");
    return body.rows[0]!.run?.state;
  };

  test("from an empty list to a run, its pages, its failures and the retry", async () => {
    const page = await world.app.page();
    await page.goto("/");
    await page.getByRole("link", { name: "Archives" }).first().click();
    await page.getByRole("link", { name: archive.root }).click();
    await page.getByText("Idle").waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Done, with failures").waitFor();
    assert.equal(await runs(), "ended");
    await page.getByRole("button", { name: "500 Internal server error" }).click();
    await page.getByRole("heading", { name: "1 fetch", exact: true }).waitFor();
    await page.getByLabel("Status").selectOption("");
    await page.getByRole("heading", { name: "3 fetches" }).waitFor();
    await page.getByLabel("Part of a URL").fill("hosti");
    await page.getByRole("heading", { name: "1 fetch", exact: true }).waitFor();

    await page.getByRole("tab", { name: "Failures" }).click();
    await page.getByRole("heading", { name: "0 failures" }).waitFor();
    await page.getByLabel("Part of a URL").fill("");
    await page.getByRole("heading", { name: "1 failure" }).waitFor();
    isBroken = false;
    await page.getByRole("button", { name: "Request these again" }).click();
    await page.getByText("1 failed URL will be requested again.").waitFor();
    await page.getByRole("heading", { name: "0 failures" }).waitFor();
    await page.getByText("Done", { exact: true }).waitFor();
  });

  test("a stored page runs nothing and reaches nothing", async () => {
    // The browser reports everything that it refuses to that page as an error, so errors are not counted.
    const page = await world.app.strangersPage(world.app.serving.server.url);
    await page.goto(world.app.serving.server.signInUrl());
    await page.getByRole("link", { name: "Archives" }).first().waitFor();
    await page.goto(`/archives/${archive.id}?tab=search`);
    await page.getByLabel("Words").fill("mackerel");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.locator("mark", { hasText: "Mackerel" }).waitFor();
    await page.getByRole("button", { name: "Hostile harbour" }).click();
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Mackerel tide" }).waitFor();
    const element = page.locator("iframe");
    assert.equal(await element.getAttribute("sandbox"), "");
    // Links and forms are all that a visitor could use.
    await press(page, frame.getByRole("link", { name: "New tab" }));
    await press(page, frame.getByRole("button", { name: "Send" }));
    await frame.getByRole("heading", { name: "Mackerel tide" }).waitFor();
    assert.equal(page.context().pages().length, 1);
    assert.equal(connections, 0);
    await page.getByLabel("Text").check({ force: true });
    await page.locator("pre", { hasText: "Mackerel tide" }).waitFor();
    await page.keyboard.press("Escape");
    await element.waitFor({ state: "detached" });
  });

  test("verify says that it is intact, and after damage what is wrong and what to do", async () => {
    const page = await world.app.page();
    await page.goto(`/archives/${archive.id}?tab=verify`);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("The archive is intact.").waitFor();
    const other = knownArchive(world.app.serving.app.home.root, world.app.site.url);
    try {
      await world.app.serving.ask("POST", `/archives/${other.id}/start`, {});
      const place = `/archives/${other.id}?tab=verify`;
      while (
        (await world.app.serving.ask<{ archive: { isRunning: boolean } }>("GET", `/archives/${other.id}`)).body.archive
          .isRunning
      ) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      appendFileSync(join(other.root, "state", "frontier.jsonl"), "{]\n");
      await page.goto(place);
      await page.getByRole("button", { name: "Verify" }).click();
      await page.getByText(`trawl archive verify --repair --workspace ${other.root}`).waitFor();
      await page.getByText("Damaged state").first().waitFor();
      await page.goto("/archives");
      await page.getByRole("button", { name: `Remove ${other.root} from the list` }).click();
      await page.getByRole("button", { name: "Remove from the list", exact: true }).click();
      await page.getByRole("link", { name: other.root }).waitFor({ state: "detached" });
    } finally {
      other.remove();
    }
  });

  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 1920]) {
      test(`${colorScheme}, ${width} pixels: no tab overflows or breaks a rule`, async () => {
        const page = await world.app.page({ colorScheme, viewport: { width, height: width < 500 ? 844 : 1080 } });
        const stored = encodeURIComponent(start);
        const broken: string[] = [];
        for (const tab of ["status", "pages", "failures", "search&words=mackerel", "verify", `pages&page=${stored}`]) {
          await openScreen(page, `/archives/${archive.id}?tab=${tab}`);
          if (PICTURES !== undefined) {
            const name = tab.replace(/&.*/, "-one");
            await page.screenshot({ path: `${PICTURES}/archive-${name}-${width}-${colorScheme}.png` });
          }
          broken.push(...(await problemsOf(page)).map((text) => `${tab}: ${text}`));
        }
        assert.deepEqual(broken, []);
      });
    }
  }
});
