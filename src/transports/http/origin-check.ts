/**
 * Requests that other websites make a visitor's browser send. Browsers say where a request comes from, in Origin and
 * Sec-Fetch-Site; programs such as curl send neither, and are no danger: they act for the person who started them.
 */
export interface AskedBy {
  method: string;
  headers: Headers;
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS";

export function createOriginCheck(allowed: readonly string[]): (request: AskedBy) => boolean {
  return ({ method, headers }) => {
    const origin = headers.get("origin");
    if (origin !== null && (isOwn(origin, headers.get("host")) || allowed.includes(origin))) return true;
    // A link on another site may lead here; a script or form of it may not send anything.
    if (isSafe(method) && headers.get("sec-fetch-mode") === "navigate") return true;
    if (origin !== null) return false;
    const site = headers.get("sec-fetch-site");
    return site === null || site === "same-origin" || site === "none";
  };
}

/** By host alone: a proxy that adds encryption makes the scheme differ. The Host header was checked before. */
function isOwn(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && host !== null && new URL(origin).host === normalHost(host, origin);
}

/** The Host header as URL writes it: without the port that goes without saying. */
function normalHost(host: string, origin: string): string {
  const address = `${new URL(origin).protocol}//${host}`;
  return URL.canParse(address) ? new URL(address).host : host;
}
