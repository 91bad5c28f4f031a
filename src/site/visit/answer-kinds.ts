/**
 * What an answer is, judging by its status, its type and how its URL was found: a page, a style sheet, or something
 * that is not read.
 */
import type { HttpResponse } from "../../net/client.ts";
import { headerValue } from "../../net/headers.ts";
import { isResource, type Kind } from "../links/link-kinds.ts";

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);

/** The media type alone, in lower case. */
export function contentTypeOf(response: HttpResponse): string | null {
  const value = headerValue(response.headers, "content-type");
  return value === null ? null : value.split(";", 1)[0]!.trim().toLowerCase() || null;
}

/** The headers announce something that can be read. */
export const isWanted = (head: HttpResponse): boolean => head.status < 300 && isReadable(contentTypeOf(head));

/**
 * Servers that do not know HEAD answer it with all kinds of errors. A server that says "later" is not asked again at
 * once.
 */
export const isDoubtful = (status: number): boolean => status >= 400 && status !== 429 && status !== 503;

/** A page served instead of a missing style sheet is not a style sheet. */
export const isStyles = (kind: Kind, contentType: string | null): boolean =>
  contentType === "text/css" || (kind === "stylesheet" && !HTML_TYPES.has(contentType ?? ""));

/** A URL found as an image or a prefetch may still be a page; an error page served instead of an image is not. */
export const isPage = (kind: Kind, { status, body }: HttpResponse, contentType: string | null): boolean =>
  isResource(kind) ? status < 300 && HTML_TYPES.has(contentType ?? "") : isHtml(contentType, body);

const isHtml = (contentType: string | null, body: Buffer): boolean =>
  contentType === null
    ? body.subarray(0, 512).toString("latin1").trimStart().startsWith("<")
    : HTML_TYPES.has(contentType);

const isReadable = (contentType: string | null): boolean =>
  contentType === null ||
  HTML_TYPES.has(contentType) ||
  contentType === "text/css" ||
  /xml|text\/plain|gzip/.test(contentType);
