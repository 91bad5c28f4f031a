/** Headers that a person set, for the site's own hosts: a key to a test site is nobody else's business. */
import type { HttpClient } from "../net/client.ts";

/** What fetches for a crawl. */
export type SiteClient = Pick<HttpClient, "fetch">;

/** These the client itself keeps to the start URLs; a subdomain must not get them either. */
const CREDENTIALS = /^(?:authorization|cookie|proxy-authorization)$/i;

const pick = (headers: Record<string, string>, credentials: boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => CREDENTIALS.test(name) === credentials));

export const credentialHeaders = (headers: Record<string, string>): Record<string, string> => pick(headers, true);

/** A client that sends the headers to the site's own hosts only. */
export function withOwnHeaders(
  client: HttpClient,
  headers: Record<string, string>,
  isInternal: (url: string) => boolean,
): SiteClient {
  const own = pick(headers, false);
  if (Object.keys(own).length === 0) return client;
  return {
    fetch: (request) =>
      client.fetch(isInternal(request.url) ? { ...request, headers: { ...own, ...request.headers } } : request),
  };
}
