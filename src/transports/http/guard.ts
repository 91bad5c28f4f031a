/** Access control: the Host name, the origin, and the token. */

import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import { TrawlError } from "../../errors.ts";
import { connectionUser } from "../../net/socket-owner.ts";
import { htmlPage } from "./html-page.ts";
import { LIMITS } from "./limits.ts";
import { readBodyText } from "./read-input.ts";
import type { Tokens } from "./tokens.ts";
import type { WrongTokens } from "./wrong-tokens.ts";

export interface GuardOptions {
  bound: string;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  tokens: Tokens;
  wrongTokens: WrongTokens;
  /** Cookies are shared by all ports of a host; two servers must not overwrite each other's. */
  cookieName: () => string;
  /** What needs no token. Files of the web app contain no secrets, and browsers fetch manifests and icons without cookies. */
  isPublic: (path: string) => boolean;
}

export function createGuard(options: GuardOptions): MiddlewareHandler {
  const { tokens, wrongTokens, cookieName, isPublic } = options;
  const isHostAllowed = createHostCheck({ bound: options.bound, names: options.allowedHosts });
  const isOriginAllowed = createOriginCheck(options.allowedOrigins);
  return async (c, next) => {
    const { headers, method } = c.req.raw;
    if (!isHostAllowed(headers.get("host"))) {
      throw new TrawlError("HOST_NOT_ALLOWED", `This server does not answer to "${headers.get("host") ?? ""}".`);
    }
    if (!isOriginAllowed({ method, path: c.req.path, headers })) throw new TrawlError("ORIGIN_NOT_ALLOWED");
    if (isPublic(c.req.path)) return next();
    const inAddress = method === "GET" ? c.req.query("token") : undefined;
    const target = withoutToken(c.req.url);
    const take = (given: string): boolean => tokens.takeFromAddress(given, () => clientUser(c));
    if (inAddress !== undefined && take(inAddress)) return signIn(c, cookieName(), tokens, target);
    if (method === "POST" && c.req.path === SESSION) {
      const token = new URLSearchParams(await readBodyText(c.req.raw, LIMITS.signInBytes)).get("token");
      const to = c.req.query("to") ?? "/";
      if (token !== null && take(token.trim())) return signIn(c, cookieName(), tokens, to);
      await wrongTokens.answer(clientAddress(c));
      return askForToken(c, to, true);
    }
    const shown = { authorization: headers.get("authorization"), cookie: getCookie(c, cookieName()) };
    // A link that was used before leaves its code in the address, although the user is signed in.
    if (tokens.isAuthorized(shown)) return inAddress === undefined ? next() : c.redirect(target);
    const isWrong = shown.authorization !== null || shown.cookie !== undefined || inAddress !== undefined;
    if (isWrong) await wrongTokens.answer(clientAddress(c));
    if (c.req.path.startsWith("/api/") || !headers.get("accept")?.includes("text/html")) {
      throw new TrawlError("TOKEN_NEEDED");
    }
    return askForToken(c, target, false);
  };
}

/** Path and query to continue at: always on this server, whatever the address says. */
function withoutToken(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete("token");
  return ownPath(`${pathname}${searchParams.size > 0 ? `?${searchParams}` : ""}`);
}

/** A path that starts with several slashes would be read as the address of another host, even with white space that browsers remove. */
const ownPath = (path: string): string => (path.startsWith("/") ? `/${path.replace(/^[/\\\s]+/, "")}` : "/");

/** Who sent the request, as far as the connection tells. Of an IPv6 address, only the network part: one client owns all the rest. */
function clientAddress(c: Context): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const address = incoming?.socket.remoteAddress ?? "";
  return isIP(address) === 6 && !address.startsWith("::") ? address.split(":").slice(0, 4).join(":") : address;
}

/** Which user's program on this machine sent the request; null if the system does not tell, or the request came from another machine. */
export function clientUser(c: Context): number | null {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const { remoteAddress, remotePort, localAddress, localPort } = incoming?.socket ?? {};
  if (remoteAddress === undefined || remotePort === undefined) return null;
  return connectionUser(
    { address: remoteAddress, port: remotePort },
    { address: localAddress ?? "", port: localPort ?? 0 },
  );
}

/** Where a browser signs in and out. */
export const SESSION = "/session";

/**
 * Sets the cookie and continues to the requested address. It uses a page instead of a redirect, because a browser
 * that came from a link elsewhere would not send a SameSite=Strict cookie with a redirect.
 */
function signIn(c: Context, name: string, tokens: Tokens, to: string): Response | Promise<Response> {
  setCookie(c, name, tokens.openSession(), { httpOnly: true, sameSite: "Strict", path: "/" });
  const target = ownPath(to);
  c.header("cache-control", "no-store");
  return c.html(
    htmlPage({
      title: "Trawl",
      head: html`<meta http-equiv="refresh" content="0;url=${target}" />`,
      body: html`<main><p><a href="${target}">Continue to Trawl</a></p></main>`,
    }),
  );
}

/** Ends the session of this browser. */
export function signOut(c: Context, { tokens, cookieName }: Pick<GuardOptions, "tokens" | "cookieName">): Response {
  tokens.closeSession(getCookie(c, cookieName()) ?? "");
  deleteCookie(c, cookieName(), { path: "/" });
  return c.json({ done: true });
}

/** With the usual policy, a browser would send its form without an origin, as if it came from another site. */
const askForToken = (c: Context, target: string, isWrong: boolean) =>
  c.html(signInPage(target, isWrong), 401, { "referrer-policy": "same-origin", "cache-control": "no-store" });

const signInPage = (target: string, isWrong: boolean) =>
  htmlPage({
    title: "Sign in to Trawl",
    head: "",
    body: html`<main class="sign-in">
    <h1>Sign in to Trawl</h1>
    <form method="post" action="${SESSION}?to=${encodeURIComponent(target)}">
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required autofocus
        ${isWrong ? html`aria-invalid="true" aria-describedby="wrong"` : ""} />
      <button>Sign in</button>
      ${isWrong ? html`<p id="wrong" role="alert">That is not this server's token.</p>` : ""}
    </form>
    <p class="dim">When it started, <code>trawl serve</code> printed an address that signs you in; on the same machine,
      <code>trawl open</code> opens Trawl and signs you in. The token itself is in the file <code>token</code> in Trawl's data
      folder, usually <code>~/.trawl</code>, unless the server was given another.</p>
  </main>`,
  });

/**
 * The host names that the server answers to. A website can point its own name at 127.0.0.1 and make the visitor's browser
 * talk to us as if we were that site (DNS rebinding): such a request carries the site's name in its Host header.
 */
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"];

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** `[::1]` and `::1` are the same name; case does not matter. */
export const plainHost = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");

/** The name in a Host header, without its port; null when it is not a name. */
export function hostName(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(header);
  return match === null ? null : plainHost(match[1]!);
}

export interface AllowedHosts {
  /** Where the server listens. */
  bound: string;
  /** Additional names, such as that of a proxy in front of it. */
  names: readonly string[];
}

export function createHostCheck({ bound, names }: AllowedHosts): (header: string | null) => boolean {
  const known = new Set([
    ...LOOPBACK_NAMES,
    plainHost(bound),
    ...names.map((name) => hostName(name) ?? plainHost(name)),
  ]);
  const isOpen = !isLoopback(plainHost(bound));
  return (header) => {
    const name = header === null ? null : hostName(header);
    if (name === null) return false;
    // An IP address cannot be redirected by a website, so a server that others reach answers to any of its own addresses.
    return known.has(name) || (isOpen && isIP(name) !== 0);
  };
}

/**
 * Requests that other websites make a visitor's browser send. Browsers state where a request comes from, in Origin and
 * Sec-Fetch-Site; programs such as curl send neither, and are harmless: they act for the person who started them.
 */
export interface AskedBy {
  method: string;
  path: string;
  headers: Headers;
}

/** Screens of the web app, its files and the documentation: everything that takes no parameters and reads no crawl. */
const isPage = (path: string): boolean => !/^\/(?:api|mcp|metrics|openapi\.json|session|sign-in)(?:\/|$)/i.test(path);

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS";

export function createOriginCheck(allowed: readonly string[]): (request: AskedBy) => boolean {
  return ({ method, path, headers }) => {
    const origin = headers.get("origin");
    if (origin !== null && (isOwn(origin, headers.get("host")) || allowed.includes(origin))) return true;
    // A link on another site may lead to a page of ours, but not to data; its scripts and forms may not send anything.
    if (isSafe(method) && headers.get("sec-fetch-mode") === "navigate" && isPage(path)) return true;
    if (origin !== null) return false;
    const site = headers.get("sec-fetch-site");
    return site === null || site === "same-origin" || site === "none";
  };
}

/** Compares only the host: behind a proxy that adds TLS, the scheme differs. The Host header was checked before. */
function isOwn(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && host !== null && new URL(origin).host === normalHost(host, origin);
}

/** The Host header as URL writes it: without the default port. */
function normalHost(host: string, origin: string): string {
  const address = `${new URL(origin).protocol}//${host}`;
  return URL.canParse(address) ? new URL(address).host : host;
}
