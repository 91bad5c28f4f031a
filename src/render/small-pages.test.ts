/**
 * Small pages that each say something late, by one way in which pages do that. A person who opens one reads the word
 * "ready", so its rendering must contain it.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Renderer } from "./renderer.ts";
import { launch, needsBrowser, page } from "./testing/browser.ts";
import { json, type PageServer, servePages, script as serveScript } from "./testing/page-server.ts";

interface SmallPage {
  name: string;
  html: string;
  /** Whether the page comes to rest; true when left out. */
  settled?: boolean;
}

const READY = 'document.body.append("rea" + "dy")';
const script = (text: string): string => `<!DOCTYPE html><body><script>${text}</script>`;
const worker = (text: string): string => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(text)}])))`;
const module = (text: string): string => `<!DOCTYPE html><body><script type=module>${text}</script>`;

const PAGES: SmallPage[] = [
  { name: "static text", html: "<body>ready" },
  ...[0, 100, 800, 1_500, 3_000, 4_900].map((ms) => ({
    name: `a timer of ${ms} ms`,
    html: script(`setTimeout(() => ${READY}, ${ms})`),
  })),
  { name: "a timer given as text", html: script(`setTimeout('${READY.replaceAll("'", '"')}', 1000)`) },
  {
    name: "a chain of timers",
    html: script(`const next = (n) => n ? setTimeout(next, 400, n - 1) : ${READY}; next(10)`),
  },
  {
    name: "a silent chain of long timers",
    html: script(`const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
      (async () => { for (let i = 0; i < 4; i++) await sleep(2000); ${READY}; })()`),
  },
  {
    name: "a chain of promises",
    html: script(
      `let p = Promise.resolve(); for (let i = 0; i < 1e4; i++) p = p.then(() => {}); p.then(() => ${READY})`,
    ),
  },
  { name: "a microtask", html: script(`queueMicrotask(() => ${READY})`) },
  {
    name: "an interval that stops",
    html: script(`let n = 0; const id = setInterval(() => { if (++n === 5) { clearInterval(id); ${READY}; } }, 300)`),
  },
  {
    name: "a slow interval that stops",
    html: script(`let n = 0; const id = setInterval(() => { if (++n === 4) { clearInterval(id); ${READY}; } }, 1000)`),
  },
  {
    name: "an interval that types letter by letter",
    html: script(
      `let n = 0; const id = setInterval(() => { document.body.append("ready"[n]); if (++n === 5) clearInterval(id); }, 700)`,
    ),
  },
  {
    name: "an interval without end that changes nothing",
    html: script(`setInterval(() => { window.ticks = 1 + (window.ticks ?? 0) }, 250); ${READY}`),
  },
  {
    name: "a timer that sets itself again without end and changes nothing",
    html: script(`(function again() { setTimeout(again, 100); })(); ${READY}`),
  },
  {
    name: "a clock without end",
    html: script(
      `const p = document.body.appendChild(document.createElement("p")); setInterval(() => { p.textContent = performance.now() }, 1000); ${READY}`,
    ),
    settled: false,
  },
  { name: "a frame", html: script(`requestAnimationFrame(() => ${READY})`) },
  {
    name: "frames, 90 in a row",
    html: script(
      `let n = 0; const frame = () => { if (++n === 90) ${READY}; else requestAnimationFrame(frame); }; requestAnimationFrame(frame)`,
    ),
  },
  {
    name: "frames for a second",
    html: script(
      `let start; const frame = (now) => { start ??= now; if (now - start > 1000) ${READY}; else requestAnimationFrame(frame); }; requestAnimationFrame(frame)`,
    ),
  },
  { name: "frames without end", html: script(`const frame = () => requestAnimationFrame(frame); frame(); ${READY}`) },
  {
    name: "an animation that ends",
    html: script(`document.body.animate([{ opacity: 0 }, { opacity: 1 }], 1500).finished.then(() => ${READY})`),
  },
  {
    name: "a transition that ends",
    html: `<style>p { opacity: 0; transition: opacity 1s }</style><p id=p>x</p>${script(`requestAnimationFrame(() => requestAnimationFrame(() => { p.style.opacity = 1 })); p.addEventListener("transitionend", () => ${READY})`)}`,
  },
  { name: "an idle moment", html: script(`requestIdleCallback(() => ${READY})`) },
  { name: "a posted task with a delay", html: script(`scheduler.postTask(() => ${READY}, { delay: 1200 })`) },
  {
    name: "a signal that times out",
    html: script(`AbortSignal.timeout(1500).addEventListener("abort", () => ${READY})`),
  },
  {
    name: "a message channel",
    html: script(
      `const { port1, port2 } = new MessageChannel(); port1.onmessage = ({ data }) => data ? port2.postMessage(data - 1) : ${READY}; port2.postMessage(50)`,
    ),
  },
  { name: "a message to itself", html: script(`onmessage = () => ${READY}; postMessage(1, "*")`) },
  {
    name: "a broadcast",
    html: script(`new BroadcastChannel("x").onmessage = () => ${READY}; new BroadcastChannel("x").postMessage(1)`),
  },
  {
    name: "a worker",
    html: script(
      `const w = ${worker("onmessage = ({ data }) => postMessage(data)")}; w.onmessage = () => ${READY}; w.postMessage(1)`,
    ),
  },
  {
    name: "a worker that waits",
    html: script(`const w = ${worker("setTimeout(() => postMessage(1), 1500)")}; w.onmessage = () => ${READY}`),
  },
  {
    name: "a worker that computes",
    html: script(
      `const w = ${worker("const end = Date.now() + 1500; while (Date.now() < end); postMessage(1)")}; w.onmessage = () => ${READY}`,
    ),
  },
  {
    name: "a worker that fetches",
    html: script(
      `const w = ${worker("onmessage = async ({ data }) => postMessage(await (await fetch(data)).text())")}; w.onmessage = () => ${READY}; w.postMessage(location.origin + "/slow")`,
    ),
  },
  {
    name: "a worker without end",
    html: script(`const w = ${worker("setInterval(() => postMessage(1), 200)")}; ${READY}`),
  },
  {
    name: "what is seen",
    html: `<body><p id=p>x</p><script>new IntersectionObserver(([e]) => e.isIntersecting && ${READY}).observe(p)</script>`,
  },
  {
    name: "what has a size",
    html: `<body><p id=p>x</p><script>new ResizeObserver(() => { if (!window.done) { window.done = 1; ${READY}; } }).observe(p)</script>`,
  },
  {
    name: "a change of the DOM",
    html: script(
      `new MutationObserver((_, o) => { o.disconnect(); setTimeout(() => ${READY}, 600) }).observe(document.body, { childList: true }); setTimeout(() => document.body.append("x"), 600)`,
    ),
  },
  { name: "fetch and render", html: script(`fetch("/data.json").then((a) => a.json()).then(() => ${READY})`) },
  { name: "a slow fetch", html: script(`fetch("/slow").then(() => ${READY})`) },
  {
    name: "fetches one after another",
    html: script(`(async () => { for (let i = 0; i < 5; i++) await fetch("/data.json?" + i); ${READY} })()`),
  },
  {
    name: "a fetch after a timer after a fetch",
    html: script(`fetch("/data.json").then(() => setTimeout(() => fetch("/slow").then(() => ${READY}), 1200))`),
  },
  {
    name: "a fetch that streams",
    html: script(
      `fetch("/stream").then(async (a) => { let text = ""; for await (const part of a.body.pipeThrough(new TextDecoderStream())) text += part; if (text === "one two three") ${READY}; })`,
    ),
  },
  {
    name: "a fetch that fails and is tried again",
    html: script(`fetch("http://127.0.0.1:1/").catch(() => setTimeout(() => ${READY}, 1000))`),
  },
  {
    name: "a fetch that is aborted",
    html: script(
      `const c = new AbortController(); fetch("/hang", { signal: c.signal }).catch(() => ${READY}); setTimeout(() => c.abort(), 1000)`,
    ),
  },
  {
    name: "an XHR",
    html: script(`const x = new XMLHttpRequest(); x.open("GET", "/slow"); x.onload = () => ${READY}; x.send()`),
  },
  {
    name: "a script that is inserted",
    html: script(`document.head.append(Object.assign(document.createElement("script"), { src: "/ready.js" }))`),
  },
  { name: "a deferred script", html: `<!DOCTYPE html><script defer src=/ready.js></script><body>` },
  { name: "an import", html: module(`const { say } = await import("/module.js"); say()`) },
  {
    name: "a JSONP answer",
    html: script(
      `window.answer = () => ${READY}; document.head.append(Object.assign(document.createElement("script"), { src: "/jsonp.js" }))`,
    ),
  },
  {
    name: "a style sheet that loads",
    html: script(
      `document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/slow", onload: () => ${READY}, onerror: () => ${READY} }))`,
    ),
  },
  {
    name: "a font that is not loaded",
    html: script(`const f = new FontFace("f", "url(/f.woff2)"); f.load().catch(() => ${READY}).then(() => {})`),
  },
  { name: "fonts that are ready", html: script(`document.fonts.ready.then(() => ${READY})`) },
  {
    name: "an image that is not loaded",
    html: script(`const i = new Image(); i.onload = i.onerror = () => ${READY}; i.src = "/i.png"`),
  },
  {
    name: "a custom element",
    html: `<body><x-ready></x-ready><script>setTimeout(() => customElements.define("x-ready", class extends HTMLElement { connectedCallback() { this.textContent = "ready"; } }), 900)</script>`,
  },
  {
    name: "an open shadow root",
    html: `<body><div id=d></div><script>d.attachShadow({ mode: "open" }).innerHTML = "<p>rea" + "dy</p>"</script>`,
  },
  {
    name: "a closed shadow root",
    html: `<body><div id=d></div><script>d.attachShadow({ mode: "closed" }).innerHTML = "<p>rea" + "dy</p>"</script>`,
  },
  {
    name: "a closed shadow root of an element",
    html: `<body><x-y></x-y><script>customElements.define("x-y", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<p>rea" + "dy</p>"; } })</script>`,
  },
  {
    name: "a closed shadow root in HTML",
    html: `<body><div><template shadowrootmode=closed><p>ready</p></template></div>`,
  },
  {
    name: "a frame with its own HTML",
    html: `<body><script>const f = document.createElement("iframe"); f.srcdoc = "<p>rea" + "dy</p>"; document.body.append(f)</script>`,
  },
  {
    name: "a frame that a script writes",
    html: `<body><iframe id=f></iframe><script>f.contentDocument.write("<p>rea" + "dy</p>"); f.contentDocument.close()</script>`,
  },
  {
    name: "a frame that is late",
    html: `<body><iframe srcdoc="<body><script>setTimeout(() => document.body.append('rea' + 'dy'), 1200)</script>"></iframe>`,
  },
  { name: "document.write", html: script(`document.write("<p>rea" + "dy</p>")`) },
  {
    name: "document.write after the load",
    html: script(`onload = () => { document.open(); document.write("<p>rea" + "dy</p>"); document.close(); }`),
  },
  {
    name: "document.write after a second",
    html: script(`setTimeout(() => { document.open(); document.write("<p>rea" + "dy</p>"); document.close(); }, 1000)`),
  },
  {
    name: "a reload once",
    html: script(`if (sessionStorage.seen) ${READY}; else { sessionStorage.seen = 1; location.reload(); }`),
  },
  {
    name: "a reload once after a second",
    html: script(
      `if (localStorage.seen) ${READY}; else { localStorage.seen = 1; setTimeout(() => location.reload(), 1000); }`,
    ),
  },
  {
    name: "a reload once for a cookie",
    html: script(
      `if (document.cookie.includes("seen")) ${READY}; else { document.cookie = "seen=1"; location.href = location.href; }`,
    ),
  },
  {
    name: "an event stream without end",
    html: script(`new EventSource("/events").onmessage = () => { if (!window.done) { window.done = 1; ${READY}; } }`),
  },
  {
    name: "a socket without end",
    html: script(`new WebSocket("ws" + location.origin.slice(4) + "/socket"); ${READY}`),
  },
  {
    name: "a socket that answers",
    html: script(`const s = new WebSocket("ws" + location.origin.slice(4) + "/socket"); s.onmessage = () => ${READY}`),
  },
  {
    name: "a service worker",
    html: script(`navigator.serviceWorker.register("/sw.js").then(() => ${READY}, () => ${READY})`),
  },
  {
    name: "a service worker that is asked for",
    html: script(`navigator.serviceWorker.getRegistrations().then((all) => { if (all.length === 0) ${READY}; })`),
  },
  { name: "a database", html: script(`indexedDB.open("x").onsuccess = () => ${READY}`) },
  {
    name: "a database that is written to many times",
    html: script(`const opening = indexedDB.open("many");
      opening.onupgradeneeded = () => opening.result.createObjectStore("all");
      opening.onsuccess = () => {
        const write = (left) => {
          if (left === 0) return ${READY};
          const put = opening.result.transaction("all", "readwrite").objectStore("all").put(left, left);
          put.onsuccess = () => write(left - 1);
        };
        write(400);
      }`),
  },
  {
    name: "a database that is listed after a cache was filled",
    html: script(`(async () => {
      const cache = await caches.open("all");
      for (let left = 60; left > 0; left--) await cache.put("/" + left, new Response("x".repeat(9999)));
      await indexedDB.databases();
      ${READY};
    })()`),
  },
  {
    name: "a file that is read in pieces",
    html: script(`(async () => {
      const file = new Blob(["x".repeat(1 << 20)]);
      for (let left = 60; left > 0; left--) await file.slice(0, 1 << (left % 20)).arrayBuffer();
      const reader = new FileReader();
      reader.onload = () => ${READY};
      reader.readAsDataURL(file);
    })()`),
  },
  { name: "a lock", html: script(`navigator.locks.request("x", () => { ${READY}; })`) },
  {
    name: "a digest",
    html: script(`crypto.subtle?.digest("SHA-256", new Uint8Array(9)).then(() => ${READY}) ?? ${READY}`),
  },
  {
    name: "a view transition",
    html: script(`document.startViewTransition ? document.startViewTransition(() => { ${READY}; }) : ${READY}`),
  },
  {
    name: "a route",
    html: script(
      `history.pushState({}, "", "/route"); setTimeout(() => { if (location.pathname === "/route") ${READY} }, 900)`,
    ),
  },
  { name: "a hash", html: script(`onhashchange = () => ${READY}; setTimeout(() => { location.hash = "x" }, 900)`) },
  {
    name: "a dialog that opens",
    html: `<body><dialog id=d>rea<b></b>dy</dialog><script>setTimeout(() => { d.showModal(); ${READY}; }, 1500)</script>`,
  },
  {
    name: "an error that is caught",
    html: script(`onerror = () => ${READY}; setTimeout(() => { throw new Error("x") }, 700)`),
  },
  {
    name: "a timer longer than a few seconds",
    html: script(`${READY}; setTimeout(() => document.body.append("late"), 60000)`),
  },
  {
    name: "timers in a row beyond the limit",
    html: script(`${READY}; (function again() { document.body.append("x"); setTimeout(again, 3000); })()`),
    settled: false,
  },
];

/** What a person reads. */
const textOf = (html: string): string => html.replace(/<script.*?<\/script>|<[^>]*>/gs, "");

describe("small pages", needsBrowser, () => {
  let server: PageServer;
  let renderer: Renderer;
  /** One whose pages reach the cap. */
  let short: Renderer;

  before(async () => {
    server = await servePages({
      "/data.json": json([1]),
      "/slow": (_request, response) => void setTimeout(() => response.end("x"), 1_000),
      "/stream": (_request, response) => {
        response.write("one ");
        setTimeout(() => response.write("two "), 400);
        setTimeout(() => response.end("three"), 800);
      },
      "/hang": () => {},
      "/events": (_request, response) =>
        response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n"),
      "/ready.js": serveScript(READY),
      "/jsonp.js": serveScript("answer()"),
      "/module.js": serveScript(`export const say = () => ${READY}`),
    });
    server.onUpgrade((request, socket) => {
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
      // RFC 6455 section 5.2: a text of one letter.
      socket.write(
        Buffer.concat([Buffer.from(`${head}Sec-WebSocket-Accept: ${accept}\r\n\r\n`), Buffer.from([0x81, 1, 120])]),
      );
    });
    // Abandoned requests are awaited for half of the cap, so it must not be long here.
    renderer = await launch({ tabs: 2, maxWaitMs: 20_000 });
    short = await launch({ maxWaitMs: 10_000 });
  });
  after(async () => {
    await renderer?.close();
    await short?.close();
    await server?.[Symbol.asyncDispose]();
  });

  PAGES.forEach(({ name, html, settled = true }, index) => {
    it(`${name} ${settled ? "" : "(never at rest)"}`.trim(), async () => {
      const result = await (settled ? renderer : short).render(page(`${server.origin}/small-${index}`, html));
      assert.match(textOf(result.html), /ready/);
      assert.equal(result.settled, settled);
      assert.equal(result.redirectedTo, null);
    });
  });
});
