import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Renderer } from "../../render/renderer.ts";
import { launch, needsBrowser, page } from "../../render/testing/browser.ts";
import { type PageServer, servePages } from "../../render/testing/page-server.ts";
import { inspectionFacts, pageInspections } from "./page-checks.ts";

/** A picture of 400 by 400 pixels. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400"/></svg>`;

describe("what is inspected in a rendered page", needsBrowser, () => {
  let renderer: Renderer;
  let server: PageServer;

  before(async () => {
    server = await servePages({
      "/picture": (_request, response) => response.setHeader("Content-Type", "image/svg+xml").end(PICTURE),
    });
    renderer = await launch({ inspections: pageInspections(), blockTypes: [] });
  });
  after(async () => {
    await renderer?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const look = async (head: string, body: string) => {
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
      <meta name="viewport" content="width=device-width">${head}</head><body>${body}</body></html>`;
    const result = await renderer.render(page(`${server.origin}/page`, html));
    return { ...inspectionFacts(result.inspections), html: result.html };
  };
  const kinds = (lines: string | null): string[] =>
    [...new Set(lines?.split("\n").map((line) => line.split(" ")[0]!))].sort();

  it("axe-core's rules that a page breaks, each with its impact and an example", async () => {
    const { axe_violations: lines } = await look(
      "",
      '<main><h1>One</h1><p style="color:#bbb;background:#fff">Pale text</p><input name="mail"><img src="/picture"></main>',
    );
    assert.deepEqual(kinds(lines), ["color-contrast", "image-alt", "label"]);
    assert.match(lines!, /^image-alt critical: .* \(1 element, img\)$/m);
  });

  it("nothing on a page with nothing wrong, whose HTML stays as it was", async () => {
    const body = '<main><h1>One</h1><p>Text with a <a href="/two">link in it</a>.</p></main>';
    const { html, ...facts } = await look("", body);
    assert.deepEqual(facts, { axe_violations: null, layout_problems: null });
    assert.ok(html.includes(body));
  });

  it("images that are too large, far down or only a background; a focus that cannot be seen", async () => {
    const { layout_problems: lines } = await look(
      "<style>a:focus, button:focus { outline: none } #b:focus { box-shadow: 0 0 3px red }</style>",
      `<main><h1>One</h1><img src="/picture" width="100" height="100" alt="Large">
       <div style="width:300px;height:200px;background:url(${server.origin}/picture)"></div>
       <p><a id="a" href="/two" style="display:block;height:50px">Two</a></p><p><button id="b" style="width:50px;height:50px">Three</button></p>
       <div style="height:5000px"></div><img src="/picture" width="400" height="400" alt="Far"></main>`,
    );
    assert.deepEqual(kinds(lines), ["background", "below_fold", "no_focus", "wrong_size"]);
    assert.match(lines!, /^wrong_size 16 400x400 shown at 100x100: .*\/picture$/m);
    assert.match(lines!, /^background 60000 div: .*\/picture$/m);
    assert.match(lines!, /^no_focus 1 a#a Two$/m);
  });

  it("what is too wide or too small for a phone; links in a sentence may be small", async () => {
    const { layout_problems: lines } = await look(
      "",
      `<main><h1>One</h1><table><tr><td><div id="wide" style="width:900px">Wide</div></table>
       <p><a href="/two" style="display:inline-block;width:40px;height:12px;font-size:9px">Two</a></p></main>`,
    );
    assert.deepEqual(kinds(lines), ["tap_target", "wider"]);
    assert.match(lines!, /^wider \d+ .* on a screen of 412 pixels$/m);
    assert.match(lines!, /^tap_target 12 a 40x12 Two$/m);
  });
});
