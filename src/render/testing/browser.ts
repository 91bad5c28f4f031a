/** The browser for the tests, or the reason why they are skipped. */
import { findBrowser, isExecutable } from "../find-browser.ts";
import { Renderer, type RendererOptions, type RenderRequest } from "../renderer.ts";

const choice = findBrowser(null, process.env, isExecutable);

/** In CI a missing browser is a failure, not a reason to skip. */
export const needsBrowser =
  choice === null && process.env["CI"] !== "true"
    ? { skip: "no browser found: apt-get install chromium-headless-shell" }
    : {};

export function launch(options: Partial<RendererOptions> = {}): Promise<Renderer> {
  return Renderer.launch({
    executablePath: choice?.executablePath ?? "no-browser-found",
    tabs: 1,
    userAgent: "TrawlTest/1",
    // Long enough that a busy machine does not look like a page that never settles.
    maxWaitMs: 60_000,
    navigationTimeoutMs: 120_000,
    ...options,
  });
}

export function page(url: string, html: string, over: Partial<RenderRequest> = {}): RenderRequest {
  return {
    url,
    status: 200,
    headers: [["Content-Type", "text/html; charset=utf-8"]],
    body: Buffer.from(html),
    ...over,
  };
}
