import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { groupMembers } from "./browser-process.ts";
import type { Renderer } from "./renderer.ts";
import { launch, needsBrowser, page } from "./testing/browser.ts";
import { type PageServer, servePages } from "./testing/page-server.ts";

describe("tabs", needsBrowser, () => {
  let server: PageServer;
  let renderer: Renderer;
  /** One whose pages reach the cap. */
  let short: Renderer;

  before(async () => {
    let asked = 0;
    server = await servePages({
      "/hang": () => {},
      "/later": (_request, response) => void (asked++ > 0 && response.end()),
    });
    renderer = await launch({ pagesPerTab: 5 });
    short = await launch({ maxWaitMs: 1_500 });
  });
  after(async () => {
    await renderer?.close();
    await short?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const render = (path: string, html: string, signal?: AbortSignal) =>
    renderer.render(page(server.origin + path, html, { signal }));
  const plain = (path: string) => render(path, "<body>well");

  const REMEMBER = `<body><script>
    (async () => {
      const databases = await indexedDB.databases();
      document.body.append(JSON.stringify([
        document.cookie, localStorage.length, sessionStorage.length, databases.length, history.length,
        (await navigator.serviceWorker.getRegistrations()).length,
      ]));
      document.cookie = "seen=1; max-age=9999";
      localStorage.seen = sessionStorage.seen = 1;
      indexedDB.open("seen");
      await navigator.serviceWorker.register("/worker.js");
      addEventListener("pagehide", () => navigator.sendBeacon("/farewell"));
    })();
  </script>`;

  it("show a page nothing of the pages before it", async () => {
    // The first three follow each other at once, the last after a rest.
    const results = await Promise.all([1, 2, 3].map((count) => render(`/memory-${count}`, REMEMBER)));
    results.push(await render("/memory-4", REMEMBER));
    for (const result of results) {
      assert.match(result.html, /\["",0,0,0,1,0\]/);
      assert.deepEqual(result.requests, []);
    }
    assert.deepEqual(
      server.seen.filter((line) => /farewell|worker/.test(line)),
      [],
    );
  });

  it("give a page the cookies that came with it", async () => {
    const result = await renderer.render(
      page(`${server.origin}/cookies`, "<body><script>document.body.append(document.cookie)</script>", {
        headers: [
          ["Content-Type", "text/html"],
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2; HttpOnly"],
        ],
      }),
    );
    assert.match(result.html, /<\/script>a=1</);
  });

  it("work on after many pages, in a new tab", async () => {
    for (let count = 0; count < 12; count++) assert.match((await plain(`/many-${count}`)).html, /well/);
  });

  for (const [name, script] of [
    ["at once", "for (;;);"],
    ["after a while", "setTimeout(() => { for (;;); }, 100)"],
    ["in promises", "(function again() { Promise.resolve().then(again); })()"],
  ]) {
    it(`read a page that loops ${name}, and are replaced`, async () => {
      const result = await short.render(page(`${server.origin}/loop`, `<body>before<script>${script}</script>`));
      assert.deepEqual([result.settled, result.html.includes("before")], [false, true]);
      assert.match((await short.render(page(`${server.origin}/after-loop`, "<body>well"))).html, /well/);
    });
  }

  it("survive messages without end", async () => {
    const messages = `<body>before<script>
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => port2.postMessage(0);
      port2.postMessage(0);
    </script>`;
    const result = await short.render(page(`${server.origin}/messages`, messages));
    assert.match(result.html, /before/);
  });

  const onLinux = { skip: process.platform !== "linux" && "needs /proc", timeout: 120_000 };

  /** As a page does that uses up their memory. */
  function killTabs(): void {
    for (const pid of groupMembers(renderer.pid)) {
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) process.kill(pid, "SIGKILL");
    }
  }

  it("report a page that crashes again when it is alone, and are replaced", onLinux, async () => {
    const outcome = assert.rejects(render("/crash", "<body><script>fetch('/hang')</script>"), { code: "PAGE_CRASHED" });
    for (let crashes = 0; crashes < 2; crashes++) {
      await server.asked("/hang");
      killTabs();
    }
    await outcome;
    assert.match((await plain("/after-crash")).html, /well/);
  });

  it("render a page again whose tab another one crashed", onLinux, async () => {
    const rendering = render("/neighbour", "<body>well<script>fetch('/later')</script>");
    await server.asked("/later");
    killTabs();
    assert.match((await rendering).html, /well/);
  });

  it("report a document that the browser will not show", async () => {
    const download = page(`${server.origin}/zip`, "PK", { headers: [["Content-Type", "application/zip"]] });
    await assert.rejects(renderer.render(download), { code: "PAGE_NOT_SHOWN" });
    assert.match((await plain("/after-zip")).html, /well/);
  });

  it("stop on request, waiting or under way", async () => {
    const controller = new AbortController();
    const running = render("/endless", "<body><script>fetch('/hang')</script>", controller.signal);
    const waiting = render("/waiting", "<body>x", controller.signal);
    const other = plain("/other");
    const outcomes = Promise.allSettled([running, waiting]);
    await server.asked("/hang");
    const reason = new Error("enough");
    controller.abort(reason);
    for (const outcome of await outcomes) assert.equal(outcome.status === "rejected" && outcome.reason, reason);
    await assert.rejects(render("/late", "<body>x", controller.signal), reason);
    assert.match((await other).html, /well/);
  });

  it("leave nothing on a signal that serves many pages", async () => {
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3].map((count) => render(`/signal-${count}`, "<body>x", signal)));
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("keep the order in which pages came", async () => {
    const order: number[] = [];
    await Promise.all([1, 2, 3, 4].map((number) => plain(`/order-${number}`).then(() => order.push(number))));
    assert.deepEqual(order, [1, 2, 3, 4]);
  });
});
