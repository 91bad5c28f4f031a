import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { FakeClock } from "../../../kernel/testing/fake-clock.ts";
import { type Desktop, openBrowser } from "./open.ts";

const URL_GIVEN = "http://127.0.0.1:8080/?a=1&token=x";

function desktop(platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}) {
  const child = Object.assign(new EventEmitter(), { unref: () => {} });
  const started: string[][] = [];
  const clock = new FakeClock();
  const given: Desktop = {
    platform,
    env,
    clock,
    start: (program, parameters) => {
      started.push([program, ...parameters]);
      return child;
    },
  };
  return { given, child, started, clock };
}

test("each system's opener gets the address as one argument, without a shell", async () => {
  const expected: [NodeJS.Platform, string[]][] = [
    ["darwin", ["open", URL_GIVEN]],
    ["win32", ["rundll32", "url.dll,FileProtocolHandler", URL_GIVEN]],
    ["linux", ["xdg-open", URL_GIVEN]],
  ];
  for (const [platform, command] of expected) {
    const { given, child, started } = desktop(platform, { DISPLAY: ":0" });
    const opened = openBrowser(URL_GIVEN, given);
    child.emit("exit", 0);
    assert.equal(await opened, true);
    assert.deepEqual(started, [command]);
  }
});

test("without a screen, without an opener, or when it fails, the answer is no", async () => {
  const headless = desktop("linux");
  assert.equal(await openBrowser(URL_GIVEN, headless.given), false);
  assert.deepEqual(headless.started, []);
  const missing = desktop("linux", { WAYLAND_DISPLAY: "w" });
  const tried = openBrowser(URL_GIVEN, missing.given);
  missing.child.emit("error", new Error("ENOENT"));
  assert.equal(await tried, false);
  const failing = desktop("linux", { DISPLAY: ":0" });
  const failed = openBrowser(URL_GIVEN, failing.given);
  failing.child.emit("exit", 3);
  assert.equal(await failed, false);
  assert.equal(failing.clock.timers, 0);
});

test("an opener that stays with its browser is not waited for", async () => {
  const { given, clock } = desktop("linux", { DISPLAY: ":0" });
  const opened = openBrowser(URL_GIVEN, given);
  await clock.advance(1_500);
  assert.equal(await opened, true);
});
