/** What to do with a request the browser is about to make. Pure: `render-visit.ts` carries it out. */
import type { Protocol } from "puppeteer-core";
import type { RequestType } from "./contract.ts";

export interface PausedRequest {
  url: string;
  resourceType: Protocol.Network.ResourceType;
  headers: Readonly<Record<string, string>>;
  /** Of the page itself, not of a frame in it. */
  mainFrame: boolean;
  /** For a file to be saved, as a click on `<a download>` asks. */
  download: boolean;
}

export interface InterceptionRules {
  blockTypes: ReadonlySet<string>;
  /** Sent to the page's own origin only. */
  headers: Readonly<Record<string, string>>;
  origin: string;
}

/**
 * - `answer`: the page's own document, which is already here.
 * - `leave`: the page sends its visitor elsewhere; it stays.
 * - `block`: not loaded.
 * - `hide`: not loaded, and not the page's own wish either.
 * - `ask`: goes out with these extra headers, unless the URL is blocked.
 */
export type Interception =
  | { action: "answer" | "leave" | "block" | "hide" }
  | { action: "ask"; headers: Readonly<Record<string, string>> | null };

export function intercept(request: PausedRequest, awaited: boolean, rules: InterceptionRules): Interception {
  if (request.mainFrame && request.resourceType === "Document" && !request.download) {
    return { action: awaited ? "answer" : "leave" };
  }
  if (isIcon(request)) return { action: "hide" };
  const unwanted = request.download || isPrefetch(request.headers) || blocksType(request, rules.blockTypes);
  if (unwanted || !isFetchable(request.url)) return { action: "block" };
  const own = URL.parse(request.url)?.origin === rules.origin && Object.keys(rules.headers).length > 0;
  return { action: "ask", headers: own ? rules.headers : null };
}

/** Only the web's own schemes: a page has no business with file:, chrome: and the like. */
function isFetchable(url: string): boolean {
  return /^(?:https?|data|blob):/i.test(url);
}

/** A prefetch loads other pages, and those are the gate's to decide. */
function isPrefetch(headers: Readonly<Record<string, string>>): boolean {
  return header(headers, "sec-purpose")?.startsWith("prefetch") ?? false;
}

/** Full Chrome asks for an icon to show in a tab that nobody sees. It has no type, but wants an image. */
function isIcon(request: PausedRequest): boolean {
  return request.resourceType === "Other" && (header(request.headers, "accept")?.startsWith("image/") ?? false);
}

function blocksType(request: PausedRequest, blockTypes: ReadonlySet<string>): boolean {
  const type = requestType(request.resourceType);
  // While it is held back, Chromium gives fetch() out for XHR.
  if (type === "xhr" || type === "fetch") return blockTypes.has("xhr") || blockTypes.has("fetch");
  return blockTypes.has(type);
}

const TYPES: Readonly<Record<string, RequestType>> = {
  Document: "document",
  Stylesheet: "stylesheet",
  Script: "script",
  XHR: "xhr",
  Fetch: "fetch",
  Image: "image",
  Font: "font",
  Media: "media",
  TextTrack: "media",
  WebSocket: "websocket",
};

export function requestType(type: Protocol.Network.ResourceType | undefined): RequestType {
  return (type === undefined ? undefined : TYPES[type]) ?? "other";
}

/** The request's headers with ours in place of those of the same name. */
export function withHeaders(
  headers: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>>,
): Protocol.Fetch.HeaderEntry[] {
  const ours = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !ours.has(name.toLowerCase()));
  return [...kept, ...Object.entries(extra)].map(([name, value]) => ({ name, value }));
}

function header(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  for (const name in headers) if (name.toLowerCase() === wanted) return headers[name];
  return undefined;
}
