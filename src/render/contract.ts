/** What goes into the renderer and what comes out: options, request, result, and the errors of a page. */
import type { Socket } from "node:net";
import type { ConnectTo } from "../net/connection/route.ts";
import type { OnExchange, OriginHeaders } from "../net/http-types.ts";

export interface RendererOptions {
  executablePath: string;
  /** Pages rendered at once. */
  tabs: number;
  userAgent: string;
  /** Sent with requests to the page's own origin only. Not for credentials. */
  headers?: Readonly<Record<string, string>>;
  /** Credentials by origin: sent with requests of pages of that origin to that origin, and nowhere else. */
  secrets?: OriginHeaders;
  viewport?: Viewport;
  /** How long a page must be quiet before it is given longer stretches of its own time to wait for timers. */
  settleMs?: number;
  /** The longest time to settle, in real time or in the page's virtual time, whichever limit is reached first. */
  maxWaitMs?: number;
  navigationTimeoutMs?: number;
  /** Scroll to the end of the page, to load what loads only when it comes into view. */
  scroll?: boolean;
  /** Kinds of sub-resources that are not loaded. */
  blockTypes?: readonly string[];
  /** Called for every request and every redirect; true blocks it. */
  blockUrl?: (url: string) => boolean | Promise<boolean>;
  /**
   * Called for every request of a page that was sent, once it has ended. Not called for the page itself, which was
   * fetched before.
   */
  onExchange?: OnExchange | undefined;
  connectTo?: readonly ConnectTo[];
  /** PEM certificates to trust besides the system's, when the server sends them in its chain (README.md says why). */
  ca?: string | null;
  insecure?: boolean;
  /** `http://user:password@host:port`. */
  proxy?: string | null;
  /**
   * Opens every connection of the browser instead of the browser itself, so that an egress guard sees them all.
   * `connectTo` and `proxy` are then up to this function. If it is not set, the browser can reach any address,
   * including private ones.
   */
  connect?: Connect | null;
  /** What is inspected in each page that was read, in this order. */
  inspections?: readonly Inspection[];
  /** A tab is replaced after this many pages. */
  pagesPerTab?: number;
  /** The rendered HTML is cut here. */
  maxHtmlLength?: number;
}

/** A script that inspects a page once its DOM has been read, so it may change the page. */
export interface Inspection {
  /** An expression whose value, or what its promise resolves to, is the result: JSON. */
  source: string;
  /** Meanwhile, the page is shown on a phone with a screen of this size. */
  phone?: Viewport;
}

export type Connect = (host: string, port: number) => Promise<Socket>;

export interface Viewport {
  width: number;
  height: number;
}

export const RENDER_DEFAULTS = {
  /** A common laptop; pages choose their desktop layout. */
  viewport: { width: 1366, height: 768 } as Viewport,
  /** Debounced scripts mostly wait 100 to 300 ms. */
  settleMs: 500,
  /** Longer than almost every page needs; a page that polls forever costs no more than this. */
  maxWaitMs: 10_000,
  scroll: false as boolean,
  /** The document has already been fetched, so a navigation that takes this long hangs. */
  navigationTimeoutMs: 15_000,
  /** Large, and irrelevant to text and links. */
  blockTypes: ["image", "media", "font"] as readonly string[],
  /** Chromium never frees all the memory of a page. */
  pagesPerTab: 100,
  /** Far above any real page: a DOM that grows forever must not fill our memory. */
  maxHtmlLength: 16 * 1024 * 1024,
} as const;

export interface RenderRequest {
  url: string;
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  /** The decoded document, already fetched; the browser does not fetch it again. */
  body: Buffer;
  /** Cookies for the page's own host. */
  cookies?: readonly PageCookie[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface PageCookie {
  name: string;
  value: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
}

export type RequestType =
  | "document"
  | "stylesheet"
  | "script"
  | "xhr"
  | "fetch"
  | "image"
  | "font"
  | "media"
  | "websocket"
  | "other";

export interface PageRequest {
  url: string;
  method: string;
  type: RequestType;
  /** Null when no answer came before the page was read. */
  status: number | null;
  /** The network error, such as `net::ERR_CONNECTION_REFUSED`. */
  failed: string | null;
  /** Blocked by us, so it never left the browser. */
  blocked: boolean;
}

export interface RenderResult {
  /** The DOM after settling, doctype included; shadow roots as `<template shadowrootmode>`. */
  html: string;
  /** True when the HTML was longer than `maxHtmlLength` and is cut. */
  truncated: boolean;
  /** The address of the page when it was read, which `pushState` or a fragment may have changed. */
  finalUrl: string;
  /** The base of relative links: `finalUrl`, unless the page has a `<base>`. */
  baseUrl: string;
  /** Addresses the page gave itself with `pushState`, `replaceState` or a fragment, in order, each once. */
  addresses: string[];
  /** Everything the page requested, without its own document. */
  requests: PageRequest[];
  /** Requests left out of the list because it was full. */
  requestsOmitted: number;
  consoleErrors: string[];
  /** False: something was still pending at the time limit. */
  settled: boolean;
  /** What is wrong with the result; null when the page came to rest, and all of it was read. */
  problem: RenderProblem | null;
  /** In ms of real time. */
  timings: { navigate: number; settle: number; total: number };
  /** The results of the inspections; null for one that failed or took too long, and none for a page that leads elsewhere. */
  inspections: unknown[];
  /** Where the page sent its visitor by script or meta refresh. Not followed. Itself, when it loads itself again without end. */
  redirectedTo: string | null;
}

/** What kept a page from coming to rest, or its rendering from being read as a whole. */
export const RENDER_PROBLEMS = {
  script_stopped: "the page did not answer in time, so that its scripts were stopped",
  still_changing: "the page was still changing when its time was up",
  still_requesting: "requests were under way when its time was up",
  worker_busy: "a worker was busy when its time was up",
  timer_pending: "a timer was pending when its time was up",
  out_of_time: "the page had not used its own time when the real time was up",
  reloads_itself: "the page loaded itself again and again",
  grows_with_scrolling: "the page became longer and longer while it was scrolled",
  console_flood: "the page filled the console",
  too_long: "the rendered page was too long, and was cut",
} as const;

export type RenderProblem = keyof typeof RENDER_PROBLEMS;

/** Why one page could not be rendered: a fact about the page, so the crawl continues. */
export const RENDER_ERRORS = {
  PAGE_CRASHED: "The page crashed its browser tab.",
  PAGE_HUNG: "The page did not answer, even after its scripts were stopped.",
  PAGE_NOT_SHOWN: "The browser did not show the document.",
  BROWSER_CRASHED: "The page crashed the whole browser.",
} as const;

export type RenderErrorCode = keyof typeof RENDER_ERRORS;

export class RenderError extends Error {
  readonly code: RenderErrorCode;

  constructor(code: RenderErrorCode, detail?: string, options?: ErrorOptions) {
    super(detail === undefined ? RENDER_ERRORS[code] : `${RENDER_ERRORS[code]} ${detail}`, options);
    this.name = "RenderError";
    this.code = code;
  }
}
