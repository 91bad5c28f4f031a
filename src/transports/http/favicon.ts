/** `GET /projects/{id}/favicon`: an icon that was found on the web, so nothing but a picture for the browser. */
import type { Context } from "hono";
import { z } from "zod";
import type { App } from "../../app/app.ts";
import { id } from "../../app/operations/operation.ts";
import { TrawlError } from "../../errors.ts";
import { readQuery } from "./read-input.ts";

const IMAGE_TYPE = /^image\/(?:png|gif|jpeg|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;

export async function sendFavicon(c: Context, app: Pick<App, "favicons">): Promise<Response> {
  const asked = readQuery(c, z.object({ id }), []);
  const icon = await app.favicons.get(asked.id);
  if (icon === null || !IMAGE_TYPE.test(icon.type)) {
    throw new TrawlError("PATH_NOT_FOUND", "No icon of this project's site is known.");
  }
  return c.body(new Uint8Array(icon.bytes), 200, {
    "content-type": icon.type,
    // SVG may hold scripts: opened by itself it may do nothing at all.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cache-control": "private, max-age=3600",
  });
}
