/** One page in one tab: the browser gets the document, runs it until it is quiet, and the DOM is read. */
import type { CDPSession, Protocol } from "puppeteer-core";
import type { OnExchange } from "../net/http-types.ts";
import { LATE, within } from "./browser-process.ts";
import { ConsoleErrors } from "./console-errors.ts";
import {
  type Inspection,
  RenderError,
  type RenderProblem,
  type RenderRequest,
  type RenderResult,
  type Viewport,
} from "./contract.ts";
import { Interceptor, type InterceptorRules } from "./interception.ts";
import type { ExchangeWatch } from "./page-exchange.ts";
import type { Probe, Snapshot, Watched } from "./page-scripts.ts";
import { judge, PageTime, type QuietLimits, slice, UNSEEN, unrestOf } from "./quiet.ts";
import { RequestLog } from "./request-log.ts";

/** A page whose DOM cannot be read in this time has to be stopped first. */
const READ_MS = 5_000;

/** A page loads itself again a few times at most. */
const ATTEMPTS = 6;

/** A worker that does not answer in this time is computing something. */
const WORKER_MS = 50;

/**
 * A page that is asked when its time is almost up still gets this long to answer: asking late does not make it stuck.
 */
const ANSWER_MS = 2_000;

/** A frame takes 17 ms, and somewhat longer on a busy machine. */
const DRAW_MS = 500;

/** Inspecting a page with 100,000 elements takes longer than a person would wait. */
const INSPECTION_MS = 15_000;

/** While one of our scripts waits, the page gets this much of its own time at intervals of as much real time. */
const TIMER_MS = 100;
const TIMER_PACE_MS = 20;

/** A page may give itself a new address with every frame. */
const MOST_ADDRESSES = 200;

/** A news page may have no end. */
const MOST_SCREENS = 100;

export interface VisitLimits extends QuietLimits {
  navigationTimeoutMs: number;
  maxHtmlLength: number;
  scroll: boolean;
}

export interface VisitRules extends InterceptorRules {
  limits: VisitLimits;
  onExchange: OnExchange | null;
  viewport: Viewport;
  inspections: readonly Inspection[];
  /** The name under which `watcher` is found. */
  key: string;
}

const now = () => performance.now();

const exchangeWatch = ({ url }: RenderRequest, { onExchange }: VisitRules): ExchangeWatch | null =>
  onExchange && { page: url, onExchange, wallTime: Date.now, now };

export class Visit {
  readonly requests: RequestLog;
  readonly traffic: Interceptor;
  readonly time: PageTime;
  readonly console = new ConsoleErrors();
  /** The page had to be stopped by force, so its tab is not used again. */
  stopped = false;
  readonly #session: CDPSession;
  readonly #request: RenderRequest;
  readonly #limits: VisitLimits;
  readonly #rules: VisitRules;
  /** Of the document that is present or awaited. */
  #world = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #addresses = new Set<string>();
  readonly #workers: { session: CDPSession; reply: Promise<Watched | null> | null }[] = [];
  readonly #key: string;
  #context: Protocol.Runtime.ExecutionContextDescription | null = null;
  /** Shadow roots that only the protocol can find. */
  #hasClosedRoots = false;

  constructor(session: CDPSession, frameId: string, request: RenderRequest, rules: VisitRules) {
    this.#session = session;
    this.#request = request;
    this.#limits = rules.limits;
    this.#rules = rules;
    this.#key = rules.key;
    // Those in the HTML itself are made without a script.
    this.#hasClosedRoots = request.body.includes("shadowrootmode");
    // Half of the time is for answers; any longer request is a long poll.
    this.requests = new RequestLog(now, rules.limits.maxWaitMs / 2, exchangeWatch(request, rules));
    this.time = new PageTime(session, () => this.requests.pending);
    this.traffic = new Interceptor(session, frameId, request, rules, this.requests, {
      leave: () => this.time.wake(),
      reload: () => {
        this.#world = Promise.withResolvers<void>();
        this.time.wake();
      },
    });
    this.#failed.promise.catch(() => {});
  }

  async run(): Promise<RenderResult> {
    const started = now();
    await this.#navigate();
    const navigated = now();
    const unrest = (await this.#untilQuiet()) ?? (this.#limits.scroll ? await this.#scrolled() : null);
    const ended = now();
    const page = await this.#read();
    this.traffic.stage = "over";
    const consoleErrors = [...this.console.texts];
    const inspections = this.stopped || this.traffic.redirectedTo !== null ? [] : await this.#inspect();
    return {
      html: page.html,
      truncated: page.truncated,
      finalUrl: page.url,
      baseUrl: page.base,
      addresses: [...this.#addresses],
      requests: this.requests.requests,
      requestsOmitted: this.requests.omitted,
      consoleErrors,
      settled: unrest === null,
      problem: this.stopped ? "script_stopped" : (unrest ?? this.#excess(page)),
      timings: { navigate: navigated - started, settle: ended - navigated, total: now() - started },
      inspections,
      redirectedTo: this.traffic.redirectedTo,
    };
  }

  #excess({ truncated }: Snapshot): RenderProblem | null {
    if (truncated) return "too_long";
    return this.console.isFlooded ? "console_flood" : null;
  }

  /** Ends the visit: the tab crashed, or the page is no longer wanted. */
  fail(error: unknown): void {
    this.traffic.stage = "over";
    this.#failed.reject(error);
    this.time.wake();
  }

  /** A document of the page, or one that it wrote itself with a `javascript:` URL, has its world. */
  entered(context: Protocol.Runtime.ExecutionContextDescription): void {
    // The event of an earlier document may arrive late.
    if (this.traffic.stage === "awaited") return;
    if (this.traffic.stage === "loading") this.traffic.stage = "running";
    this.#context = context;
    this.#world.resolve();
  }

  /** The page gave itself another address. */
  moved(url: string): void {
    if (this.#addresses.size < MOST_ADDRESSES) this.#addresses.add(url);
  }

  /** The page has a worker, which waits for us before it begins. */
  employed(session: CDPSession): void {
    this.requests.live = true;
    this.#workers.push({ session, reply: null });
  }

  async #navigate(): Promise<void> {
    const { url } = this.#request;
    const reply = await this.#limited(
      this.#session.send("Page.navigate", { url }).then(async (reply) => {
        if (!reply.errorText && !reply.isDownload) await this.#world.promise;
        return reply;
      }),
      this.#limits.navigationTimeoutMs,
    );
    if (reply === LATE) throw new RenderError("PAGE_HUNG", url);
    if (reply.errorText) throw new RenderError("PAGE_NOT_SHOWN", `${reply.errorText} at ${url}`);
    if (reply.isDownload) throw new RenderError("PAGE_NOT_SHOWN", `It would be a download: ${url}`);
    await this.#forgetHistory();
  }

  /** Nothing has run yet. The page must not see the pages that this tab showed before. */
  async #forgetHistory(): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const reset = this.#session.send("Page.resetNavigationHistory").then(
        () => true,
        () => false,
      );
      if ((await this.#limited(reset, READ_MS)) !== false) return;
      // The document has begun, but one of the browser's processes does not know that yet. A call gives it time.
      await this.#ask("0", READ_MS);
    }
  }

  /** Scrolls to the end of the page. Null: it came to rest there. */
  async #scrolled(): Promise<RenderProblem | null> {
    const deadline = now() + this.#limits.maxWaitMs;
    for (let screens = 0, end = 0; screens < MOST_SCREENS && now() < deadline; screens++) {
      const moved = await this.#ask<boolean>("trawl.scroll()", READ_MS);
      if (moved === LATE) return "out_of_time";
      await this.#ask("trawl.drawn()", DRAW_MS);
      if (moved) continue;
      // What came into view may have made the page longer.
      if (screens === end) return null;
      const unrest = await this.#untilQuiet();
      if (unrest !== null) return unrest;
      end = screens + 1;
    }
    return "grows_with_scrolling";
  }

  /** Null: the page came to rest. */
  async #untilQuiet(): Promise<RenderProblem | null> {
    const started = now();
    const before = this.time.given;
    const limits = this.#limits;
    const deadline = started + limits.maxWaitMs;
    let state = UNSEEN;
    let drawn = false;
    while (this.traffic.redirectedTo === null) {
      const [probe, watched] = await Promise.all([
        this.#ask<Probe>("trawl.probe()", Math.max(deadline - now(), ANSWER_MS)),
        this.#watched(deadline),
      ]);
      if (probe === LATE) {
        this.time.stuck = true;
        return "script_stopped";
      }
      const { traffic, pending } = this.requests;
      const sample = {
        ...{ ...probe, ...watched, traffic, wall: now() - started, page: this.time.given - before },
        pending: pending + watched.busy,
      };
      const outcome = judge(state, sample, limits);
      state = outcome.state;
      if (outcome.verdict === "capped") return unrestOf(state, sample, watched.busy, limits);
      if (outcome.verdict === "quiet") {
        if (drawn) return null;
        drawn = true;
        await this.#ask("trawl.drawn()", DRAW_MS);
        continue;
      }
      drawn = false;
      const given = await this.#unlessFailed(
        this.time.give(slice(state, sample, limits, this.requests.live), deadline),
      );
      if (!given && this.traffic.redirectedTo === null) {
        return this.requests.pending > 0 ? "still_requesting" : "out_of_time";
      }
    }
    // In an ordinary browser, this document would be gone by now. Nothing more will come, unless the same document
    // loads again.
    return this.traffic.isReloading ? "reloads_itself" : null;
  }

  /** What the page's scripts and workers still wait for. */
  async #watched(deadline: number): Promise<Watched & { busy: number }> {
    const expression = `self[Symbol.for("${this.#key}")]?.read()`;
    const ask = async (session: CDPSession): Promise<Watched | null> => {
      const { result } = await session.send("Runtime.evaluate", { expression, returnByValue: true });
      return (result.value as Watched | undefined) ?? null;
    };
    const page = await this.#limited(
      ask(this.#session).catch(() => null),
      deadline - now(),
    );
    const nothing = { timers: 0, timersSet: 0, repeating: 0, asked: 0, closedRoots: 0, busy: 0 };
    const total = { ...nothing, ...(page === LATE ? null : page) };
    this.#hasClosedRoots ||= total.closedRoots > 0;
    for (const worker of this.#workers) {
      worker.reply ??= ask(worker.session).catch(() => null);
      const state = await within(worker.reply, WORKER_MS);
      if (state === LATE) {
        total.busy++;
        continue;
      }
      worker.reply = null;
      // Its timers run in real time, as do its answers.
      total.busy += Number(state !== null && state.timers > 0);
      total.repeating += state?.repeating ?? 0;
    }
    return total;
  }

  async #read(): Promise<Snapshot> {
    const expression = `trawl.snapshot(${this.#limits.maxHtmlLength})`;
    const pierced = this.#hasClosedRoots && !this.time.stuck ? await this.#limited(this.#pierce(), READ_MS) : null;
    if (pierced !== null && pierced !== LATE) return pierced;
    let page = await this.#ask<Snapshot>(expression, this.time.stuck ? 0 : READ_MS);
    if (page === LATE) {
      this.stopped = true;
      // The only command that still works on a page in an endless loop.
      await this.#limited(this.#session.send("Runtime.terminateExecution"), READ_MS);
      page = await this.#ask<Snapshot>(expression, READ_MS);
    }
    if (page === LATE) throw new RenderError("PAGE_HUNG", this.#request.url);
    return page;
  }

  async #inspect(): Promise<unknown[]> {
    const { inspections, viewport } = this.#rules;
    if (inspections.length === 0) return [];
    const session = this.#session;
    const show = (screen: Viewport, mobile: boolean) =>
      this.#limited(
        session.send("Emulation.setDeviceMetricsOverride", { ...screen, deviceScaleFactor: mobile ? 2 : 1, mobile }),
        READ_MS,
      );
    const results: unknown[] = [];
    for (const { source, phone } of inspections) {
      if (phone !== undefined) {
        await show(phone, true);
        await this.#ask("trawl.drawn()", DRAW_MS);
      }
      const result = await this.#withTime(this.#ask(source, INSPECTION_MS)).catch((error: unknown) => {
        // A mistake in the page, such as a changed prototype; any other error ends the visit.
        if (error instanceof RenderError && error.code === "PAGE_NOT_SHOWN") return LATE;
        throw error;
      });
      results.push(result === LATE ? null : result);
      if (phone !== undefined) await show(viewport, false);
    }
    return results;
  }

  /** Our own script may wait for timers, so the page gets time until it has answered. */
  async #withTime<T>(answer: Promise<T>): Promise<T> {
    const policy = { policy: "advance", budget: TIMER_MS } as const;
    while ((await within(answer, TIMER_PACE_MS)) === LATE) {
      await this.#limited(this.#session.send("Emulation.setVirtualTimePolicy", policy), READ_MS);
    }
    return answer;
  }

  /** The page with its closed shadow roots; null when it changed while they were looked for. */
  async #pierce(): Promise<Snapshot | null> {
    const session = this.#session;
    const executionContextId = this.#context!.id;
    try {
      const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
      const { result } = await session.send("Runtime.evaluate", { expression: "trawl", contextId: executionContextId });
      const roots = closedRootsIn(root).map((backendNodeId) =>
        session.send("DOM.resolveNode", { backendNodeId, executionContextId }),
      );
      const found = await Promise.all(roots);
      const reply = await session.send("Runtime.callFunctionOn", {
        objectId: result.objectId!,
        functionDeclaration: "function (...values) { return this.snapshot(...values); }",
        arguments: [
          { value: this.#limits.maxHtmlLength },
          ...found.map(({ object }) => ({ objectId: object.objectId! })),
        ],
        returnByValue: true,
      });
      return reply.exceptionDetails === undefined ? (reply.result.value as Snapshot) : null;
    } catch {
      return null;
    }
  }

  async #ask<T>(expression: string, ms: number): Promise<T | typeof LATE> {
    const evaluate = async (attempts: number): Promise<Protocol.Runtime.EvaluateResponse> => {
      await this.#world.promise;
      const question = {
        expression,
        uniqueContextId: this.#context!.uniqueId,
        returnByValue: true,
        awaitPromise: true,
      };
      // The page may replace its document between our call and its answer; then the new document is read.
      return this.#session.send("Runtime.evaluate", question).catch((error) => {
        if (attempts === 1) throw error;
        return evaluate(attempts - 1);
      });
    };
    const reply = await this.#limited(evaluate(ATTEMPTS), ms);
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

function closedRootsIn(node: Protocol.DOM.Node): number[] {
  const inside = [...(node.children ?? []), ...(node.shadowRoots ?? [])];
  if (node.contentDocument !== undefined) inside.push(node.contentDocument);
  const own = node.shadowRootType === "closed" ? [node.backendNodeId] : [];
  return [...own, ...inside.flatMap(closedRootsIn)];
}
