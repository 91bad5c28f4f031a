/** Renders pages: a queue in front of a few tabs of one browser, which is restarted when it dies. */
import { TrawlError } from "../errors.ts";
import { BrowserProcess } from "./browser-process.ts";
import {
  RENDER_DEFAULTS,
  RenderError,
  type RenderErrorCode,
  type RendererOptions,
  type RenderRequest,
  type RenderResult,
} from "./contract.ts";
import { EgressProxy } from "./egress-proxy.ts";
import { Tab, type TabRules, tabRules } from "./tab.ts";

export type { PageRequest, RendererOptions, RenderRequest, RenderResult } from "./contract.ts";
export { RENDER_DEFAULTS, RenderError, type RenderErrorCode };

interface Job {
  request: RenderRequest;
  resolve(result: RenderResult): void;
  reject(reason: unknown): void;
  /** A browser has already died while showing this page, so the page may be the cause. */
  retried: boolean;
}

/** A page that kills the browser costs two browsers. */
const MOST_LOSSES = 6;

export class Renderer {
  readonly #options: RendererOptions;
  readonly #proxy: EgressProxy | null;
  readonly #rules: TabRules;
  readonly #queue: Job[] = [];
  readonly #idle: Tab[] = [];
  readonly #working = new Set<Promise<void>>();
  #browser: Promise<BrowserProcess>;
  #current: BrowserProcess;
  /** A page that a browser died with is being rendered. */
  #isAlone = false;
  /** Browsers lost since a page was last rendered. */
  #losses = 0;
  #closing: Promise<void> | null = null;

  static async launch(options: RendererOptions): Promise<Renderer> {
    const proxy = options.connect ? await EgressProxy.listen(options.connect) : null;
    try {
      const rules = tabRules(options, proxy);
      const browser = await BrowserProcess.launch(options, rules.proxyServer);
      return new Renderer(options, proxy, rules, browser);
    } catch (error) {
      await proxy?.close();
      throw error;
    }
  }

  private constructor(options: RendererOptions, proxy: EgressProxy | null, rules: TabRules, browser: BrowserProcess) {
    this.#options = options;
    this.#proxy = proxy;
    this.#rules = rules;
    this.#current = browser;
    this.#browser = Promise.resolve(browser);
  }

  /** Of the browser's first process, which leads the group of all of them. */
  get pid(): number {
    return this.#current.pid;
  }

  /** Rejects with a `RenderError` for this page, a `TrawlError` for all pages, or the signal's reason. */
  async render(request: RenderRequest): Promise<RenderResult> {
    if (this.#closing !== null) throw closedError();
    const { signal } = request;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<RenderResult>();
    const job: Job = { request, resolve, reject, retried: false };
    const withdraw = () => this.#withdraw(job);
    signal?.addEventListener("abort", withdraw);
    this.#queue.push(job);
    this.#pump();
    try {
      return await promise;
    } finally {
      // One signal may serve a whole crawl, so it must not collect a listener for every page.
      signal?.removeEventListener("abort", withdraw);
    }
  }

  /** Resolves when no process of the browser is left and every page in progress has been rejected. */
  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #shut(): Promise<void> {
    for (const job of this.#queue.splice(0)) job.reject(closedError());
    const browser = await this.#browser.catch(() => null);
    await Promise.all([browser?.kill(), this.#proxy?.close()]);
    await Promise.all(this.#working);
  }

  /** Only for a waiting job; a running one is ended by its tab. */
  #withdraw(job: Job): void {
    const place = this.#queue.indexOf(job);
    if (place === -1) return;
    this.#queue.splice(place, 1);
    job.reject(job.request.signal?.reason);
  }

  #pump(): void {
    while (this.#working.size < this.#options.tabs && !this.#isAlone) {
      const job = this.#queue[0];
      // A page that may have killed the browser or its tab is rendered alone: if it happens again, this page was the
      // cause.
      if (job === undefined || (job.retried && this.#working.size > 0)) return;
      this.#queue.shift();
      this.#isAlone = job.retried;
      const work = this.#work(job).finally(() => {
        this.#working.delete(work);
        if (job.retried) this.#isAlone = false;
        this.#pump();
      });
      this.#working.add(work);
    }
  }

  async #work(job: Job): Promise<void> {
    let tab: Tab | null = null;
    try {
      tab = await this.#takeTab();
      const result = await tab.render(job.request);
      this.#losses = 0;
      job.resolve(result);
      if (!tab.worn && this.#queue.length === 0) await tab.rest();
    } catch (error) {
      // Closed before the answer, so that none of the page's requests is in flight when the caller gets it.
      const lost = !(tab?.browser ?? this.#current).alive;
      await tab?.close();
      this.#reject(job, error, lost);
    }
    if (tab === null) return;
    if (tab.worn || this.#closing !== null) await tab.close();
    else this.#idle.push(tab);
  }

  #reject(job: Job, error: unknown, browserLost: boolean): void {
    const { signal, url } = job.request;
    if (signal?.aborted) job.reject(signal.reason);
    else if (this.#closing !== null) job.reject(closedError());
    else if (error instanceof TrawlError || isOwnFault(error)) job.reject(error);
    else if (!job.retried) this.#queue.unshift(Object.assign(job, { retried: true }));
    else if (browserLost) job.reject(new RenderError("BROWSER_CRASHED", `It died twice on ${url}.`));
    else job.reject(new RenderError("PAGE_CRASHED", url, { cause: error }));
  }

  async #takeTab(): Promise<Tab> {
    const browser = await this.#livingBrowser();
    for (let tab = this.#idle.pop(); tab !== undefined; tab = this.#idle.pop()) {
      if (tab.browser === browser && !tab.worn) return tab;
      await tab.close();
    }
    return Tab.open(browser, this.#rules);
  }

  /**
   * A dead browser is replaced, unless several died without rendering a page in between: then the browser itself is
   * broken.
   */
  async #livingBrowser(): Promise<BrowserProcess> {
    const asked = this.#browser;
    const browser = await asked;
    if (browser.alive) return browser;
    // Every tab notices that the browser died; the first one replaces it.
    if (asked === this.#browser && this.#closing === null) {
      if (++this.#losses > MOST_LOSSES)
        throw new TrawlError("BROWSER_FAILED", `The browser died ${this.#losses} times in a row.`);
      this.#browser = this.#relaunch(browser);
    }
    return this.#browser;
  }

  async #relaunch(dead: BrowserProcess): Promise<BrowserProcess> {
    await dead.kill();
    const browser = await BrowserProcess.launch(this.#options, this.#rules.proxyServer);
    this.#current = browser;
    return browser;
  }
}

/** Tabs of a site share a process, and all share the browser, so a crash or delay may come from another tab's page. */
const isOwnFault = (error: unknown): boolean => error instanceof RenderError && error.code !== "PAGE_CRASHED";

const closedError = () => new TrawlError("BROWSER_FAILED", "The renderer is closed.");
