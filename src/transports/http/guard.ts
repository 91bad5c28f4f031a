/** Who is let in: the right name, no other website, and the token where one is needed. */
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import { TrawlError } from "../../errors.ts";
import { createHostCheck } from "./allowed-hosts.ts";
import { htmlPage } from "./html-page.ts";
import { createOriginCheck } from "./origin-check.ts";
import type { Tokens } from "./tokens.ts";

export interface GuardOptions {
  bound: string;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  /** Null: everyone on this machine may ask. */
  tokens: Tokens | null;
  /** Cookies are shared by all ports of a host; two servers must not take each other's away. */
  cookieName: () => string;
  /** Files of the web app hold no secret, and browsers fetch manifests and icons without cookies. */
  isPublic: (path: string) => boolean;
}

export function createGuard(options: GuardOptions): MiddlewareHandler {
  const { tokens, cookieName, isPublic } = options;
  const isHostAllowed = createHostCheck({ bound: options.bound, names: options.allowedHosts });
  const isOriginAllowed = createOriginCheck(options.allowedOrigins);
  return async (c, next) => {
    const { headers, method } = c.req.raw;
    if (!isHostAllowed(headers.get("host"))) {
      throw new TrawlError("HOST_NOT_ALLOWED", `This server does not answer to "${headers.get("host") ?? ""}".`);
    }
    if (!isOriginAllowed({ method, headers })) throw new TrawlError("ORIGIN_NOT_ALLOWED");
    if (tokens === null || isPublic(c.req.path)) return next();
    const given = c.req.query("token");
    if (method === "GET" && given !== undefined && tokens.takeFromAddress(given)) {
      return signIn(c, cookieName(), tokens.session);
    }
    const cookie = getCookie(c, cookieName());
    if (tokens.isAuthorized({ authorization: headers.get("authorization"), cookie })) return next();
    if (c.req.path.startsWith("/api/") || !headers.get("accept")?.includes("text/html")) {
      throw new TrawlError("TOKEN_NEEDED");
    }
    return c.html(SIGN_IN_PAGE, 401);
  };
}

/**
 * Sets the cookie and goes on to the same address without the token. By a page instead of a redirect: a browser that
 * came from a link elsewhere would not send a SameSite=Strict cookie along a redirect.
 */
function signIn(c: Context, name: string, value: string): Response | Promise<Response> {
  setCookie(c, name, value, { httpOnly: true, sameSite: "Strict", path: "/" });
  const url = new URL(c.req.url);
  url.searchParams.delete("token");
  // A path of several slashes would be read as another host's address.
  const target = `/${url.pathname.replace(/^\/+/, "")}${url.search}`;
  c.header("cache-control", "no-store");
  return c.html(
    htmlPage({
      title: "Trawl",
      head: html`<meta http-equiv="refresh" content="0;url=${target}" />`,
      body: html`<main><p><a href="${target}">Go on to Trawl</a></p></main>`,
    }),
  );
}

const SIGN_IN_PAGE = htmlPage({
  title: "Trawl: token needed",
  head: "",
  body: html`<main>
    <h1>This server asks for a token</h1>
    <p>Open the address that <code>trawl serve</code> printed when it started: it holds a code that is good once.</p>
    <p>On the machine where it runs, <code>trawl open</code> opens it with a new one.</p>
  </main>`,
});
