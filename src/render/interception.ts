/** Sits between a page and the network: answers with the document, blocks what is not wanted, records the rest. */
import type { CDPSession, Protocol } from "puppeteer-core";
import type { RendererOptions, RenderRequest, RequestType } from "./contract.ts";
import { documentResponse } from "./document-response.ts";
import type { RequestLog } from "./request-log.ts";

export interface PausedRequest {
  url: string;
  method: string;
  resourceType: Protocol.Network.ResourceType;
  headers: Readonly<Record<string, string>>;
  /** Of the page itself, not of a frame in it. */
  mainFrame: boolean;
  /** For a file to be saved, such as a click on `<a download>`. */
  download: boolean;
}

export interface InterceptionRules {
  blockTypes: ReadonlySet<string>;
  /** Sent to the page's own origin only. */
  headers: Readonly<Record<string, string>>;
  /** The page's own. */
  origin: string;
  /** The page's own address, without fragment. */
  url: string;
  /** Cookies were given to the page's origin: browsers would send them to its host's other ports too. */
  hasCookies: boolean;
}

/**
 * - `answer`: the page's own document, which is already here.
 * - `reload`: the page asks for itself again.
 * - `leave`: the page sends its visitor elsewhere; it stays.
 * - `block`: not loaded.
 * - `hide`: not loaded, and not the page's own wish either.
 * - `ask`: goes out with these extra headers, unless the URL is blocked.
 */
export type Interception =
  | { action: "answer" | "reload" | "leave" | "block" | "hide" }
  | { action: "ask"; headers: ExtraHeaders };

type ExtraHeaders = Readonly<Record<string, string>> | null;

/** What to do with a request that the browser is about to make. */
export function intercept(request: PausedRequest, awaited: boolean, rules: InterceptionRules): Interception {
  if (request.mainFrame && request.resourceType === "Document" && !request.download) {
    if (awaited) return { action: "answer" };
    return { action: request.method === "GET" && request.url === rules.url ? "reload" : "leave" };
  }
  if (isIcon(request)) return { action: "hide" };
  const unwanted = request.download || isPrefetch(request.headers) || blocksType(request, rules.blockTypes);
  if (unwanted || !isFetchable(request.url)) return { action: "block" };
  return { action: "ask", headers: extraHeaders(request.url, rules) };
}

const NO_COOKIES = { Cookie: "" };

function extraHeaders(url: string, { headers, origin, hasCookies }: InterceptionRules): ExtraHeaders {
  const target = URL.parse(url);
  if (target?.origin === origin) return Object.keys(headers).length > 0 ? headers : null;
  return hasCookies && target?.hostname === new URL(origin).hostname ? NO_COOKIES : null;
}

/** Only the web's own schemes: a page has no business with file:, chrome: and the like. */
function isFetchable(url: string): boolean {
  return /^(?:https?|data|blob):/i.test(url);
}

/** A prefetch loads other pages, which the gate has to decide. */
function isPrefetch(headers: Readonly<Record<string, string>>): boolean {
  return header(headers, "sec-purpose")?.startsWith("prefetch") ?? false;
}

/** Full Chrome requests an icon for its tab. The request has no type, but accepts images. */
function isIcon(request: PausedRequest): boolean {
  return request.resourceType === "Other" && (header(request.headers, "accept")?.startsWith("image/") ?? false);
}

function blocksType(request: PausedRequest, blockTypes: ReadonlySet<string>): boolean {
  const type = requestType(request.resourceType);
  // While it is paused, Chromium reports fetch() as XHR.
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

/** The request's headers, with ours replacing those of the same name. */
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

/** What pages of one origin get. */
export interface OriginSecrets {
  headers: Readonly<Record<string, string>>;
  /** From a `Cookie` header, which the browser would not let us set. */
  cookies: readonly { name: string; value: string }[];
}

export interface InterceptorRules {
  blockTypes: ReadonlySet<string>;
  blockUrl: NonNullable<RendererOptions["blockUrl"]> | null;
  headers: Readonly<Record<string, string>>;
  secrets: ReadonlyMap<string, OriginSecrets>;
}

const MOST_RELOADS = 3;

/** Only scripts send these, so before the page has run one they come from the previous page as it was left. */
const SCRIPTED = new Set<string | undefined>(["Ping", "XHR", "Fetch"]);

export interface InterceptorEvents {
  /** The page sends its visitor elsewhere. */
  leave(): void;
  /** The page loads itself again. */
  reload(): void;
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");

export class Interceptor {
  /** The document is `awaited`, then `loading` until scripts can run; when the visit is `over`, nothing more is sent. */
  stage: "awaited" | "loading" | "running" | "over" = "awaited";
  redirectedTo: string | null = null;
  /** Times the page may still load itself again: scripts do that once, with a note of it in storage, or without end. */
  #reloads = MOST_RELOADS;
  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #request: RenderRequest;
  readonly #log: RequestLog;
  readonly #on: InterceptorEvents;
  readonly #rules: InterceptionRules;
  readonly #blockUrl: InterceptorRules["blockUrl"];
  #begun = false;

  constructor(
    session: CDPSession,
    frameId: string,
    request: RenderRequest,
    rules: InterceptorRules,
    log: RequestLog,
    on: InterceptorEvents,
  ) {
    this.#session = session;
    this.#frameId = frameId;
    this.#request = request;
    this.#log = log;
    this.#on = on;
    this.#blockUrl = rules.blockUrl;
    const { origin } = new URL(request.url);
    const secrets = rules.secrets.get(origin);
    this.#rules = {
      blockTypes: rules.blockTypes,
      headers: { ...rules.headers, ...secrets?.headers },
      origin,
      url: withoutFragment(new URL(request.url).href),
      hasCookies: (secrets?.cookies.length ?? 0) > 0,
    };
  }

  /** The page has loaded itself again too often. */
  get isReloading(): boolean {
    return this.#reloads < 0;
  }

  began(event: Protocol.Network.RequestWillBeSentEvent): void {
    if (this.#isFarewell(event.type)) return;
    // The page's own document, which is here already. Where the page goes later is listed.
    const isOwn = event.type === "Document" && event.frameId === this.#frameId;
    if (isOwn && (!this.#begun || withoutFragment(event.request.url) === this.#rules.url)) {
      this.#begun = true;
      return;
    }
    this.#log.began(event);
  }

  async paused(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, networkId, request } = event;
    const verdict = this.#judge(event);
    if (verdict.action === "answer" || (verdict.action === "reload" && this.#reloads-- > 0)) {
      this.stage = "loading";
      if (verdict.action === "reload") this.#on.reload();
      await this.#session.send("Fetch.fulfillRequest", { requestId, ...documentResponse(this.#request) });
      return;
    }
    if (verdict.action === "ask" && !(await this.#isBlocked(request.url))) {
      const headers = verdict.headers === null ? {} : { headers: withHeaders(request.headers, verdict.headers) };
      await this.#session.send("Fetch.continueRequest", { requestId, ...headers });
      return;
    }
    if (networkId !== undefined) {
      if (verdict.action === "hide") this.#log.hide(networkId);
      else this.#log.blocked(networkId, request.url);
    }
    const leaves = verdict.action === "leave" || verdict.action === "reload";
    // A form that submits itself is not a redirect: fetching its target would be a different request.
    if (leaves && request.method === "GET") {
      this.redirectedTo ??= request.url + (request.urlFragment ?? "");
      this.#on.leave();
    }
    const errorReason = leaves ? "Aborted" : "BlockedByClient";
    await this.#session.send("Fetch.failRequest", { requestId, errorReason });
  }

  #judge({ frameId, networkId, resourceType, request }: Protocol.Fetch.RequestPausedEvent): Interception {
    if (this.stage === "over" || this.#isFarewell(resourceType)) return { action: "block" };
    const { url, method, headers } = request;
    // Chromium calls a download a document too, but does not count it among the page's requests.
    const download = resourceType === "Document" && networkId === undefined && this.stage !== "awaited";
    const paused = { url, method, resourceType, headers, mainFrame: frameId === this.#frameId, download };
    return intercept(paused, this.stage === "awaited", this.#rules);
  }

  #isFarewell(type: Protocol.Network.ResourceType | undefined): boolean {
    return (this.stage === "awaited" || this.stage === "loading") && SCRIPTED.has(type);
  }

  /** If the rule throws, the request is blocked: only allowed requests may be sent. */
  async #isBlocked(url: string): Promise<boolean> {
    try {
      return (await this.#blockUrl?.(url)) ?? false;
    } catch {
      return true;
    }
  }
}
