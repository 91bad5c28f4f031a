/** The browser process: started with an empty profile, and ended together with everything it started. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Browser, CDPSession } from "puppeteer-core";
import { TrawlError } from "../errors.ts";
import { isProcessAlive } from "../storage/process-alive.ts";
import type { RendererOptions } from "./contract.ts";
import { launchArguments } from "./launch-arguments.ts";

const START_MS = 30_000;
/** A browser that takes longer to open or close a page is hanging. */
const REPLY_MS = 10_000;
const EXIT_MS = 5_000;

export interface BrowserPage {
  session: CDPSession;
  targetId: string;
  /** Cookies, storage and cache of this page alone. */
  browserContextId: string;
}

export class BrowserProcess {
  readonly pid: number;
  readonly #browser: Browser;
  readonly #root: CDPSession;
  readonly #userDataDir: string;

  static async launch(options: RendererOptions, proxyServer: string | null): Promise<BrowserProcess> {
    // Loaded only here, because loading it takes longer than starting a crawl that does not render.
    const { default: puppeteer } = await import("puppeteer-core");
    removeLeftFolders(tmpdir());
    const userDataDir = await mkdtemp(join(tmpdir(), `${ownPrefix()}${process.pid}-`));
    try {
      const browser = await puppeteer.launch({
        executablePath: options.executablePath,
        args: launchArguments(options, { userDataDir, root: process.getuid?.() === 0, proxyServer }),
        ignoreDefaultArgs: true,
        // Chromium keeps a folder in TMPDIR besides its profile, and leaves it behind when it is killed. On Linux only:
        // elsewhere the path of its socket could exceed the limit.
        env: process.platform === "linux" ? { ...process.env, TMPDIR: userDataDir } : process.env,
        // Through a pipe, the browser notices our death and exits, even after kill -9; a port could be used by others.
        pipe: true,
        waitForInitialPage: false,
        // Pages are controlled through the protocol alone, so the library need not watch them.
        targetFilter: (target) => target.type() === "browser",
        // The command line decides what Ctrl-C means.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        timeout: START_MS,
      });
      return new BrowserProcess(browser, await browser.target().createCDPSession(), userDataDir);
    } catch (error) {
      await removeFolder(userDataDir);
      if (error instanceof TrawlError) throw error;
      const reason = (error as Error).message.slice(0, 500);
      throw new TrawlError("BROWSER_FAILED", `${options.executablePath} could not be started: ${reason}`, {
        cause: error,
      });
    }
  }

  private constructor(browser: Browser, root: CDPSession, userDataDir: string) {
    this.#browser = browser;
    this.#root = root;
    this.#userDataDir = userDataDir;
    this.pid = browser.process()?.pid ?? 0;
    process.once("exit", this.#onExit);
  }

  /** If `close` was not called, the library ends the browser, but we must remove its profile. */
  readonly #onExit = (): void => rmSync(this.#userDataDir, { recursive: true, force: true, maxRetries: 3 });

  get alive(): boolean {
    return this.#browser.connected;
  }

  /** Returns a function that stops listening. */
  onLost(listener: () => void): () => void {
    this.#browser.on("disconnected", listener);
    return () => this.#browser.off("disconnected", listener);
  }

  async openPage(): Promise<BrowserPage> {
    const { browserContextId } = await this.#ask(
      this.#root.send("Target.createBrowserContext", { disposeOnDetach: true }),
    );
    const [{ targetId }] = await this.#ask(
      Promise.all([
        this.#root.send("Target.createTarget", { url: "about:blank", browserContextId }),
        this.#root.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
        // Granting none denies all the others.
        this.#root.send("Browser.grantPermissions", { permissions: [], browserContextId }),
      ]),
    );
    const { sessionId } = await this.#ask(this.#root.send("Target.attachToTarget", { targetId, flatten: true }));
    const session = this.#root.connection()?.session(sessionId);
    if (!session) throw new Error("The browser closed the page immediately.");
    return { session, targetId, browserContextId };
  }

  /** Disposing of the context ends its page, whatever it is doing. */
  async closePage(page: BrowserPage): Promise<void> {
    if (!this.alive) return;
    try {
      await this.#ask(this.#root.send("Target.disposeBrowserContext", { browserContextId: page.browserContextId }));
    } catch {
      // A browser that cannot close a page cannot be trusted with another, so it is treated as lost and a new one
      // starts.
      if (this.alive) await this.kill();
    }
  }

  /** Resolves when no process is left. There is nothing to save, so the browser is killed. */
  async kill(): Promise<void> {
    const child = this.#browser.process();
    const exited =
      child === null || child.exitCode !== null || child.signalCode !== null
        ? Promise.resolve()
        : new Promise<void>((resolve) => child.once("exit", () => resolve()));
    // Debian's command is a shell script, so its process alone is not the browser.
    await endGroup(this.pid);
    await within(exited, EXIT_MS);
    await removeFolder(this.#userDataDir);
    process.removeListener("exit", this.#onExit);
  }

  async #ask<T>(reply: Promise<T>): Promise<T> {
    const outcome = await within(reply, REPLY_MS);
    if (outcome === LATE) throw new Error("The browser does not answer.");
    return outcome;
  }
}

/** Folders of processes on this machine; in a container, process ids mean something else. */
function ownPrefix(): string {
  try {
    return `trawl-browser-${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))![0]}-`;
  } catch {
    return "trawl-browser-0-";
  }
}

/** Removes the profiles of processes that were killed: their browsers have ended with them. */
export function removeLeftFolders(folder: string, prefix = ownPrefix()): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isProcessAlive(pid)) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // Another user's folder, or a browser that is just ending: the next start removes it.
    }
  }
}

async function removeFolder(path: string): Promise<void> {
  // A dying process may still write, and a folder left behind must not fail a crawl.
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {});
}

/** Resolves when none of them is running. `leader` must have been started as the leader of its own group. */
export async function endGroup(leader: number): Promise<void> {
  // Group 0 would be our own: a browser that never became a process must not take us with it.
  if (leader <= 0) return;
  if (process.platform === "win32") {
    await promisify(execFile)("taskkill", ["/pid", String(leader), "/T", "/F"]).catch(() => {});
    return;
  }
  if (!signalGroup(leader, "SIGKILL")) return;
  const end = performance.now() + EXIT_MS;
  while (isRunning(leader) && performance.now() < end) await sleep(5);
}

function isRunning(leader: number): boolean {
  return process.platform === "linux" ? groupMembers(leader).length > 0 : signalGroup(leader, 0);
}

/** False: no process is left to signal. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Linux only. Zombies are not counted: in a container, they may stay for seconds. */
export function groupMembers(leader: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        // proc(5): the name is in brackets and may contain anything; state and group follow it.
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(group) === leader && state !== "Z" && state !== "X";
      } catch {
        return false; // It has ended in the meantime.
      }
    })
    .map(Number);
}

export const LATE = Symbol("late");

/** Waits for a promise with a time limit, so that a page that hangs cannot make us hang. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.max(0, ms), LATE);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
