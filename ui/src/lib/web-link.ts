/** What a crawled URL may become in the page: a link only when it is http or https, otherwise plain text. */
import { unicodeHost } from "./unicode-host.ts";

/** The address to link to, or null. `javascript:`, `data:` and the like are untrusted and never become links. */
export function webLink(url: string): string | null {
  try {
    const { protocol, href } = new URL(url);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}

/** A URL as origin and path, to show: the path is what people read, and the host is in Unicode. */
export function urlParts(url: string): { origin: string; path: string } {
  const match = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/i.exec(url);
  return match === null ? { origin: "", path: url } : { origin: unicodeHost(match[1]!), path: match[2]! || "/" };
}

/** A host as people type it, without scheme and trailing slash. */
export const bareUrl = (url: string): string => unicodeHost(url.replace(/^https?:\/\//i, "").replace(/\/$/, ""));

/** Whether a typed text could be the address of a website. */
export const looksLikeUrl = (typed: string): boolean =>
  /^(https?:\/\/\S+|[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+(:\d+)?(\/\S*)?|localhost(:\d+)?(\/\S*)?)$/iu.test(
    typed.trim(),
  );
