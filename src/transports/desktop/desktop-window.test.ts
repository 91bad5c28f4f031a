/** What goes wrong before there is a window; what goes right is in `test/desktop`, on a real screen. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DesktopWindow } from "./desktop-window.ts";

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
  await assert.rejects(open, { code: "WINDOW_FAILED", message: /could not open a window: it ended as soon/ });
  assert.equal(pauses.length, 2);
});
