/** What the demo site answers for one path: status, headers and body, which never change. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

export interface Resource {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  /** The compressed body, where compression is worth it. */
  gzipped?: Buffer;
  /** How long the server waits before it answers. */
  delayMs?: number;
}

/** One date for the whole site: pages never change, so crawling twice gives the same result. */
export const LAST_MODIFIED = "Mon, 02 Nov 2026 09:00:00 GMT";

const COMPRESSIBLE = /^(?:text\/|application\/(?:json|xml|javascript)|image\/svg)/;
const WORTH_COMPRESSING = 512;

export function resource(
  contentType: string,
  content: string | Buffer,
  extra: { status?: number; headers?: Record<string, string>; delayMs?: number } = {},
): Resource {
  const body = typeof content === "string" ? Buffer.from(content) : content;
  const status = extra.status ?? 200;
  const headers: Record<string, string> = { "content-type": contentType, ...extra.headers };
  if (status === 200) {
    // Weak, because the same tag names the plain and the compressed form (RFC 9110, 8.8.1).
    headers["etag"] = `W/"${createHash("sha1").update(body).digest("hex").slice(0, 20)}"`;
    headers["last-modified"] = LAST_MODIFIED;
  }
  const made: Resource = { status, headers, body };
  if (extra.delayMs) made.delayMs = extra.delayMs;
  if (body.length >= WORTH_COMPRESSING && COMPRESSIBLE.test(contentType)) {
    headers["vary"] = "accept-encoding";
    made.gzipped = gzipSync(body);
  }
  return made;
}

export function htmlResource(
  html: string,
  extra: { status?: number; headers?: Record<string, string>; delayMs?: number } = {},
): Resource {
  return resource("text/html; charset=utf-8", html, extra);
}

export function redirect(status: 301 | 302 | 307 | 308, location: string): Resource {
  return resource("text/plain; charset=utf-8", `Moved to ${location}\n`, { status, headers: { location } });
}
