/** The headers of a request: which are sent to every host, and which only to the origin they are meant for. */
import type { Dispatcher } from "undici";
import { ACCEPT_ENCODING } from "./content-coding.ts";
import { type HeaderPairs, headerValue } from "./headers.ts";
import type { HttpClientOptions, HttpRequest } from "./http-types.ts";
import type { Origin } from "./origin.ts";

/** Name, value, name, value: the form undici reads fastest. Names in lower case. */
export type FlatHeaders = string[];

export const flatPairs = (headers: FlatHeaders): HeaderPairs =>
  headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]!] as [string, string]] : []));

/** The headers of a request with those that undici adds. HEAD closes its connection. */
export function sentHeaders(
  { headers, method }: Pick<Dispatcher.DispatchOptions, "headers" | "method">,
  url: string,
  httpVersion: "1.1" | "2",
): HeaderPairs {
  const given = flatPairs(headers as FlatHeaders);
  if (httpVersion === "2") return given;
  const host: HeaderPairs = headerValue(given, "host") === null ? [["host", new URL(url).host]] : [];
  return [...host, ["connection", method === "HEAD" ? "close" : "keep-alive"], ...given];
}

/** What an origin gets with every request. */
export function originHeaders(
  options: Pick<HttpClientOptions, "userAgent" | "headers" | "secrets">,
  origin: Origin,
): FlatHeaders {
  const headers = new Map([
    ["user-agent", options.userAgent],
    ["accept", "*/*"],
    ["accept-encoding", ACCEPT_ENCODING],
  ]);
  const add = (more: Readonly<Record<string, string>> = {}) => {
    for (const name in more) headers.set(name.toLowerCase(), more[name]!);
  };
  add(options.headers);
  add(options.secrets?.get(origin.key));
  return [...headers].flat();
}

/** The same, plus the headers of this request; the same array if there aren't any. */
export function requestHeaders(base: FlatHeaders, request: HttpRequest, cookie: string | null): FlatHeaders {
  const { etag, lastModified, headers } = request;
  if (!etag && !lastModified && headers === undefined && cookie === null) return base;
  const extra = new Map<string, string>();
  if (cookie !== null) extra.set("cookie", cookie);
  if (etag) extra.set("if-none-match", etag);
  if (lastModified) extra.set("if-modified-since", lastModified);
  for (const name in headers) extra.set(name.toLowerCase(), headers[name]!);
  const all: FlatHeaders = [];
  for (let index = 0; index < base.length; index += 2) {
    const [name, value] = [base[index]!, base[index + 1]!];
    if (!extra.has(name)) all.push(name, value);
    else if (name === "cookie" && extra.get(name) === cookie) extra.set(name, joinCookies(value, cookie!));
  }
  for (const [name, value] of extra) all.push(name, value);
  return all;
}

/** Cookies set as a header are sent in addition to those in the jar, until the site sets them itself. */
function joinCookies(typed: string, kept: string): string {
  const nameOf = (cookie: string): string => cookie.split("=", 1)[0]!.trim();
  const names = new Set(kept.split(";").map(nameOf));
  const others = typed.split(";").filter((cookie) => !names.has(nameOf(cookie)));
  return [...others.map((cookie) => cookie.trim()), kept].join("; ");
}
