/** A browser tab that is used for one page after another, without leaving a trace between them. */
import { randomBytes } from "node:crypto";
import type { CDPSession } from "puppeteer-core";
import { TrawlError } from "../errors.ts";
import { type BrowserPage, type BrowserProcess, LATE, within } from "./browser-process.ts";
import {
  type PageCookie,
  RENDER_DEFAULTS,
  RenderError,
  type RendererOptions,
  type RenderRequest,
  type RenderResult,
} from "./contract.ts";
import type { OriginSecrets } from "./interception.ts";
import { NO_SERVICE_WORKERS, OBSERVER, WORLD, watcher } from "./page-scripts.ts";
import { Visit, type VisitRules } from "./render-visit.ts";
import { listen, type TabListener } from "./tab-events.ts";

const RESET_MS = 5_000;
/** Page time differs from real time; with a clock further off than this, a page may treat its tokens as expired. */
const MAX_SKEW_MS = 10 * 60_000;

export interface TabRules extends VisitRules {
  pagesPerTab: number;
  /** `scheme://host:port`. */
  proxyServer: string | null;
  proxyCredentials: { username: string; password: string } | null;
}

export class Tab implements TabListener {
  readonly #browser: BrowserProcess;
  readonly #page: BrowserPage;
  readonly #session: CDPSession;
  readonly #rules: TabRules;
  readonly #openedAt = performance.now();
  #visit: Visit | null = null;
  #used = false;
  #pages = 0;
  #given = 0;
  #broken = false;
  #closing: Promise<void> | null = null;
  readonly #unsubscribe: () => void;

  static async open(browser: BrowserProcess, rules: TabRules): Promise<Tab> {
    const page = await browser.openPage();
    const tab = new Tab(browser, page, rules);
    try {
      await tab.#prepare();
      return tab;
    } catch (error) {
      await tab.close();
      throw error;
    }
  }

  private constructor(browser: BrowserProcess, page: BrowserPage, rules: TabRules) {
    this.#browser = browser;
    this.#page = page;
    this.#session = page.session;
    this.#rules = rules;
    this.#unsubscribe = browser.onLost(() => this.#visit?.fail(new Error("The browser died.")));
    listen(page.session, page.targetId, this);
  }

  get browser(): BrowserProcess {
    return this.#browser;
  }

  get visit(): Visit | null {
    return this.#visit;
  }

  get proxyCredentials(): TabRules["proxyCredentials"] {
    return this.#rules.proxyCredentials;
  }

  get watcher(): string {
    return watcher(this.#rules.key);
  }

  crashed(): void {
    this.#broken = true;
    this.#visit?.fail(new RenderError("PAGE_CRASHED"));
  }

  /** True: must be replaced. */
  get worn(): boolean {
    const skew = Math.abs(this.#given - (performance.now() - this.#openedAt));
    return this.#broken || this.#pages >= this.#rules.pagesPerTab || skew > MAX_SKEW_MS;
  }

  async render(request: RenderRequest): Promise<RenderResult> {
    const { signal } = request;
    const visit = new Visit(this.#session, this.#page.targetId, request, this.#rules);
    const abort = () => visit.fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#pages++;
    try {
      // Between two fragments of one address, the browser would stay on the page that it shows.
      if (request.url.includes("#") && this.#used) await this.rest();
      await this.#forget();
      signal?.throwIfAborted();
      this.#visit = visit;
      this.#used = true;
      await this.#giveCookies(request);
      return await visit.run();
    } catch (error) {
      this.#broken = true;
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      visit.requests.close();
      this.#visit = null;
      this.#given += visit.time.given;
      this.#broken ||= visit.stopped;
      // The page stands still until the next one replaces it.
      this.#session.send("Emulation.setVirtualTimePolicy", { policy: "pause" }).catch(() => {});
    }
  }

  /** Without a domain, so that no other host gets them. Those of the crawl override those set as a header. */
  async #giveCookies({ url, cookies = [] }: RenderRequest): Promise<void> {
    const { origin, protocol } = new URL(url);
    const typed = this.#rules.secrets.get(origin)?.cookies ?? [];
    const secure = protocol === "https:";
    const all: readonly PageCookie[] = [...typed.map((cookie) => ({ ...cookie, secure })), ...cookies];
    if (all.length === 0) return;
    await this.#session.send("Network.setCookies", {
      cookies: all.map(({ name, value, path, secure, httpOnly }) => ({ name, value, path, secure, httpOnly, url })),
    });
  }

  /** No page is waiting to be rendered, so the last page is closed, with everything it keeps busy. */
  async rest(): Promise<void> {
    try {
      const left = await within(this.#session.send("Page.navigate", { url: "about:blank" }), RESET_MS);
      if (left === LATE) this.#broken = true;
      await this.#forget();
    } catch {
      this.#broken = true;
    }
  }

  close(): Promise<void> {
    this.#broken = true;
    this.#unsubscribe();
    this.#closing ??= this.#browser.closePage(this.#page);
    return this.#closing;
  }

  async #prepare(): Promise<void> {
    const session = this.#session;
    const { viewport, proxyCredentials } = this.#rules;
    const ready = await within(
      Promise.all([
        session.send("Page.enable"),
        // Bodies are not read, so the browser need not keep them.
        session.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 }),
        session.send("Runtime.enable"),
        session.send("Log.enable"),
        session.send("Fetch.enable", {
          patterns: [{ urlPattern: "*" }],
          handleAuthRequests: proxyCredentials !== null,
        }),
        session.send("Page.addScriptToEvaluateOnNewDocument", { source: OBSERVER, worldName: WORLD }),
        session.send("Page.addScriptToEvaluateOnNewDocument", { source: NO_SERVICE_WORKERS }),
        session.send("Page.addScriptToEvaluateOnNewDocument", { source: this.watcher }),
        session.send("Emulation.setDeviceMetricsOverride", { ...viewport, deviceScaleFactor: 1, mobile: false }),
        // A tab in the background draws no frames.
        session.send("Emulation.setFocusEmulationEnabled", { enabled: true }),
        session.send("Emulation.setVirtualTimePolicy", { policy: "pause" }),
        session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      ]),
      RESET_MS,
    );
    if (ready === LATE) throw new Error("The browser could not prepare a tab.");
  }

  /** Cookies, storage of every kind, and registrations; the HTTP cache stays, because pages share scripts. */
  async #forget(): Promise<void> {
    if (!this.#used) return;
    this.#used = false;
    const cleared = await within(
      this.#session.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" }),
      RESET_MS,
    );
    // The storage of the page before this one is still there.
    if (cleared === LATE) throw new Error("The browser could not clear its storage.");
  }
}

interface ProxyAccess {
  server: string;
  credentials: { username: string; password: string } | null;
}

/** The credentials that the browser must send. */
const BROWSERS_OWN = new Set(["cookie", "proxy-authorization", "user-agent", "accept-encoding", "host"]);

/** Turns the options into the rules of every tab: defaults filled in, cookies and credentials separated from headers and proxy. */
export function tabRules(options: RendererOptions, egress: ProxyAccess | null): TabRules {
  const settings = { ...RENDER_DEFAULTS, ...defined(options) };
  const { settleMs, maxWaitMs, navigationTimeoutMs, maxHtmlLength, scroll, viewport, pagesPerTab } = settings;
  const proxy = egress ?? proxyAccess(options.proxy ?? null);
  return {
    limits: { settleMs, maxWaitMs, navigationTimeoutMs, maxHtmlLength, scroll },
    blockTypes: new Set(settings.blockTypes),
    key: randomBytes(12).toString("hex"),
    blockUrl: options.blockUrl ?? null,
    onExchange: options.onExchange ?? null,
    inspections: options.inspections ?? [],
    headers: originSecrets(options.headers ?? {}).headers,
    secrets: new Map([...(options.secrets ?? [])].map(([origin, headers]) => [origin, originSecrets(headers)])),
    viewport,
    pagesPerTab,
    proxyServer: proxy?.server ?? null,
    proxyCredentials: proxy?.credentials ?? null,
  };
}

function originSecrets(given: Readonly<Record<string, string>>): OriginSecrets {
  const headers = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    headers: Object.fromEntries(headers.filter(([name]) => !BROWSERS_OWN.has(name))),
    cookies: headers.filter(([name]) => name === "cookie").flatMap(([, value]) => parseCookies(value)),
  };
}

/** Null and undefined both mean the default. */
function defined<T extends object>(options: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]: NonNullable<T[K]>;
  };
}

/** RFC 6265 section 4.2.1: `name=value` pairs, separated by semicolons. */
function parseCookies(header: string): { name: string; value: string }[] {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.includes("="))
    .map((pair) => ({ name: pair.slice(0, pair.indexOf("=")), value: pair.slice(pair.indexOf("=") + 1) }));
}

function proxyAccess(text: string | null): ProxyAccess | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^(?:https?|socks[45]):$/.test(url.protocol)) {
    throw new TrawlError("BAD_CONFIG", "The proxy must be a URL such as http://proxy.example:3128.");
  }
  const { username, password } = url;
  return {
    server: `${url.protocol}//${url.host}`,
    credentials: username ? { username: decodeURIComponent(username), password: decodeURIComponent(password) } : null,
  };
}
