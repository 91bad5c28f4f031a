/** The browser for a site's config. */
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Connector, SocketSet } from "../../net/connection/connector.ts";
import { isSocks, parseConnectTo, Router } from "../../net/connection/route.ts";
import { readCertificates } from "../../net/connection/tls-client.ts";
import type { HttpClientOptions, OnExchange } from "../../net/http-types.ts";
import type { Connect } from "../../render/contract.ts";
import { findBrowser, isExecutable } from "../../render/find-browser.ts";
import type { Renderer } from "../../render/renderer.ts";
import { defaultUrlAction } from "../../web/tracking.ts";
import { secretHeaders } from "../credentials/secret-headers.ts";
import { plainHeaders } from "../credentials/secrets.ts";
import type { SiteConfig } from "../site-config.ts";
import { pageInspections } from "../visit/page-checks.ts";
import type { Render } from "../visit/page-rendering.ts";
import { clientOptions } from "./site-client.ts";

/** `reach`: how the crawl's own client finds hosts, and which may be private. */
export async function launchRenderer(
  config: SiteConfig,
  startUrls: string[],
  clock: Clock,
  reach: Pick<HttpClientOptions, "trusted" | "lookup">,
  onExchange: OnExchange | undefined,
): Promise<Renderer> {
  const browser = findBrowser(config.browser, process.env, isExecutable);
  if (browser === null) throw new TrawlError("BROWSER_NOT_FOUND");
  // Loaded only now: the browser library takes longer to load than a small crawl takes to run.
  const { Renderer } = await import("../../render/renderer.ts");
  return Renderer.launch({
    executablePath: browser.executablePath,
    tabs: config.renderTabs,
    userAgent: config.userAgent,
    headers: plainHeaders(config.headers),
    secrets: secretHeaders(config, startUrls),
    settleMs: config.renderSettle * 1000,
    maxWaitMs: config.renderMax * 1000,
    scroll: config.renderScroll,
    blockTypes: config.renderBlock,
    blockUrl: (url) => config.skipTrackers && defaultUrlAction(url).action === "skip",
    onExchange,
    inspections: config.renderAudit ? pageInspections() : [],
    connectTo: config.connectTo.map(parseConnectTo),
    ca: config.ca === null ? null : readCertificates(config.ca),
    insecure: config.insecure,
    proxy: config.proxy,
    connect: connectsItself(config) ? null : guardedConnect({ ...clientOptions(config, startUrls, clock), ...reach }),
  });
}

/**
 * Behind an HTTP proxy, the proxy resolves names, so there is nothing to guard here. Chromium does not support SOCKS
 * passwords.
 */
function connectsItself({ proxy }: SiteConfig): boolean {
  return proxy !== null && !isSocks(proxy);
}

export const renderWith =
  (renderer: Renderer): Render =>
  (document, signal) =>
    renderer.render({ ...document, signal });

/** The browser's connections pass the same guard as every other request, so that no script can reach more. */
function guardedConnect(options: HttpClientOptions): Connect {
  const router = new Router(options);
  const connector = new Connector(options, new SocketSet(), () => performance.now());
  return (hostname, port) => {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    // The browser does TLS itself; only bytes pass here.
    const origin = { key: `http://${host}:${port}`, secure: false, hostname, port, hostPort: `${host}:${port}` };
    return new Promise((resolve, reject) => {
      connector.open(router.route(origin), (error, established) => {
        if (established === null) reject(error);
        else resolve(established.socket);
      });
    });
  };
}
