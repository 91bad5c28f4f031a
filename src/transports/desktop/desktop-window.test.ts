/** What goes wrong before there is a window; what goes right is in `test/desktop`, on a real screen. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { DesktopWindow, WindowPages } from "./desktop-window.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-window-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a browser that ends at once is tried again for a while, and then told of", async () => {
  let now = 0;
  const pauses: number[] = [];
  const open = DesktopWindow.open({
    executablePath: process.execPath,
    folder,
    serverUrl: "http://127.0.0.1:1",
    signInUrl: () => assert.fail("no sign-in was expected"),
    place: null,
    onPlace: () => {},
    env: process.env,
    clock: {
      now: () => now,
      after(ms, callback) {
        pauses.push(ms);
        now += 3_000;
        callback();
        return () => {};
      },
    },
  });
  // Node takes none of a browser's options.
  await assert.rejects(open, { code: "WINDOW_FAILED", message: /could not open a window: it ended immediately/ });
  assert.equal(pauses.length, 2);
});

const SERVER = "http://127.0.0.1:8080";
const page = (targetId: string, url: string, type = "page") => ({ targetId, type, url });

/** Whether it has resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await setImmediate();
  return done;
}

test("the window is there with its first page, and signed in when a screen shows without a code", async () => {
  const pages = new WindowPages(SERVER);
  pages.saw(page("new tab", "about:blank"));
  pages.saw(page("another program", "http://127.0.0.1:8081/"));
  pages.saw(page("worker", `${SERVER}/sw.js`, "service_worker"));
  assert.equal(pages.main, null);
  pages.saw(page("app", `${SERVER}/icon.svg`));
  assert.equal(await pages.appeared, "app");
  pages.saw(page("app", `${SERVER}/?desktop=&token=abc`));
  assert.equal(await isDone(pages.signedIn), false);
  pages.saw(page("app", `${SERVER}/?desktop=`));
  assert.equal(await isDone(pages.signedIn), true);
});

test("the window is closed when the last page of the app is gone, whatever else is open", async () => {
  const pages = new WindowPages(SERVER);
  pages.saw(page("app", `${SERVER}/`));
  pages.saw(page("second", `${SERVER}/crawls/1/live`));
  pages.saw(page("link", "https://example.com/"));
  pages.saw(page("app", "https://example.com/left"));
  pages.lost("second");
  assert.equal(await isDone(pages.closed), false);
  pages.lost("link");
  assert.equal(await isDone(pages.closed), false);
  pages.lost("app");
  assert.equal(await isDone(pages.closed), true);
});

test("the window is closed when its browser is gone", async () => {
  const pages = new WindowPages(SERVER);
  pages.saw(page("app", `${SERVER}/`));
  pages.lostAll();
  assert.equal(await isDone(pages.closed), true);
  assert.equal(pages.main, null);
});
