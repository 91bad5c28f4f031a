/** `trawl desktop` as a person runs it, and a hand on its window. */
import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { type Line, linesOf, Trawl } from "../cli/trawl.ts";
import { chromium } from "./screen.ts";

export interface Desktop {
  child: ChildProcessWithoutNullStreams;
  lines: AsyncGenerator<Line>;
  url: string;
  /** Another hand than Trawl's own: the test's. */
  browser: Browser;
  page: Page;
  /** As the button of the window does: the page is asked first. */
  closeWindow(): Promise<void>;
  /** Exit code and signal. */
  ended: Promise<[number | null, string | null]>;
}

export class DesktopRuns {
  readonly trawl = new Trawl();
  readonly #children: ChildProcessWithoutNullStreams[] = [];

  constructor(display: string) {
    // Trawl steers its browser through a pipe that nobody else has; the test's hand needs a port besides.
    const wrapper = join(this.trawl.folder, "chromium-with-port");
    writeFileSync(wrapper, `#!/bin/sh\nexec "${chromium}" --remote-debugging-port=0 "$@"\n`, { mode: 0o755 });
    Object.assign(process.env, { DISPLAY: display, TRAWL_BROWSER: wrapper });
  }

  get folder(): string {
    return join(this.trawl.folder, "home", "desktop");
  }

  async open(): Promise<Desktop> {
    const child = this.trawl.start("desktop", "--no-update-check", "--json");
    this.#children.push(child);
    const ended = once(child, "close") as Desktop["ended"];
    let complaint = "";
    child.stderr.on("data", (chunk) => {
      complaint += chunk;
    });
    const lines = linesOf(child);
    const { value: line } = await lines.next();
    assert.equal(line?.event, "window", complaint);
    const [port, path] = readFileSync(join(this.folder, "profile", "DevToolsActivePort"), "utf8")
      .trim()
      .split("\n");
    const browser = await puppeteer.connect({
      browserWSEndpoint: `ws://127.0.0.1:${port}${path}`,
      defaultViewport: null,
    });
    const [page, ...more] = await browser.pages();
    assert.deepEqual(more, []);
    const session = await page!.createCDPSession();
    return {
      child,
      lines,
      url: String(line["url"]),
      browser,
      page: page!,
      // It does not come back when the page goes.
      closeWindow: async () => void session.send("Page.close").catch(() => {}),
      ended,
    };
  }

  /** With what a failed test left running. */
  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    this.trawl.remove();
  }
}
