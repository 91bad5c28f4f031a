/** Which origins get the headers and the password from the settings: a key for a test site must not go to other hosts. */
import type { HttpClient } from "../../net/client.ts";
import { basicAuthorization } from "../../net/connection/route.ts";
import type { OriginHeaders } from "../../net/http-types.ts";
import { originOf } from "../../web/url.ts";
import type { SiteConfig } from "../site-config.ts";
import { plainHeaders, secretHeadersOf } from "./secrets.ts";

/** The client of a crawl. */
export type SiteClient = Pick<HttpClient, "fetch">;

/**
 * Secrets by origin: headers for the origins of the start URLs, user and password for the first of these. If the
 * settings name origins, both go to those origins only.
 */
export function secretHeaders(
  { headers, auth, credentialOrigins }: Pick<SiteConfig, "headers" | "auth" | "credentialOrigins">,
  startUrls: readonly string[],
): OriginHeaders {
  const named = credentialOrigins.map((url) => new URL(url).origin);
  const starts = startUrls.map(originOf);
  const secrets = new Map<string, Record<string, string>>();
  const add = (origins: string[], more: Record<string, string>) => {
    if (Object.keys(more).length === 0) return;
    for (const origin of origins) secrets.set(origin, { ...secrets.get(origin), ...more });
  };
  add(named.length > 0 ? named : starts, secretHeadersOf(headers));
  if (auth !== null) {
    add(named.length > 0 ? named : starts.slice(0, 1), { authorization: basicAuthorization(auth) });
  }
  return secrets;
}

/** A client that sends the plain headers only to the site's hosts. */
export function withPlainHeaders(
  client: HttpClient,
  headers: Record<string, string>,
  isInternal: (url: string) => boolean,
): SiteClient {
  const plain = plainHeaders(headers);
  if (Object.keys(plain).length === 0) return client;
  return {
    fetch: (request) =>
      client.fetch(isInternal(request.url) ? { ...request, headers: { ...plain, ...request.headers } } : request),
  };
}
