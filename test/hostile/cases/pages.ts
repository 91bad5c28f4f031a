/** Pages that are deep, wide, malformed, in the wrong encoding, or full of names that a careless program would use as paths. */
import { type Case, page, type Serve, table } from "../case.ts";

type Facts = Record<string, string | number | null>;
const html = (name: string, body: string | Uint8Array, facts: Facts = {}, type = "text/html; charset=utf-8"): Case => ({
  threat: 10,
  name,
  serve: page(body, { "content-type": type }),
  site: { "/": { status: 200, error: null, ...facts } },
});
const charset = (name: string, type: string, body: string | Uint8Array, facts: Facts): Case => ({
  ...html(name, body, facts, type),
  threat: 11,
});
const TITLE = "<title>found</title>";
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const FOUND = { title: "found" };

export const PAGES: readonly Case[] = [
  html("deep", `${TITLE}${"<div>".repeat(500_000)}`, FOUND),
  html("deep-tables", `${TITLE}${"<table><tr><td>".repeat(100_000)}`, FOUND),
  html("deep-formatting", `${TITLE}${"<b><i><a href=x>".repeat(100_000)}`, FOUND),
  html("deep-svg", `${TITLE}${"<svg><foreignObject>".repeat(100_000)}`, FOUND),
  html("deep-template", `${TITLE}${"<template>".repeat(100_000)}`, FOUND),
  html("many-attributes", `${TITLE}<a ${"x y=1 ".repeat(500_000)}>`, FOUND),
  html("huge-attribute", `<a title="${"x".repeat(2 << 20)}">${TITLE}`, FOUND),
  html("huge-title", `<title>${"t".repeat(2 << 20)}</title>`),
  html("unclosed-title", "<title>x".repeat(300_000)),
  html("unclosed-comment", `${TITLE}${"<!--".repeat(500_000)}`, FOUND),
  html("unclosed-script", `${TITLE}${"<script>".repeat(300_000)}`, FOUND),
  html("unclosed-attribute", `${TITLE}${"<a href='".repeat(300_000)}`, FOUND),
  html("only-brackets", "<".repeat(3_000_000)),
  html("only-nul", Buffer.alloc(3_000_000)),
  html("entities", `${TITLE}${"&amp;&#x41;&nosuch;".repeat(150_000)}`, FOUND),
  html("many-links", `${TITLE}${'<a href="/x?y=1">z</a>'.repeat(150_000)}`, { ...FOUND, outlinks: 20_000 }),
  html("many-bases", `${TITLE}${'<base href="/a/">'.repeat(150_000)}<a href=b>b</a>`, FOUND),
  html("huge-srcset", `${TITLE}<img srcset="${"a.png 1x, ".repeat(300_000)}">`, FOUND),
  html("huge-style", `${TITLE}<style>${"a{b:url(".repeat(300_000)}</style>`, FOUND),
  html("many-json-ld", `${TITLE}${'<script type="application/ld+json">[[[[</script>'.repeat(50_000)}`, FOUND),
  html("deep-json-ld", `${TITLE}<script type="application/ld+json">${"[".repeat(3_000_000)}</script>`, FOUND),
  html("binary", Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 7919) & 255))),
  html("words-without-spaces", `${TITLE}${"x".repeat(3_000_000)}`, FOUND),
  html("many-words", `${TITLE}${"w ".repeat(1_500_000)}`, FOUND),
  html("no-type", TITLE, {}, ""),
  html("wrong-type", TITLE, {}, "text/html/xml;;;=;charset"),
  charset("charset-unknown", "text/html; charset=no-such", latin1("<title>caf\xe9</title>"), { title: "café" }),
  charset("charset-wrong", "text/html; charset=utf-8", latin1("<title>caf\xe9</title>"), { charset: "utf-8" }),
  charset("charset-of-header-and-meta", "text/html; charset=utf-8", '<meta charset="utf-16"><title>é</title>', {
    title: "é",
  }),
  charset("charset-late", "text/html", latin1(`${" ".repeat(2_000)}<meta charset="latin1"><title>caf\xe9</title>`), {
    title: "café",
  }),
  charset("charset-utf-16", "text/html", Buffer.from("\ufeff<title>zwei</title>", "utf16le"), { title: "zwei" }),
  charset("charset-utf-7", "text/html; charset=utf-7", "+ADw-title+AD4-x", { title: null }),
  charset("charset-odd-utf-16", "text/html; charset=utf-16le", Buffer.from([0x3c, 0, 0x3c]), { error: null }),
  charset(
    "charset-lone-surrogates",
    "text/html",
    Buffer.from("\ufeff\ud800\udc00\ud800<title>\udfff</title>", "utf16le"),
    {},
  ),
  charset("charset-name-of-50-kb", `text/html; charset=${"x".repeat(50_000)}`, TITLE, FOUND),
  {
    threat: 16,
    name: "names-that-are-paths",
    serve: table({
      "/": [
        ...["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/..\\..\\x", "/a\0b"],
        ...["/CON", "/nul.txt", `/${"n".repeat(300)}`, "/%00", "/~root/.ssh/id_rsa", "/-rf", "/$(id)", "/;id"],
      ]
        .map((href) => `<a href="${href}">x</a>`)
        .join(""),
      "/etc/passwd": "<title>a page like any other</title>",
    }),
    site: {
      "/": { status: 200 },
      "/etc/passwd": { status: 200, title: "a page like any other" },
      "/CON": { status: 404 },
    },
  },
  {
    threat: 16,
    name: "download-name",
    serve: page("x", { "content-disposition": 'attachment; filename="../../../../tmp/owned"' }) satisfies Serve,
    site: { "/": { status: 200, error: null } },
  },
];
