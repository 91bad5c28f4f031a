/** Pages whose scripts try to reach the machine that renders them, or to keep its browser. */
import { type Case, type Exchange, page } from "../case.ts";

/** `reach` is the port that nothing may connect to. */
const scripted = (name: string, body: (reach: string, exchange: Exchange) => string): Case => ({
  threat: 15,
  name,
  serve: (exchange) => {
    const html = exchange.path === "/" ? body(`127.0.0.1:${exchange.canary}`, exchange) : "";
    page(`<!doctype html><title>page</title><body>${html}`)(exchange);
  },
  site: { "/": { status: 200, error: null } },
});
const script = (code: string): string => `<script>try { ${code} } catch {}</script>`;

export const RENDERED: readonly Case[] = [
  scripted("rendered-fetch", (reach) => script(`fetch("http://${reach}/", { mode: "no-cors" })`)),
  scripted("rendered-post", (reach) =>
    script(`fetch("http://${reach}/", { method: "POST", mode: "no-cors", body: "x" })`),
  ),
  scripted("rendered-xhr", (reach) =>
    script(`const x = new XMLHttpRequest(); x.open("GET", "http://${reach}/"); x.send()`),
  ),
  scripted("rendered-beacon", (reach) => script(`navigator.sendBeacon("http://${reach}/", "x")`)),
  scripted("rendered-websocket", (reach) => script(`new WebSocket("ws://${reach}/")`)),
  scripted("rendered-events", (reach) => script(`new EventSource("http://${reach}/")`)),
  scripted("rendered-image", (reach) => script(`new Image().src = "http://${reach}/"`)),
  scripted(
    "rendered-frame",
    (reach) => `<iframe src="http://${reach}/"></iframe><object data="http://${reach}/"></object>`,
  ),
  scripted("rendered-module", (reach) => `<script type=module src="http://${reach}/"></script>`),
  scripted("rendered-import", (reach) => script(`import("http://${reach}/")`)),
  scripted(
    "rendered-style",
    (reach) => `<style>@import "http://${reach}/"; body { background: url(http://${reach}/) }</style>`,
  ),
  scripted("rendered-hints", (reach) =>
    ["preload as=script", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "prerender"]
      .map((rel) => `<link rel=${rel} href="http://${reach}/">`)
      .join(""),
  ),
  scripted("rendered-location", (reach) => script(`location.href = "http://${reach}/"`)),
  scripted("rendered-window", (reach) => script(`open("http://${reach}/")`)),
  scripted(
    "rendered-form",
    (reach) => `<form action="http://${reach}/" method=post></form>${script("document.forms[0].submit()")}`,
  ),
  scripted("rendered-refresh", (reach) => `<meta http-equiv=refresh content="0; url=http://${reach}/">`),
  scripted("rendered-file", () => `<iframe src="file:///etc/passwd"></iframe>${script('fetch("file:///etc/passwd")')}`),
  scripted("rendered-worker", (reach) =>
    script(`new Worker(URL.createObjectURL(new Blob(['fetch("http://${reach}/", {mode: "no-cors"})'])))`),
  ),
  scripted("rendered-rtc", (reach) =>
    script(`const p = new RTCPeerConnection({ iceServers: [{ urls: "turn:${reach}?transport=tcp", username: "u", credential: "c" }] });
      p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o))`),
  ),
  scripted("rendered-localhost", (reach) =>
    script(`fetch("http://localhost:${reach.split(":")[1]}/", { mode: "no-cors" })`),
  ),
  scripted("rendered-ipv6", (reach) =>
    script(`fetch("http://[::ffff:127.0.0.1]:${reach.split(":")[1]}/", { mode: "no-cors" })`),
  ),
  scripted("rendered-dialogs", () => script("alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'")),
];
