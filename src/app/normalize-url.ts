/** What a person types as a start URL, made a URL: `example.com` means https://example.com/. */
import { isIP } from "node:net";
import { TrawlError } from "../errors.ts";

export function normalizeUrl(text: string): string {
  const typed = text.trim();
  const hasScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i.test(typed);
  // Without a scheme this is an e-mail address, perhaps behind `mailto:`, and not a user name at a host; or a path,
  // whose first folder a URL parser would take for the host.
  if (!hasScheme && /^(?:[^/?#]*@|\/(?!\/))/.test(typed)) throw new TrawlError("BAD_URL", `"${typed}" is not a URL.`);
  let url: URL;
  try {
    url = new URL(hasScheme ? typed : `${schemeFor(typed)}://${typed}`);
  } catch {
    throw new TrawlError("BAD_URL", `"${typed}" is not a URL.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TrawlError("BAD_URL", `"${typed}" is not an http or https URL.`);
  }
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}

/** Servers on this machine and bare addresses seldom speak TLS. */
function schemeFor(typed: string): "http" | "https" {
  const host = /^\[([^\]]*)\]/.exec(typed)?.[1] ?? typed.split(/[/:?#]/, 1)[0]!;
  return host.toLowerCase() === "localhost" || isIP(host) !== 0 ? "http" : "https";
}
