/** `trawl desktop` as a user runs it, and control of its window. */
import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { type Line, linesOf, Trawl } from "../cli/trawl.ts";
import { chromium } from "./screen.ts";

export interface Desktop {
  child: ChildProcessWithoutNullStreams;
  lines: AsyncGenerator<Line>;
  url: string;
  /** The test's control of the window, separate from Trawl's. */
  browser: Browser;
  page: Page;
  /** Like the window's close button: the page may ask first. */
  closeWindow(): Promise<void>;
  /** Exit code and signal. */
  ended: Promise<[number | null, string | null]>;
}

export class DesktopRuns {
  readonly trawl = new Trawl();
  readonly #running = new Map<ChildProcessWithoutNullStreams, Desktop["ended"]>();

  constructor(display: string) {
    // Trawl controls its browser through a pipe that no other process has; the test needs a port in addition.
    const wrapper = join(this.trawl.folder, "chromium-with-port");
    writeFileSync(wrapper, `#!/bin/sh\nexec "${chromium}" --remote-debugging-port=0 "$@"\n`, { mode: 0o755 });
    Object.assign(process.env, { DISPLAY: display, TRAWL_BROWSER: wrapper });
  }

  get folder(): string {
    return join(this.trawl.folder, "home", "desktop");
  }

  async open(): Promise<Desktop> {
    // A file left behind by a killed browser is not valid.
    const portFile = join(this.folder, "profile", "DevToolsActivePort");
    rmSync(portFile, { force: true });
    const child = this.trawl.start("desktop", "--no-update-check", "--json");
    const ended = once(child, "close") as Desktop["ended"];
    this.#running.set(child, ended);
    let complaint = "";
    child.stderr.on("data", (chunk) => {
      complaint += chunk;
    });
    const lines = linesOf(child);
    const { value: line } = await lines.next();
    assert.equal(line?.event, "window", complaint);
    const [port, path] = (await whenWritten(portFile, /\n./)).trim().split("\n");
    const browser = await puppeteer.connect({
      browserWSEndpoint: `ws://127.0.0.1:${port}${path}`,
      defaultViewport: null,
      protocolTimeout: 0,
    });
    const [page, ...more] = await browser.pages();
    assert.deepEqual(more, []);
    // A busy machine is slow, not broken: only the runner's limit on a test ends a wait.
    page!.setDefaultTimeout(0);
    await page!.locator("h1").wait();
    const session = await page!.createCDPSession();
    return {
      child,
      lines,
      url: String(line["url"]),
      browser,
      page: page!,
      // It does not return when the page is closed.
      closeWindow: async () => void session.send("Page.close").catch(() => {}),
      ended,
    };
  }

  /** What a failed test left running. */
  async endAll(): Promise<void> {
    for (const child of this.#running.keys()) child.kill("SIGKILL");
    await Promise.all(this.#running.values());
    this.#running.clear();
  }

  remove(): void {
    this.trawl.remove();
  }
}

/** Resolves with the file's contents as soon as they match the pattern. Its folder must exist. */
export function whenWritten(file: string, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(file), look);
    function look(): void {
      const text = readIfThere(file);
      if (!pattern.test(text)) return;
      watcher.close();
      resolve(text);
    }
    watcher.once("error", reject);
    look();
  });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
