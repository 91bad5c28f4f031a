import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { serveHttp } from "../net/testing/servers.ts";
import { until } from "../net/testing/until.ts";
import { imageType } from "./favicons.ts";
import { temporaryApp } from "./testing/temporary-app.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nicon", "latin1");
const SVG = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";

/** A site of one page; what else it has is given by path. */
async function site(t: TestContext, head: string, answers: Record<string, (response: ServerResponse) => void>) {
  const asked: string[] = [];
  const server = await serveHttp(t, ({ url = "/" }, response) => {
    asked.push(url);
    const answer = answers[url];
    if (answer !== undefined) answer(response);
    else if (url === "/") response.writeHead(200, { "content-type": "text/html" }).end(`<title>x</title>${head}`);
    else response.writeHead(404).end("none");
  });
  return { url: `${server.origin}/`, origin: server.origin, asked, server };
}

const png = (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/plain" }).end(PNG);

test("favicons: an icon that the crawl fetches is taken from there, and not requested again", async (t) => {
  const { url, asked } = await site(t, '<link rel="icon" href="/i.png">', { "/i.png": png });
  const { app, crawl } = temporaryApp(t);
  await crawl(url, { checkResources: true });
  const [project] = app.projects.list();
  assert.deepEqual(app.favicons.get(project!.id), { bytes: PNG, type: "image/png" });
  assert.equal(project!.faviconPath, `/api/v1/projects/${project!.id}/favicon`);
  assert.deepEqual(asked.toSorted(), ["/", "/i.png", "/robots.txt"]);
});

test("favicons: where the page names no icon, /favicon.ico is requested once, over redirects", async (t) => {
  const { url, asked } = await site(t, "", {
    "/favicon.ico": (response) => void response.writeHead(302, { location: "/static/i" }).end(),
    "/static/i": (response) => void response.end(SVG),
  });
  const { app, crawl } = temporaryApp(t);
  await crawl(url);
  const { id } = app.projects.list()[0]!;
  await until(() => app.favicons.has(id));
  assert.equal(app.favicons.get(id)!.type, "image/svg+xml");
  await crawl(url);
  assert.equal(asked.filter((path) => path === "/favicon.ico").length, 1);
});

test("favicons: one that the crawl only recorded is fetched; anything that is not an image, or is too large, is ignored", async (t) => {
  for (const [body, isIcon] of [
    [PNG, true],
    [Buffer.from("<!doctype html>"), false],
    [Buffer.concat([PNG, Buffer.alloc(300_000)]), false],
  ] as const) {
    const { url, server } = await site(t, '<link rel="icon" href="/i.png">', {
      "/i.png": (response) => void response.end(body),
    });
    const { app, crawl } = temporaryApp(t);
    await crawl(url);
    // Its client is closed when all is done.
    await until(() => server.requests === 3 && server.sockets.size === 0);
    const { id, faviconPath } = app.projects.list()[0]!;
    assert.deepEqual([app.favicons.get(id) !== null, faviconPath !== null], [isIcon, isIcon], `${body.length} bytes`);
  }
});

test("favicons: robots.txt is obeyed, and a private neighbour gets no request", async (t) => {
  const secret = await site(t, "", { "/i.png": png });
  const closed = await site(t, "", {
    "/robots.txt": (response) => void response.end("User-agent: *\nDisallow: /favicon.ico\n"),
    "/favicon.ico": png,
  });
  const sly = await site(t, `<link rel="icon" href="${secret.origin}/i.png">`, {});
  const { app, crawl } = temporaryApp(t);
  await crawl(closed.url);
  await crawl(sly.url);
  await app.close();
  assert.deepEqual(closed.asked.toSorted(), ["/", "/robots.txt"]);
  assert.deepEqual(secret.asked, []);
});

test("favicons: a stop gives it up, and it goes with its project", async (t) => {
  let isAsked = false;
  const slow = await site(t, "", { "/favicon.ico": () => void (isAsked = true) });
  const { app, crawl } = temporaryApp(t);
  await crawl(slow.url);
  await until(() => isAsked);
  await app.favicons.close();
  await until(() => slow.server.sockets.size === 0);

  const quick = await site(t, "", { "/favicon.ico": png });
  await crawl(quick.url);
  const { id } = app.projects.list()[0]!;
  await until(() => app.favicons.has(id));
  app.projects.remove(id);
  assert.equal(app.favicons.get(id), null);
});

const latin = (text: string) => Buffer.from(text, "latin1");

test("image type: by the first bytes", () => {
  const cases: [Buffer, ReturnType<typeof imageType>][] = [
    [latin("\x89PNG\r\n\x1a\n\x00"), "image/png"],
    [latin("\xff\xd8\xff\xe0"), "image/jpeg"],
    [latin("GIF89a..."), "image/gif"],
    [latin("RIFF\x10\x00\x00\x00WEBPVP8 "), "image/webp"],
    [latin("\x00\x00\x00\x20ftypavif"), "image/avif"],
    [latin("BM6\x00"), "image/bmp"],
    [latin("\x00\x00\x01\x00\x01\x00"), "image/x-icon"],
    [latin("RIFF\x10\x00\x00\x00WAVE"), null],
    [latin("%PDF-1.7"), null],
    [latin(""), null],
  ];
  for (const [bytes, type] of cases) assert.equal(imageType(bytes), type, bytes.toString("latin1"));
});

test("image type: SVG behind declarations and comments, and no HTML that contains one", () => {
  const svgs = [
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "\ufeff<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x'>\n<svg>",
  ];
  for (const svg of svgs) assert.equal(imageType(Buffer.from(svg)), "image/svg+xml", svg);
  const others = ["<!doctype html><title>x</title><svg>", "<html><svg>", "<svgx>", "<!-- <svg> ", "x<svg>"];
  for (const other of others) assert.equal(imageType(Buffer.from(other)), null, other);
});

test("image type: never throws, whatever the bytes", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void imageType(Buffer.from(bytes))));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("<", "!", "-", "?", ">", "svg", " ")),
      (parts) => void imageType(Buffer.from(parts.join(""))),
    ),
  );
});
