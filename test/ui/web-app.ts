/// <reference lib="dom" />
/** The web app in a real browser, on a real server, with the demo site to crawl. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from "playwright-core";
import { type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { findBrowser, isExecutable } from "../../src/render/find-browser.ts";
import { PACKAGE_ROOT } from "../../src/transports/cli/cli.ts";
import { prepareUi } from "../../src/transports/http/web-app.ts";
import { type Serving, startServing } from "../http/serving.ts";

export { needsBrowser } from "../../src/render/testing/browser.ts";

/** So that the demo site's traps end soon. */
export const TRAP_LIMITS = { maxUrlsPerPattern: 30, maxQueryVariants: 30 };

const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--no-first-run"],
];

/** The headless shell has no back/forward cache. */
const isWholeBrowser = (path: string): boolean => isExecutable(path) && !path.includes("headless-shell");

export const needsWholeBrowser =
  findBrowser(null, process.env, isWholeBrowser) === null && process.env["CI"] !== "true"
    ? { skip: "no Chromium or Chrome found: apt-get install chromium" }
    : {};

export interface WebAppOptions {
  /** Pages stay alive for the back button, as for users. Playwright turns that off by default. */
  hasBackForwardCache?: boolean;
  /** The database of a fleet. */
  postgres?: string | null;
}

export class WebApp {
  readonly serving: Serving;
  readonly site: RunningDemoSite;
  readonly #browser: Browser;
  readonly #problems: string[] = [];

  static async open({ hasBackForwardCache = false, postgres = null }: WebAppOptions = {}): Promise<WebApp> {
    const uiFolder = await prepareUi(PACKAGE_ROOT, () => {});
    assert.notEqual(uiFolder, null, "the web app cannot be built");
    const isUsable = hasBackForwardCache ? isWholeBrowser : isExecutable;
    const executablePath = findBrowser(null, process.env, isUsable)?.executablePath ?? "no-browser-found";
    const [serving, site, browser] = await Promise.all([
      startServing({ uiFolder }, true, postgres),
      startDemoSite(),
      chromium.launch({
        executablePath,
        args: ARGUMENTS,
        ignoreDefaultArgs: hasBackForwardCache ? ["--disable-back-forward-cache"] : [],
        timeout: 0,
      }),
    ]);
    const app = new WebApp(serving, site, browser);
    await serving.ask("PUT", "/config", { url: site.url, settings: TRAP_LIMITS });
    return app;
  }

  private constructor(serving: Serving, site: RunningDemoSite, browser: Browser) {
    this.serving = serving;
    this.site = site;
    this.#browser = browser;
  }

  /** The two crawls that `screens.ts` looks at, unless they are there. */
  async crawlTwice(): Promise<void> {
    const { body } = await this.serving.ask<{ total: number }>("GET", "/projects");
    if (body.total > 0) return;
    for (const maxUrls of [60, 80]) await this.serving.crawl({ url: this.site.url, settings: { maxUrls } });
  }

  /** A new page without any state. Errors in it fail the test at `close`. */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      baseURL: this.serving.server.url,
      ...options,
    });
    // A busy machine is slow, not broken: only the runner's limit on a test ends a wait.
    context.setDefaultTimeout(0);
    await this.#signIn(context);
    return this.watch(await context.newPage());
  }

  /** A page that is not signed in, on any server. Browsers report the refused requests as errors, so they are not counted. */
  async strangersPage(baseURL: string): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL });
    context.setDefaultTimeout(0);
    return context.newPage();
  }

  /** As the address that `trawl serve` prints does. */
  async #signIn(context: BrowserContext): Promise<void> {
    const { server } = this.serving;
    const [cookie] = (await fetch(server.signInUrl())).headers.getSetCookie();
    const [name, value] = cookie!.split(";")[0]!.split("=");
    await context.addCookies([{ name: name!, value: value!, url: server.url, httpOnly: true, sameSite: "Strict" }]);
  }

  /** Errors in the page fail the test at `close`. */
  watch(page: Page): Page {
    page.on("pageerror", (error) => this.#problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.#problems.push(message.text());
    });
    page.on("dialog", (dialog) => {
      this.#problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.serving.close();
    await this.site.close();
    assert.deepEqual(this.#problems, [], "the browser complained");
    assert.deepEqual(this.serving.internal, [], "the server failed");
  }
}

/** Opens a screen, and waits until it has loaded and shown everything. */
export async function openScreen(page: Page, path: string): Promise<void> {
  const idle = new IdleNetwork(page);
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await idle.reached();
  idle.forget();
}

/** Knows when a page has no request in flight, and the answers have been rendered without further requests. */
export class IdleNetwork {
  readonly #page: Page;
  readonly #underWay = new Set<Request>();
  #seen = 0;
  readonly #begun = (request: Request): void => {
    // The shared worker belongs to no page: this one sees its script asked for, but never its end.
    if (request.url().includes("/news.worker")) return;
    this.#seen++;
    this.#underWay.add(request);
  };
  readonly #ended = (request: Request): void => {
    this.#underWay.delete(request);
  };

  constructor(page: Page) {
    this.#page = page;
    page.on("request", this.#begun).on("requestfinished", this.#ended).on("requestfailed", this.#ended);
  }

  async reached(): Promise<void> {
    let seen: number;
    do {
      seen = this.#seen;
      for (const request of this.#underWay)
        await request.response().then(
          (response) => response?.finished(),
          () => {},
        );
      // Two frames: what came is rendered, and its effects have run.
      for (let frame = 0; frame < 2; frame++) {
        await this.#page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
      }
    } while (seen !== this.#seen || this.#underWay.size > 0);
  }

  forget(): void {
    this.#page.off("request", this.#begun).off("requestfinished", this.#ended).off("requestfailed", this.#ended);
  }
}

/** Opens the web app before the tests of a file, and closes it after them. */
export function useWebApp(options: WebAppOptions = {}): { readonly app: WebApp } {
  const holder: { app: WebApp } = { app: undefined as unknown as WebApp };
  before(async () => {
    holder.app = await WebApp.open(options);
  });
  after(() => holder.app?.close());
  return holder;
}
