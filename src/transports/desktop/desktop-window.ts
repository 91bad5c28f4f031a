/** The desktop window: a separate browser that shows only the web app. */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Browser, CDPSession, Protocol } from "puppeteer-core";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { endGroup, LATE, within } from "../../render/browser-process.ts";
import { windowArguments } from "./window-browser.ts";
import type { WindowPlace } from "./window-memory.ts";

export interface WindowOptions {
  executablePath: string;
  /** Where the browser keeps its profile. */
  folder: string;
  serverUrl: string;
  /** A sign-in address that works once. */
  signInUrl: () => string;
  place: WindowPlace | null;
  onPlace: (place: WindowPlace) => void;
  env: NodeJS.ProcessEnv;
  clock: Clock;
}

/** Long enough for a cold start from a slow disk. */
const START_MS = 30_000;
/** The browser of a crashed window may take this long to exit; until then it claims every new start. */
const PREDECESSOR_MS = 5_000;
const RETRY_MS = 250;
/** A browser that saves its profile ends within this time. */
const EXIT_MS = 5_000;
/** The protocol does not report moved windows, so their position is read this often. */
const LOOK_MS = 1_000;
/** Public, so the address needs no code; it is shown only for a moment. */
const FIRST_PATH = "/icon.svg";

export class DesktopWindow {
  readonly #browser: Browser;
  readonly #root: CDPSession;
  readonly #pages: WindowPages;
  readonly #options: WindowOptions;
  #place: WindowPlace | null;
  #stopLooking: () => void = () => {};

  static async open(options: WindowOptions): Promise<DesktopWindow> {
    const browser = await launch(options);
    try {
      const root = await browser.target().createCDPSession();
      const window = new DesktopWindow(browser, root, options);
      await window.#signIn();
      window.#look();
      return window;
    } catch (error) {
      await endBrowser(browser);
      throw failure(error, options);
    }
  }

  private constructor(browser: Browser, root: CDPSession, options: WindowOptions) {
    this.#browser = browser;
    this.#root = root;
    this.#options = options;
    this.#place = options.place;
    this.#pages = new WindowPages(options.serverUrl);
    root.on("Target.targetCreated", ({ targetInfo }) => this.#pages.saw(targetInfo));
    root.on("Target.targetInfoChanged", ({ targetInfo }) => this.#pages.saw(targetInfo));
    root.on("Target.targetDestroyed", ({ targetId }) => this.#pages.lost(targetId));
    browser.on("disconnected", () => this.#pages.lostAll());
  }

  /** Resolves when the user closes it, or its browser ends in any other way. */
  get closed(): Promise<void> {
    return this.#pages.closed;
  }

  /** Brings it to the front, even if it was minimized. False when it has closed. */
  async focus(): Promise<boolean> {
    const targetId = this.#pages.main;
    if (targetId === null) return false;
    const { windowId, bounds } = await this.#root.send("Browser.getWindowForTarget", { targetId });
    if (bounds.windowState === "minimized") {
      await this.#root.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
    }
    await this.#root.send("Target.activateTarget", { targetId });
    return true;
  }

  /** Closes it without asking; resolves when no process of its browser is left. */
  async close(): Promise<void> {
    this.#stopLooking();
    const child = this.#browser.process();
    const exited = new Promise<void>((resolve) => {
      if (child === null || child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once("exit", () => resolve());
    });
    // On macOS a browser outlives its windows. Asked to close, it saves its profile; one that has ended cannot be asked.
    this.#root.send("Browser.close").catch(() => {});
    await within(exited, EXIT_MS);
    await endBrowser(this.#browser);
  }

  /**
   * Through the protocol, not the command line: every user of the machine can read that, and one who is faster
   * than the browser would be let in.
   */
  async #signIn(): Promise<void> {
    await this.#root.send("Target.setDiscoverTargets", { discover: true });
    const targetId = await this.#soon(this.#pages.appeared);
    const { sessionId } = await this.#root.send("Target.attachToTarget", { targetId, flatten: true });
    const session = this.#root.connection()!.session(sessionId)!;
    await session.send("Page.navigate", { url: this.#options.signInUrl() });
    await this.#soon(this.#pages.signedIn);
    // Otherwise "back" would lead to the first path. A failure here does not matter.
    await session.send("Page.resetNavigationHistory").catch(() => {});
    // While we are attached, the page's dialogs might be left to us to answer.
    await this.#root.send("Target.detachFromTarget", { sessionId });
  }

  async #soon<T>(event: Promise<T>): Promise<T> {
    const closed = this.closed.then(() => Promise.reject(new Error("it was closed immediately")));
    const outcome = await within(Promise.race([event, closed]), START_MS);
    if (outcome === LATE) throw new Error("it does not show the page");
    return outcome;
  }

  #look(): void {
    this.#stopLooking = this.#options.clock.after(LOOK_MS, async () => {
      const targetId = this.#pages.main;
      if (targetId === null) return;
      // It may close at this moment: then the last known position is kept.
      const seen = await this.#root.send("Browser.getWindowForTarget", { targetId }).catch(() => null);
      if (seen !== null) this.#remember(seen.bounds);
      if (this.#pages.main !== null) this.#look();
    });
  }

  #remember({ left = 0, top = 0, width = 0, height = 0, windowState }: Protocol.Browser.Bounds): void {
    if (windowState !== "normal" && windowState !== "maximized") return;
    const place = { left, top, width, height, isMaximized: windowState === "maximized" };
    if (isDeepStrictEqual(place, this.#place)) return;
    this.#place = place;
    this.#options.onPlace(place);
  }
}

async function launch(options: WindowOptions): Promise<Browser> {
  // Loaded only here: loading it takes longer than most other commands.
  const { default: puppeteer } = await import("puppeteer-core");
  const { clock, executablePath, folder, serverUrl, place, env } = options;
  const isRoot = process.getuid?.() === 0;
  const url = serverUrl + FIRST_PATH;
  const begun = clock.now();
  for (;;) {
    try {
      return await puppeteer.launch({
        executablePath,
        args: windowArguments({ url, profile: join(folder, "profile"), place, isRoot }),
        ignoreDefaultArgs: true,
        env,
        pipe: true,
        waitForInitialPage: false,
        // The library would answer dialogs of pages it is attached to, but they are for the user.
        targetFilter: (target) => target.type() === "browser",
        // The command line handles Ctrl-C.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        timeout: START_MS,
      });
    } catch (error) {
      if (clock.now() - begun > PREDECESSOR_MS) throw failure(error, options);
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
  }
}

async function endBrowser(browser: Browser): Promise<void> {
  const pid = browser.process()?.pid;
  if (pid !== undefined) await endGroup(pid);
}

function failure(error: unknown, { executablePath }: WindowOptions): TrawlError {
  const { name, message } = error as Error;
  // The library's message about a broken pipe is not helpful.
  const reason = name === "TargetCloseError" ? "it ended immediately" : message.slice(0, 500);
  return new TrawlError("WINDOW_FAILED", `${executablePath} could not open a window: ${reason}.`, { cause: error });
}

/**
 * Which of the browser's pages show the web app. The window counts as closed when the last of them is gone; pages of other
 * sites, opened from links, do not keep Trawl running.
 */
export interface PageInfo {
  targetId: string;
  /** Frames and workers of the app are not windows. */
  type: string;
  url: string;
}

export class WindowPages {
  readonly #serverUrl: string;
  /** Every page that has shown the app, in order: one that went to another site can come back. */
  readonly #pages = new Set<string>();
  readonly #appeared = Promise.withResolvers<string>();
  readonly #signedIn = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();

  constructor(serverUrl: string) {
    this.#serverUrl = serverUrl;
  }

  /** The first page of the app. */
  get appeared(): Promise<string> {
    return this.#appeared.promise;
  }

  /** Whether a page shows a screen of the app: the sign-in code in its address has been used. */
  get signedIn(): Promise<void> {
    return this.#signedIn.promise;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** The oldest that is left: its window is brought to the front, and its position remembered. */
  get main(): string | null {
    return this.#pages.values().next().value ?? null;
  }

  saw({ targetId, type, url }: PageInfo): void {
    if (type !== "page" || !URL.canParse(url)) return;
    const { origin, pathname, searchParams } = new URL(url);
    if (origin !== this.#serverUrl) return;
    this.#pages.add(targetId);
    this.#appeared.resolve(targetId);
    // Files have a dot in their names, screens have none.
    if (!searchParams.has("token") && !pathname.includes(".")) this.#signedIn.resolve();
  }

  lost(targetId: string): void {
    if (this.#pages.delete(targetId) && this.#pages.size === 0) this.#closed.resolve();
  }

  lostAll(): void {
    this.#pages.clear();
    this.#closed.resolve();
  }
}
