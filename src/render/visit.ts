/** One page in one tab: the document is handed to the browser, runs until it settles, and is read. */
import type { CDPSession, Protocol } from "puppeteer-core";
import { originOf } from "../net/origin.ts";
import { ConsoleErrors } from "./console-errors.ts";
import type { RendererOptions, RenderRequest, RenderResult } from "./contract.ts";
import { documentResponse } from "./document-response.ts";
import { type InterceptionRules, intercept, withHeaders } from "./interception.ts";
import type { Probe, Snapshot } from "./page-scripts.ts";
import { PageTime } from "./page-time.ts";
import { RenderError } from "./render-error.ts";
import { RequestLog } from "./request-log.ts";
import { type SettleLimits, settle, slice, UNSETTLED } from "./settle.ts";
import { LATE, within } from "./within.ts";

/** A page that does not hand over its DOM in this time has to be stopped first. */
const READ_MS = 5_000;

/** A frame takes 17 ms; on a busy machine some more. */
const DRAW_MS = 500;

export interface VisitLimits extends SettleLimits {
  navigationTimeoutMs: number;
  maxHtmlLength: number;
}

export interface VisitRules {
  limits: VisitLimits;
  blockTypes: ReadonlySet<string>;
  blockUrl: NonNullable<RendererOptions["blockUrl"]> | null;
  headers: Readonly<Record<string, string>>;
  /** Headers for trusted origins only. */
  credentials: Readonly<Record<string, string>>;
  trustedOrigins: ReadonlySet<string>;
}

/** Only a script makes these, so before the page has run one they are the farewell of the page before it. */
const SCRIPTED = new Set<string | undefined>(["Ping", "XHR", "Fetch"]);

const now = () => performance.now();

export class Visit {
  readonly requests: RequestLog;
  readonly time: PageTime;
  readonly console = new ConsoleErrors();
  /** The page had to be stopped by force: its tab is not used again. */
  stopped = false;
  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #request: RenderRequest;
  readonly #rules: VisitRules;
  readonly #interception: InterceptionRules;
  readonly #world = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  #contextId = "";
  /** The document is still to be handed over. */
  #awaited = true;
  #begun = false;
  #over = false;
  #redirectedTo: string | null = null;

  constructor(session: CDPSession, frameId: string, request: RenderRequest, rules: VisitRules) {
    this.#session = session;
    this.#frameId = frameId;
    this.#request = request;
    this.#rules = rules;
    const url = new URL(request.url);
    const trusted = rules.trustedOrigins.has(originOf(url).hostPort);
    this.#interception = {
      blockTypes: rules.blockTypes,
      headers: trusted ? { ...rules.headers, ...rules.credentials } : rules.headers,
      origin: url.origin,
    };
    // Half of the patience is for answers; what takes longer is a long poll.
    this.requests = new RequestLog(now, rules.limits.maxWaitMs / 2);
    this.time = new PageTime(session, () => this.requests.pending);
    this.#failed.promise.catch(() => {});
  }

  async run(): Promise<RenderResult> {
    const started = now();
    await this.#navigate();
    const navigated = now();
    const settled = await this.#settle(navigated);
    const ended = now();
    const page = await this.#read();
    this.#over = true;
    return {
      html: page.html,
      truncated: page.truncated,
      finalUrl: page.url,
      requests: this.requests.requests,
      requestsOmitted: this.requests.omitted,
      consoleErrors: this.console.texts,
      settled,
      timings: { navigate: navigated - started, settle: ended - navigated, total: now() - started },
      redirectedTo: this.#redirectedTo,
    };
  }

  /** Ends the visit: the tab crashed, or nobody wants the page any more. */
  fail(error: unknown): void {
    this.#over = true;
    this.#failed.reject(error);
    this.time.wake();
  }

  /** A document of the page, or one that it wrote itself with a `javascript:` URL, has its world. */
  entered(context: Protocol.Runtime.ExecutionContextDescription): void {
    // The news of an earlier document may be late.
    if (this.#awaited) return;
    this.#contextId = context.uniqueId;
    this.#world.resolve();
  }

  began(event: Protocol.Network.RequestWillBeSentEvent): void {
    if (this.#loading && SCRIPTED.has(event.type)) return;
    if (event.type === "Document" && event.frameId === this.#frameId && !this.#begun) {
      // The page's own document, which is here already. Where the page goes later is listed.
      this.#begun = true;
      return;
    }
    this.requests.began(event);
  }

  async paused(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, request, resourceType } = event;
    const mainFrame = event.frameId === this.#frameId;
    const paused = { url: request.url, resourceType, headers: request.headers, mainFrame };
    const unwanted = this.#over || (this.#loading && SCRIPTED.has(resourceType));
    const verdict = unwanted ? ({ action: "block" } as const) : intercept(paused, this.#awaited, this.#interception);
    if (verdict.action === "answer") {
      this.#awaited = false;
      await this.#session.send("Fetch.fulfillRequest", { requestId, ...documentResponse(this.#request) });
      return;
    }
    if (verdict.action === "ask" && !(await this.#rules.blockUrl?.(request.url))) {
      const headers = verdict.headers === null ? {} : { headers: withHeaders(request.headers, verdict.headers) };
      await this.#session.send("Fetch.continueRequest", { requestId, ...headers });
      return;
    }
    if (event.networkId !== undefined) {
      if (verdict.action === "hide") this.requests.hide(event.networkId);
      else this.requests.blocked(event.networkId, request.url);
    }
    if (verdict.action === "leave" && request.method === "GET") {
      this.#redirectedTo ??= request.url + (request.urlFragment ?? "");
      this.time.wake();
    }
    const errorReason = verdict.action === "leave" ? "Aborted" : "BlockedByClient";
    await this.#session.send("Fetch.failRequest", { requestId, errorReason });
  }

  get #loading(): boolean {
    return this.#contextId === "";
  }

  async #navigate(): Promise<void> {
    const { url } = this.#request;
    const reply = await this.#limited(
      this.#session.send("Page.navigate", { url }).then(async (reply) => {
        if (!reply.errorText && !reply.isDownload) await this.#world.promise;
        return reply;
      }),
      this.#rules.limits.navigationTimeoutMs,
    );
    if (reply === LATE) throw new RenderError("PAGE_HUNG", url);
    if (reply.errorText) throw new RenderError("PAGE_NOT_SHOWN", `${reply.errorText} at ${url}`);
    if (reply.isDownload) throw new RenderError("PAGE_NOT_SHOWN", `It would be a download: ${url}`);
    await this.#forgetHistory();
  }

  /** Nothing has run yet; and the page must not find the pages that this tab showed before it. */
  async #forgetHistory(): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const reset = this.#session.send("Page.resetNavigationHistory").then(
        () => true,
        () => false,
      );
      if ((await this.#limited(reset, READ_MS)) !== false) return;
      // The document has begun, and one of the browser's processes does not know it yet: a question gives it time.
      await this.#ask("0", READ_MS);
    }
  }

  async #settle(started: number): Promise<boolean> {
    const { limits } = this.#rules;
    const deadline = started + limits.maxWaitMs;
    let state = UNSETTLED;
    let drawn = false;
    while (this.#redirectedTo === null) {
      const probe = await this.#ask<Probe>("trawl.probe()", deadline - now());
      if (probe === LATE) return false;
      const { traffic, pending } = this.requests;
      const sample = { ...probe, wall: now() - started, page: this.time.given, traffic, pending };
      const outcome = settle(state, sample, limits);
      state = outcome.state;
      if (outcome.verdict === "capped") return false;
      if (outcome.verdict === "settled") {
        if (drawn) return true;
        drawn = true;
        await this.#ask("trawl.drawn()", DRAW_MS);
        continue;
      }
      drawn = false;
      const given = await this.#unlessFailed(this.time.give(slice(limits.settleMs, this.requests.live), deadline));
      if (!given && this.#redirectedTo === null) return false;
    }
    // In an ordinary browser this document would be gone by now: nothing more comes.
    return true;
  }

  async #read(): Promise<Snapshot> {
    const expression = `trawl.snapshot(${this.#rules.limits.maxHtmlLength})`;
    let page = await this.#ask<Snapshot>(expression, this.time.stuck ? 0 : READ_MS);
    if (page === LATE) {
      this.stopped = true;
      // The one command that a page in an endless loop still obeys.
      await this.#limited(this.#session.send("Runtime.terminateExecution"), READ_MS);
      page = await this.#ask<Snapshot>(expression, READ_MS);
    }
    if (page === LATE) throw new RenderError("PAGE_HUNG", this.#request.url);
    return page;
  }

  async #ask<T>(expression: string, ms: number): Promise<T | typeof LATE> {
    const evaluate = () =>
      this.#session.send("Runtime.evaluate", {
        expression,
        uniqueContextId: this.#contextId,
        returnByValue: true,
        awaitPromise: true,
      });
    // The page may write itself anew between our question and its answer: then the new document is asked.
    const reply = await this.#limited(evaluate().catch(evaluate), ms);
    if (reply === LATE) return LATE;
    if (reply.exceptionDetails) throw new RenderError("PAGE_NOT_SHOWN", reply.exceptionDetails.text);
    return reply.result.value as T;
  }

  #limited<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
    return within(this.#unlessFailed(promise), ms);
  }

  #unlessFailed<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#failed.promise]);
  }
}
