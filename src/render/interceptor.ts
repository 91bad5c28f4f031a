/** Stands between a page and the network: hands over the document, holds back what is not wanted, notes the rest. */
import type { CDPSession, Protocol } from "puppeteer-core";
import { originOf } from "../net/origin.ts";
import type { RendererOptions, RenderRequest } from "./contract.ts";
import { documentResponse } from "./document-response.ts";
import { type Interception, type InterceptionRules, intercept, withHeaders } from "./interception.ts";
import type { RequestLog } from "./request-log.ts";

export interface InterceptorRules {
  blockTypes: ReadonlySet<string>;
  blockUrl: NonNullable<RendererOptions["blockUrl"]> | null;
  headers: Readonly<Record<string, string>>;
  /** Headers for trusted origins only. */
  credentials: Readonly<Record<string, string>>;
  trustedOrigins: ReadonlySet<string>;
}

/** Only a script makes these, so before the page has run one they are the farewell of the page before it. */
const SCRIPTED = new Set<string | undefined>(["Ping", "XHR", "Fetch"]);

export class Interceptor {
  /** The document is `awaited`, then `loading` until scripts can run; when the visit is `over` nothing goes out any more. */
  stage: "awaited" | "loading" | "running" | "over" = "awaited";
  redirectedTo: string | null = null;
  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #request: RenderRequest;
  readonly #log: RequestLog;
  readonly #onLeave: () => void;
  readonly #rules: InterceptionRules;
  readonly #blockUrl: InterceptorRules["blockUrl"];
  #begun = false;

  constructor(
    session: CDPSession,
    frameId: string,
    request: RenderRequest,
    rules: InterceptorRules,
    log: RequestLog,
    onLeave: () => void,
  ) {
    this.#session = session;
    this.#frameId = frameId;
    this.#request = request;
    this.#log = log;
    this.#onLeave = onLeave;
    this.#blockUrl = rules.blockUrl;
    const url = new URL(request.url);
    const trusted = rules.trustedOrigins.has(originOf(url).hostPort);
    this.#rules = {
      blockTypes: rules.blockTypes,
      headers: trusted ? { ...rules.headers, ...rules.credentials } : rules.headers,
      origin: url.origin,
    };
  }

  began(event: Protocol.Network.RequestWillBeSentEvent): void {
    if (this.#isFarewell(event.type)) return;
    if (event.type === "Document" && event.frameId === this.#frameId && !this.#begun) {
      // The page's own document, which is here already. Where the page goes later is listed.
      this.#begun = true;
      return;
    }
    this.#log.began(event);
  }

  async paused(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, networkId, request } = event;
    const verdict = this.#judge(event);
    if (verdict.action === "answer") {
      this.stage = "loading";
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
    // A form that posts itself is no redirect: to ask for its target would be another request.
    if (verdict.action === "leave" && request.method === "GET") {
      this.redirectedTo ??= request.url + (request.urlFragment ?? "");
      this.#onLeave();
    }
    const errorReason = verdict.action === "leave" ? "Aborted" : "BlockedByClient";
    await this.#session.send("Fetch.failRequest", { requestId, errorReason });
  }

  #judge({ frameId, networkId, resourceType, request }: Protocol.Fetch.RequestPausedEvent): Interception {
    if (this.stage === "over" || this.#isFarewell(resourceType)) return { action: "block" };
    const { url, headers } = request;
    // Chromium calls a download a document too, but does not count it among the page's requests.
    const download = resourceType === "Document" && networkId === undefined && this.stage !== "awaited";
    const paused = { url, resourceType, headers, mainFrame: frameId === this.#frameId, download };
    return intercept(paused, this.stage === "awaited", this.#rules);
  }

  #isFarewell(type: Protocol.Network.ResourceType | undefined): boolean {
    return (this.stage === "awaited" || this.stage === "loading") && SCRIPTED.has(type);
  }

  /** A rule that fails blocks: a request that it did not allow must not go out. */
  async #isBlocked(url: string): Promise<boolean> {
    try {
      return (await this.#blockUrl?.(url)) ?? false;
    } catch {
      return true;
    }
  }
}
