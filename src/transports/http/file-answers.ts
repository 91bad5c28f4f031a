/** Answers that are files: `GET /crawls/{id}/export`, read as fast as the client takes it, favicons, and archived pages. */

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { z } from "zod";
import type { App } from "../../app/app.ts";
import { pageQuestion } from "../../app/operations/archives.ts";
import { id } from "../../app/operations/operation.ts";
import { exportQuestion } from "../../app/operations/urls.ts";
import { TrawlError } from "../../errors.ts";
import { readQuery } from "./read-input.ts";

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" };

export async function sendExport(c: Context, app: Pick<App, "crawlData">): Promise<Response> {
  const question = readQuery(c, exportQuestion, ["fields"]);
  const { fileName, body } = await app.crawlData.download(question, () => abortConnection(c));
  const headers = {
    "content-type": TYPES[question.format],
    "content-disposition": attachment(fileName),
    "cache-control": "no-store",
  };
  if (c.req.method !== "HEAD") return c.body(body, 200, headers);
  // The stream would be dropped unread, and its reader never closed.
  await body.cancel();
  return c.body(null, 200, headers);
}

/** RFC 6266: plain letters for old clients, and the name itself. */
const attachment = (name: string): string =>
  `attachment; filename="${name.replace(/[^\w.-]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(name)}`;

/** `GET /projects/{id}/favicon`: an icon from the web, which the browser may treat only as an image. */
const IMAGE_TYPE = /^image\/(?:png|gif|jpeg|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;

export async function sendFavicon(c: Context, app: Pick<App, "favicons">): Promise<Response> {
  const asked = readQuery(c, z.object({ id }), []);
  const icon = await app.favicons.get(asked.id);
  if (icon === null || !IMAGE_TYPE.test(icon.type)) {
    throw new TrawlError("PATH_NOT_FOUND", "This project's site has no known icon.");
  }
  return c.body(new Uint8Array(icon.bytes), 200, {
    "content-type": icon.type,
    // SVG may contain scripts: opened directly, it must not be able to do anything.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cache-control": "private, max-age=3600",
  });
}

/**
 * An untrusted page, shown in a frame of the web app. The sandbox gives it its own origin and lets it run nothing, even if
 * it is opened directly. It loads nothing but what it contains, and only we may frame it.
 */
const STORED_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

/** `GET /archives/{id}/page/view?page=<url or SHA-256>`. */
export async function sendStoredPage(c: Context, app: Pick<App, "archives">): Promise<Response> {
  const { id: archiveId, page } = readQuery(c, pageQuestion, []);
  const { body, isHtml } = await app.archives.view(archiveId, page, c.req.raw.signal);
  return c.body(new Uint8Array(body), 200, {
    // The body is UTF-8 now, whatever the page says about itself; a browser believes the header.
    "content-type": `${isHtml ? "text/html" : "text/plain"}; charset=utf-8`,
    "content-security-policy": STORED_PAGE_POLICY,
    "x-frame-options": "SAMEORIGIN",
    "x-dns-prefetch-control": "off",
    "cache-control": "no-store",
  });
}

/** Breaks the connection: the client sees that the answer is incomplete, or that it read too slowly. */
export function abortConnection(c: Context): void {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  outgoing?.destroy();
}
