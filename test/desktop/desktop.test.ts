/** `trawl desktop` on a virtual screen, with a real browser. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Dialog, Page } from "puppeteer-core";
import { findServer } from "../../src/transports/http/server-note.ts";
import { type HeldSite, serveHeldSite } from "../mcp/held-site.ts";
import { DesktopRuns, whenWritten } from "./desktop.ts";
import { countColours, type Picture, writePng } from "./picture.ts";
import { needsScreen, type Screen, startScreen } from "./screen.ts";

/** For people to look at; git ignores the folder. */
const PICTURES = fileURLToPath(new URL("../../.tmp/", import.meta.url));

/** Text alone, with its smoothed edges, has more; an empty window has a handful. */
const LEAST_COLOURS = 50;

suite("trawl desktop", needsScreen, () => {
  let screen: Screen;
  let runs: DesktopRuns;
  let site: HeldSite;
  before(async () => {
    screen = await startScreen();
    runs = new DesktopRuns(screen.display);
    site = await serveHeldSite();
  });
  // Otherwise one failed test would make all later ones fail: there is one window per data folder.
  afterEach(() => runs.endAll());
  after(async () => {
    runs.remove();
    await Promise.all([screen.close(), site.close()]);
  });

  test("opens the app in a bare window, signed in, and ends with it", async () => {
    const { browser, page, url, lines, closeWindow, ended } = await runs.open();
    const seen = await page.evaluate(`(async () => ({
      isBare: matchMedia("(display-mode: standalone)").matches,
      version: (await fetch("/api/v1/version")).status,
      back: history.length - 1,
      address: location.href,
    }))()`);
    assert.deepEqual(seen, { isBare: true, version: 200, back: 0, address: `${url}/?desktop=` });

    await page.waitForFunction('document.querySelector("#main .skeleton") === null');
    const picture = await whenPainted(page, screen);
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, "desktop.png"), writePng(picture));
    const [most] = [...countColours(picture).values()].sort((first, second) => second - first);
    assert.ok(most! < 0.9 * picture.width * picture.height, "the screen is nearly blank");

    // No one else gets access, neither by knowing the port nor by reading the list of processes.
    assert.equal((await fetch(`${url}/api/v1/version`)).status, 401);
    const own = commandLines().filter((line) => line.includes(runs.folder));
    assert.ok(own.some((line) => line.includes(`--app=${url}/`)));
    assert.deepEqual(
      own.filter((line) => /token/i.test(line)),
      [],
    );
    const address = await (await findServer(join(runs.folder, "..")))!.signInUrl("/");
    assert.ok(address.startsWith(`${url}/?token=`));
    assert.deepEqual([(await fetch(address)).status, (await fetch(address)).status], [200, 401]);

    const session = await page.createCDPSession();
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    assert.deepEqual(await session.send("Page.getInstallabilityErrors"), { installabilityErrors: [] });

    const gone = new Promise((resolve) => browser.once("disconnected", resolve));
    await closeWindow();
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual((await lines.next()).value, { event: "end", paused: [] });
    await gone;
    await assert.rejects(fetch(url));
    assert.ok(!existsSync(join(runs.folder, "server.json")));
    assert.deepEqual(
      commandLines().filter((line) => line.includes(runs.folder)),
      [],
    );
  });

  test("asks before it closes during a crawl, which is then paused and can be resumed", async () => {
    const { page, lines, closeWindow, ended } = await runs.open();
    const crawlId = await startCrawl(page, site.url);
    await site.reached;
    // The app knows about the crawl.
    await page.locator(".running").wait();
    await touch(page);

    const first = nextDialog(page, ended);
    await closeWindow();
    const question = await first;
    assert.equal(question.type(), "beforeunload");
    await question.dismiss();
    await page.locator("::-p-text(A crawl is running)").wait();
    assert.equal(await page.evaluate(async () => (await fetch("/api/v1/active-crawls")).status), 200);

    const second = nextDialog(page, ended);
    await closeWindow();
    await (await second).accept();
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual((await lines.next()).value, { event: "end", paused: [crawlId] });
    site.release();
    const resumed = await runs.trawl.json("resume", String(crawlId));
    assert.equal(resumed.lines.at(-1)!["state"], "completed");
  });

  test("there is one window; a crash leaves nothing that blocks the next start; position and port are remembered", async () => {
    const first = await runs.open();
    const second = await runs.trawl.json("desktop");
    assert.deepEqual(second, { code: 0, lines: [{ event: "focused" }] });
    assert.equal((await first.browser.pages()).length, 1);

    const place = { left: 70, top: 50, width: 1000, height: 620 };
    const remembered = whenWritten(join(runs.folder, "window.json"), /"left":70,"top":50,"width":1000,"height":620/);
    const session = await first.page.createCDPSession();
    const { windowId } = await session.send("Browser.getWindowForTarget");
    await session.send("Browser.setWindowBounds", { windowId, bounds: place });
    await remembered;
    first.child.kill("SIGKILL");
    await first.ended;

    const next = await runs.open();
    assert.equal(next.url, first.url);
    const { bounds } = await (await next.page.createCDPSession()).send("Browser.getWindowForTarget");
    assert.deepEqual(bounds, { ...place, windowState: "normal" });

    const held = await serveHeldSite();
    const crawlId = await startCrawl(next.page, held.url);
    await held.reached;
    next.child.kill("SIGINT");
    assert.deepEqual(await next.ended, [3, null]);
    assert.deepEqual((await next.lines.next()).value, { event: "end", paused: [crawlId] });
    await held.close();
  });

  test("says what is missing", async () => {
    const named = await runs.trawl.run("desktop", "--browser", "no-such-browser");
    assert.equal(named.code, 2);
    assert.match(named.stderr, /"no-such-browser" does not exist.*\n.*apt-get install chromium`/);
    process.env["DISPLAY"] = "";
    const blind = await runs.trawl.run("desktop");
    process.env["DISPLAY"] = screen.display;
    assert.equal(blind.code, 2);
    assert.match(blind.stderr, /no screen.*\n.*trawl serve/);
  });
});

/** What the page has drawn reaches the screen some frames later. */
async function whenPainted(page: Page, screen: Screen): Promise<Picture> {
  for (;;) {
    const picture = screen.take();
    if (countColours(picture).size > LEAST_COLOURS) return picture;
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
  }
}

const startCrawl = (page: Page, url: string): Promise<number> =>
  page.evaluate(async (start) => {
    const response = await fetch("/api/v1/crawl", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: start, settings: { rate: 100 } }),
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { crawlId: number }).crawlId;
  }, url);

/** Browsers show the dialog only after user interaction, and a page that is not painted yet takes no clicks. */
async function touch(page: Page): Promise<void> {
  do await page.mouse.click(700, 400);
  while (!(await page.evaluate("navigator.userActivation.hasBeenActive")));
}

const nextDialog = (page: Page, ended: Promise<unknown>): Promise<Dialog> =>
  Promise.race([
    new Promise<Dialog>((resolve) => page.once("dialog", resolve)),
    ended.then(() => assert.fail("the window closed without a question")),
  ]);

/** Linux: what every user of the machine can read. */
function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return ""; // It has ended in the meantime.
      }
    });
}
