import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { groupMembers, removeLeftFolders } from "./browser-process.ts";
import { launch, needsBrowser, page } from "./testing/browser.ts";
import { type PageServer, servePages } from "./testing/page-server.ts";

const onLinux = process.platform === "linux" ? needsBrowser : { skip: "needs /proc" };

describe("the browser's processes", onLinux, () => {
  let server: PageServer;
  let folder: string;

  before(async () => {
    // Profiles go where TMPDIR says: here they are not mixed with those of other tests.
    folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
    process.env["TMPDIR"] = folder;
    server = await servePages({ "/hang": () => {}, "/wait": () => {} });
  });
  after(async () => {
    delete process.env["TMPDIR"];
    rmSync(folder, { recursive: true });
    await server?.[Symbol.asyncDispose]();
  });

  const left = () => readdirSync(folder);
  const plain = () => page(`${server.origin}/plain`, "<body>well");
  const hanging = () => page(`${server.origin}/hanging`, "<body><script>fetch('/hang')</script>");

  it("have ended after close, and their profile is removed", async () => {
    const renderer = await launch({ tabs: 2 });
    const { pid } = renderer;
    await Promise.all([renderer.render(plain()), renderer.render(plain())]);
    assert.ok(groupMembers(pid).length > 2);
    await renderer.close();
    assert.deepEqual(groupMembers(pid), []);
    assert.deepEqual(left(), []);
    await assert.rejects(renderer.render(plain()), { code: "BROWSER_FAILED" });
  });

  it("have ended after a close in the middle of pages and after aborts", async () => {
    const renderer = await launch({ tabs: 2 });
    const { pid } = renderer;
    const controller = new AbortController();
    const aborted = renderer.render({ ...hanging(), signal: controller.signal });
    const running = renderer.render(hanging());
    const waiting = renderer.render(plain());
    const outcomes = Promise.allSettled([aborted, running, waiting]);
    await server.asked("/hang");
    controller.abort();
    await Promise.all([renderer.close(), renderer.close()]);
    const [first, second, third] = await outcomes;
    assert.deepEqual([first.status, second.status], ["rejected", "rejected"]);
    assert.ok(third.status === "rejected" || third.value.settled);
    assert.deepEqual(groupMembers(pid), []);
    assert.deepEqual(left(), []);
  });

  it("are started again when they die, and the page under way is rendered all the same", async () => {
    const renderer = await launch();
    try {
      const first = renderer.pid;
      const controller = new AbortController();
      const running = renderer.render({ ...hanging(), signal: controller.signal });
      const waiting = renderer.render(plain());
      await server.asked("/hang");
      process.kill(-first, "SIGKILL");
      await server.asked("/hang");
      assert.notEqual(renderer.pid, first);
      controller.abort();
      await assert.rejects(running, { name: "AbortError" });
      assert.match((await waiting).html, /well/);
      assert.deepEqual(groupMembers(first), []);
    } finally {
      await renderer.close();
    }
    assert.deepEqual(left(), []);
  });

  it("have died once, however many tabs were busy", async () => {
    const renderer = await launch({ tabs: 2, maxWaitMs: 2_000 });
    try {
      const busy = Promise.all([server.asked("/hang"), server.asked("/wait")]);
      const other = page(`${server.origin}/waiting`, "<body>waits<script>fetch('/wait')</script>");
      const running = Promise.all([renderer.render(hanging()), renderer.render(other)]);
      await busy;
      process.kill(-renderer.pid, "SIGKILL");
      assert.match((await running)[1].html, /waits/);
    } finally {
      await renderer.close();
    }
  });

  const codeOf = (outcome: PromiseSettledResult<unknown>) =>
    outcome.status === "rejected" ? outcome.reason.code : outcome.status;

  it("that die twice with a page give up that page alone", async () => {
    const renderer = await launch();
    try {
      const outcomes = Promise.allSettled([renderer.render(hanging()), renderer.render(plain())]);
      for (let deaths = 0; deaths < 2; deaths++) {
        await server.asked("/hang");
        process.kill(-renderer.pid, "SIGKILL");
      }
      assert.deepEqual((await outcomes).map(codeOf), ["BROWSER_CRASHED", "fulfilled"]);
      assert.match((await renderer.render(plain())).html, /well/);
    } finally {
      await renderer.close();
    }
    assert.deepEqual(left(), []);
  });

  it("are given up when they die again and again", async () => {
    const renderer = await launch();
    try {
      const outcomes = Promise.allSettled([1, 2, 3, 4].map(() => renderer.render(hanging())));
      for (let deaths = 0; deaths < 7; deaths++) {
        await server.asked("/hang");
        process.kill(-renderer.pid, "SIGKILL");
      }
      const codes = (await outcomes).map(codeOf);
      assert.equal(codes.at(-1), "BROWSER_FAILED", codes.join());
      await assert.rejects(renderer.render(plain()), { code: "BROWSER_FAILED" });
    } finally {
      await renderer.close();
    }
    assert.deepEqual(left(), []);
  });

  it("end when we are killed", async () => {
    const script = `
      import { launch } from ${JSON.stringify(fileURLToPath(new URL("./testing/browser.ts", import.meta.url)))};
      const renderer = await launch();
      console.log(renderer.pid);
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await child.stdout.setEncoding("utf8").take(1).toArray()) as string[];
    const pid = Number(line);
    assert.ok(groupMembers(pid).length > 0);
    child.kill("SIGKILL");
    while (groupMembers(pid).length > 0) await sleep(5);
    // Nobody is left to remove the profile.
    for (const profile of left()) rmSync(join(folder, profile), { recursive: true });
  });

  it("are not there when they cannot be started", async () => {
    for (const executablePath of ["/nowhere/browser", "/bin/false"]) {
      await assert.rejects(launch({ executablePath }), { code: "BROWSER_FAILED" });
    }
    assert.deepEqual(left(), []);
  });
});

test("browser process: folders of dead processes are removed, and no others", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-left-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const gone = spawnSync(process.execPath, ["--version"]).pid;
  const kept = [`b-1-${process.pid}-aa`, `b-2-${gone}-bb`, "b-1-name", "other"];
  for (const name of [...kept, `b-1-${gone}-cc`]) mkdirSync(join(folder, name, "Default"), { recursive: true });
  removeLeftFolders(folder, "b-1-");
  assert.deepEqual(readdirSync(folder).sort(), kept.sort());
});
