import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Renderer } from "./renderer.ts";
import { launch, needsBrowser, page } from "./testing/browser.ts";
import { json, type PageServer, servePages } from "./testing/page-server.ts";

describe("Renderer", needsBrowser, () => {
  let renderer: Renderer;
  /** One whose pages reach the cap. */
  let short: Renderer;
  let server: PageServer;

  before(async () => {
    server = await servePages({
      "/links.json": json(["/one", "/two"]),
      "/moved.js": (_request, response) => response.writeHead(302, { Location: "/target.js" }).end(),
      "/frame": (_request, response) =>
        response.setHeader("Content-Type", "text/html").end("<script src=/in-frame.js></script>"),
      "/hang": () => {},
      "/events": (_request, response) => response.writeHead(200, { "Content-Type": "text/event-stream" }).write("\n"),
    });
    renderer = await launch({ tabs: 3, blockUrl: (url) => url.includes("/tracker") });
    short = await launch({ maxWaitMs: 2_000 });
  });
  after(async () => {
    await renderer?.close();
    await short?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const render = (path: string, html: string, over = {}) => renderer.render(page(server.origin + path, html, over));
  const asked = (text: string) => server.seen.filter((line) => line.includes(text));

  it("renders links that a script makes after a fetch, and asks for the document zero times", async () => {
    const result = await render(
      "/made-links",
      `<!DOCTYPE html><title>t</title><body><img src=/picture.png><script src=/app.js></script><script>
        fetch("/links.json").then((answer) => answer.json()).then((links) => {
          for (const link of links) document.body.append(Object.assign(document.createElement("a"), { href: link }));
        });
      </script>`,
    );
    assert.match(result.html, /^<!DOCTYPE html><html>.*<a href="\/one"><\/a><a href="\/two"><\/a><\/body><\/html>$/s);
    assert.equal(result.finalUrl, `${server.origin}/made-links`);
    assert.deepEqual([result.settled, result.truncated, result.redirectedTo], [true, false, null]);
    assert.deepEqual(result.consoleErrors, []);
    assert.deepEqual(asked("/made-links"), []);
    assert.deepEqual(asked("/picture.png"), []);
    const list = result.requests.map(({ url, type, status, failed, blocked }) => [
      url.slice(server.origin.length),
      type,
      status,
      failed,
      blocked,
    ]);
    assert.deepEqual(list.sort(), [
      ["/app.js", "script", 200, null, false],
      ["/links.json", "fetch", 200, null, false],
      ["/picture.png", "image", null, null, true],
    ]);
    const { navigate, settle, total } = result.timings;
    assert.ok(navigate > 0 && settle > 0 && total >= navigate + settle);
  });

  it("lists every kind of request with its outcome", async () => {
    const result = await render(
      "/kinds",
      `<!DOCTYPE html><link rel=stylesheet href=/a.css><script src=/moved.js></script><script src=/tracker.js></script>
      <iframe src=/frame></iframe><video src=/a.mp4></video>
      <style>@font-face { font-family: f; src: url(/a.woff2) } body { font-family: f }</style>text
      <script>
        const ask = new XMLHttpRequest(); ask.open("POST", "/xhr"); ask.send("x");
        fetch("http://127.0.0.1:1/refused").catch(() => {});
        const source = 'fetch("${server.origin}/in-worker")';
        new Worker(URL.createObjectURL(new Blob([source])));
        new WebSocket("ws" + location.origin.slice(4) + "/socket");
      </script>`,
    );
    const find = (end: string) => result.requests.find(({ url }) => url.endsWith(end));
    const outcome = (end: string) => {
      const found = find(end);
      return found && [found.method, found.type, found.status, found.blocked];
    };
    assert.deepEqual(outcome("/a.css"), ["GET", "stylesheet", 200, false]);
    assert.deepEqual(outcome("/moved.js"), ["GET", "script", 302, false]);
    assert.deepEqual(outcome("/target.js"), ["GET", "script", 200, false]);
    assert.deepEqual(outcome("/tracker.js"), ["GET", "script", null, true]);
    assert.deepEqual(outcome("/frame"), ["GET", "document", 200, false]);
    assert.deepEqual(outcome("/in-frame.js"), ["GET", "script", 200, false]);
    assert.deepEqual(outcome("/a.mp4"), ["GET", "media", null, true]);
    assert.deepEqual(outcome("/a.woff2"), ["GET", "font", null, true]);
    assert.deepEqual(outcome("/xhr"), ["POST", "xhr", 200, false]);
    assert.deepEqual(outcome("/in-worker"), ["GET", "fetch", 200, false]);
    assert.equal(find("/socket")?.type, "websocket");
    assert.match(find("/refused")?.failed ?? "", /^net::ERR_/);
    assert.equal(result.requests.length, 12);
    assert.deepEqual([...asked("/tracker"), ...asked("/a.mp4"), ...asked("/a.woff2")], []);
  });

  it("gives up on a page that changes forever, at the cap", async () => {
    const restless = "<body><script>setInterval(() => document.body.append('x'), 50)</script>";
    const result = await short.render(page(`${server.origin}/restless`, restless));
    assert.equal(result.settled, false);
    assert.match(result.html, /xxx/);
  });

  it("waits for timers one after another, whatever time they ask for", async () => {
    const result = await render(
      "/timers",
      `<body><script>
        let count = 0;
        const next = () => { document.body.append("n" + count); if (++count < 40) setTimeout(next, 400); };
        next();
      </script>`,
    );
    assert.deepEqual([result.settled, result.html.includes("n39")], [true, true]);
    // A tenth of it on a quiet machine: the page's clock runs ahead of ours.
    assert.ok(result.timings.settle < 16_000, `16 s of timers took ${result.timings.settle} ms`);
  });

  it("runs callbacks for frames, visibility and idle time", async () => {
    const result = await render(
      "/frames",
      `<body><p id=seen>x</p><script>
        requestAnimationFrame(() => requestAnimationFrame(() => document.body.append("drawn")));
        new IntersectionObserver(() => document.body.append("observed")).observe(seen);
        requestIdleCallback(() => document.body.append("idle"));
      </script>`,
    );
    for (const word of ["drawn</", "observed</", "idle</"]) {
      assert.ok(
        result.html
          .replace(/<script>.*<\/script>/s, "")
          .replace(/(drawn|observed|idle)/g, "$1</")
          .includes(word),
        word,
      );
    }
  });

  it("scrolls to the end on request, for what is loaded when it comes into view", async () => {
    const scrolling = await launch({ scroll: true });
    const lazy = `<p id=end style="margin-top:9000px">end</p><script>
      let parts = 0;
      const observer = new IntersectionObserver(([seen]) => {
        if (!seen.isIntersecting || parts === 3) return;
        document.body.insertAdjacentHTML("beforeend", "<a href=/part-" + ++parts + ">x</a><p style='margin-top:3000px'>");
        observer.disconnect();
        observer.observe(document.body.lastElementChild);
      });
      observer.observe(end);
    </script>`;
    const inner = `<body style="margin:0"><div id=box style="height:100vh;overflow:auto"><p style="height:5000px"><p id=end>e</div><script>
      new IntersectionObserver(([seen]) => { if (seen.isIntersecting) box.append("at the end"); }).observe(end);
    </script>`;
    try {
      const still = await render("/lazy", `<body>${lazy}`);
      const scrolled = await scrolling.render(page(`${server.origin}/lazy`, `<body>${lazy}`));
      assert.deepEqual(
        [still.html.match(/part-\d/g), scrolled.html.match(/part-\d/g)],
        [null, ["part-1", "part-2", "part-3"]],
      );
      assert.equal(scrolled.settled, true);
      const box = await scrolling.render(page(`${server.origin}/inner`, inner));
      assert.match(box.html, /at the end<\/div>/);
      const short = await scrolling.render(page(`${server.origin}/short`, "<p>x"));
      assert.equal(short.settled, true);
    } finally {
      await scrolling.close();
    }
  });

  it("does not wait for event streams, nor forever for a long poll", async () => {
    const stream = await render("/stream", "<body>x<script>new EventSource('/events')</script>");
    assert.equal(stream.settled, true);
    // Half of the cap is what a request gets, so the cap must not be long here.
    const patient = await launch({ maxWaitMs: 5_000 });
    try {
      const poll = await patient.render(page(`${server.origin}/poll`, "<body>y<script>fetch('/hang')</script>"));
      assert.deepEqual([poll.settled, poll.requests[0]?.status], [true, null]);
    } finally {
      await patient.close();
    }
  });

  for (const [name, html, target] of [
    ["a script", "<script>location.href = '/away#part'</script>", "/away#part"],
    ["a meta refresh", "<meta http-equiv=refresh content='0; url=/away'>", "/away"],
    ["itself, again and again", "<script>setInterval(() => location.reload(), 1)</script>", "/page"],
    ["a click", "<a id=a href=/away>x</a><script>a.click()</script>", "/away"],
  ] as const) {
    it(`reports where ${name} leads, and does not go there`, async () => {
      const result = await render("/page", `<body>here${html}`);
      assert.equal(result.redirectedTo, server.origin + target);
      assert.equal(result.settled, target !== "/page");
      assert.match(result.html, /here/);
      assert.equal(result.finalUrl, `${server.origin}/page`);
      assert.deepEqual([...asked("/away"), ...asked("/page")], []);
    });
  }

  it("does not take a download for the way to another page", async () => {
    const script = "<script>a.click(); setTimeout(() => { document.title = 'stayed'; }, 50)</script>";
    const result = await render("/save", `<body><a id=a href=/file.bin download>x</a>${script}`);
    assert.equal(result.redirectedTo, null);
    assert.match(result.html, /stayed/);
    assert.deepEqual(asked("/file.bin"), []);
  });

  it("lists a form that submits itself, and does not send it", async () => {
    const result = await render("/form", "<form method=post action=/sent id=f></form><script>f.submit()</script>");
    assert.equal(result.redirectedTo, null);
    assert.deepEqual(
      result.requests.map(({ method, type, blocked }) => [method, type, blocked]),
      [["POST", "document", true]],
    );
    assert.deepEqual(asked("/sent"), []);
  });

  it("keeps the page when it goes to no page of the web", async () => {
    for (const target of [
      "'about:blank'",
      "URL.createObjectURL(new Blob(['<p>made</p>'], { type: 'text/html' }))",
      "'file:///etc/passwd'",
      "'chrome://version'",
      "'data:text/html,x'",
      "'mailto:a@b.test'",
    ]) {
      const result = await render("/stay", `<body>here<script>location.href = ${target}</script>`);
      assert.match(result.html, /here/, target);
      assert.equal(result.redirectedTo, null, target);
    }
  });

  it("follows the address that a page gives itself", async () => {
    const result = await render("/app", "<script>history.pushState({}, '', '/app/view?x=1#top')</script>");
    assert.deepEqual([result.finalUrl, result.redirectedTo], [`${server.origin}/app/view?x=1#top`, null]);
    assert.equal(result.baseUrl, result.finalUrl);
  });

  it("lists the addresses that a page gives itself, and the base it ends with", async () => {
    const result = await render(
      "/routes",
      `<script>
        for (const path of ["/one", "two", "/one"]) history.pushState({}, "", path);
        history.replaceState({}, "", "/three");
        location.hash = "part";
        document.head.append(Object.assign(document.createElement("base"), { href: "/base/" }));
      </script>`,
    );
    const paths = result.addresses.map((address) => address.slice(server.origin.length));
    assert.deepEqual(paths, ["/one", "/two", "/three", "/three#part"]);
    assert.deepEqual([result.finalUrl, result.baseUrl], [`${server.origin}/three#part`, `${server.origin}/base/`]);
  });

  it("never starts a service worker", async () => {
    const result = await render(
      "/registers",
      `<body><iframe id=kept srcdoc="<script>navigator.serviceWorker.register('/sw-frame.js')</script>"></iframe><script>
        const blank = document.body.appendChild(document.createElement("iframe")).contentWindow;
        const { register } = blank.ServiceWorkerContainer.prototype;
        register.call(navigator.serviceWorker, "/sw-blank.js");
        navigator.serviceWorker.register("/sub/sw-own.js").then((it) => document.body.append("scope " + it.scope + " " + (it.active === null)));
        navigator.serviceWorker.addEventListener("message", () => {});
      </script>`,
    );
    assert.ok(result.html.includes(`scope ${server.origin}/sub/ true`));
    assert.deepEqual(asked("/sw-"), []);
  });

  it("dismisses dialogs, and lets no popup, download or prefetch out", async () => {
    const result = await render(
      "/rude",
      `<link rel=prefetch href=/prefetched>
      <script type=speculationrules>{"prefetch":[{"source":"list","urls":["/speculated"],"eagerness":"immediate"}]}</script>
      <body><a id=blank target=_blank href=/popup-link>x</a><a id=load download href=/downloaded>x</a><script>
        alert(1);
        document.body.append(confirm("?") + "-" + prompt("?"));
        window.open("/popup");
        blank.click();
        load.click();
      </script>`,
    );
    assert.match(result.html, /false-null/);
    assert.deepEqual(
      [...asked("/popup"), ...asked("/downloaded"), ...asked("/prefetched"), ...asked("/speculated")],
      [],
    );
  });

  it("collects exceptions and console errors, up to a limit", async () => {
    const result = await render(
      "/errors",
      `<img src=/blocked.png><script>console.error("first", 2, { a: 1 }); console.log("not this")</script>
      <script>throw new TypeError("second")</script><script>Promise.reject(new Error("third"))</script>
      <script>for (let count = 0; count < 100; count++) console.error("x".repeat(1000))</script>`,
    );
    const [first, second, third] = result.consoleErrors;
    assert.equal(first, "first 2 Object");
    assert.match(second ?? "", /Uncaught TypeError: second/);
    assert.ok(third?.startsWith("xxx") || third?.includes("third"), third);
    assert.equal(result.consoleErrors.length, 50);
    assert.ok(result.consoleErrors.every((text) => text.length <= 500));
  });

  it("shows an error page of the server, an empty one, and one that came with odd headers", async () => {
    const headers = [
      ["Content-Type", "text/html"],
      ["Content-Encoding", "br"],
      ["Content-Length", "3"],
      ["Content-Disposition", "attachment"],
      ["Content-Security-Policy", "default-src 'none'"],
    ];
    const gone = await render("/gone", "<body>gone", { status: 404, headers });
    assert.match(gone.html, /gone/);
    const empty = await render("/empty", "", { status: 500 });
    assert.equal(empty.html, "<html><head></head><body></body></html>");
  });

  it("reads open shadow roots", async () => {
    const result = await render(
      "/shadow",
      `<!DOCTYPE html><html lang=en><body><x-a></x-a><script>
        document.querySelector("x-a").attachShadow({ mode: "open" }).innerHTML = "<a href=/deep>x</a>";
      </script>`,
    );
    assert.match(result.html, /^<!DOCTYPE html><html lang="en"><head>/);
    assert.match(result.html, /<x-a><template shadowrootmode="open"><a href="\/deep">x<\/a><\/template><\/x-a>/);
  });

  it("cuts a page that is too long", async () => {
    const small = await launch({ maxHtmlLength: 1_000 });
    try {
      const result = await small.render(page(`${server.origin}/long`, `<body>${"x".repeat(5_000)}`));
      assert.deepEqual([result.truncated, result.html.length], [true, 1_000]);
    } finally {
      await small.close();
    }
  });

  it("renders 20 pages over 3 tabs, each with its own content", async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const results = await Promise.all(
      numbers.map((number) => render(`/many-${number}`, `<body><script>document.body.append("n${number}.")</script>`)),
    );
    for (const number of numbers) {
      assert.match(results[number]!.html, new RegExp(`</script>n${number}\\.</body>`));
      assert.equal(results[number]!.finalUrl, `${server.origin}/many-${number}`);
    }
  });
});
