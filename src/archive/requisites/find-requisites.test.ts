import assert from "node:assert/strict";
import { test } from "node:test";
import { pageRequisites, REQUISITE_KINDS, type RequisiteKind, styleRequisites } from "./find-requisites.ts";

const wanted = (kinds: readonly RequisiteKind[] = REQUISITE_KINDS, most = 0) => ({ kinds: new Set(kinds), most });
const paths = (urls: string[]) => urls.map((url) => url.replace("https://example.com", ""));

const PAGE = `<!doctype html><base href="/base/"><link rel="alternate stylesheet" href="a.css?v=1&amp;w=2#x">
<link rel=icon href=i.png><link rel=preload as=font href=f.woff2><link rel=preload as=fetch href=data.json>
<link rel=next href=/2><style>@import "b.css"; p { background: url(/p.png) }</style>
<script src="//cdn.example/s.js"></script><script>var u = "url(no.png)"</script>
<img src=x.png srcset="x1.png 1x, x2.png 2x"><picture><source srcset="y.webp"><img src=x.png></picture>
<video poster=v.jpg src=v.mp4><source src=v.webm></video><input type=image src=in.png><input src=no.png>
<svg><image href=svg.png /><use href="#part" /></svg><td background=td.png style="background:url('st.png')">
<img src="data:image/png;base64,AA"><a href=/page>page</a><iframe src=/frame></iframe>`;

test("a page needs its styles, images, fonts and scripts, and neither links nor frames", () => {
  assert.deepEqual(paths(pageRequisites(PAGE, "https://example.com/p", wanted())), [
    "/base/a.css?v=1&w=2",
    "/base/i.png",
    "/base/f.woff2",
    "/base/b.css",
    "/p.png",
    "https://cdn.example/s.js",
    "/base/x.png",
    "/base/x1.png",
    "/base/x2.png",
    "/base/y.webp",
    "/base/v.jpg",
    "/base/in.png",
    "/base/svg.png",
    "/base/td.png",
    "/base/st.png",
  ]);
});

test("only the kinds that are wanted, and no more of them than are wanted", () => {
  assert.deepEqual(paths(pageRequisites(PAGE, "https://example.com/p", wanted(["font", "script"]))), [
    "/base/f.woff2",
    "https://cdn.example/s.js",
  ]);
  assert.deepEqual(paths(pageRequisites(PAGE, "https://example.com/p", wanted(["image"], 2))), [
    "/base/i.png",
    "/p.png",
  ]);
});

test("what a style sheet needs is relative to the sheet", () => {
  const css =
    '@import url(more.css) screen; @font-face { src: url("../f.woff2") } p { background: url(#id), url(bg.png?x) }';
  const url = "https://example.com/css/a.css";
  assert.deepEqual(paths(styleRequisites(css, url, wanted())), ["/css/more.css", "/f.woff2", "/css/bg.png?x"]);
});
