/** The bundled site: served by this process while it runs, and crawled like any other. */
import type { RunningDemoSite } from "../demo/index.ts";
import type { ActiveCrawls } from "./crawls/active-crawls.ts";

/** Low limits, so that the site's traps end soon; the default limits suit large catalogues. */
export const DEMO_SETTINGS = { maxUrlsPerPattern: 30, maxQueryVariants: 30 };

/** The same port each time, so that a second crawl can be compared with the first. */
export const DEMO_PORT = 4177;

/** On its usual port, or on any port when that is taken. */
export async function serveDemo(): Promise<RunningDemoSite> {
  // Loaded here, because its texts would slow down the start of every command.
  const { startDemoSite } = await import("../demo/index.ts");
  return startDemoSite({ port: DEMO_PORT }).catch(() => startDemoSite({ port: 0 }));
}

export class Demo {
  readonly #activeCrawls: Pick<ActiveCrawls, "start">;
  #site: Promise<RunningDemoSite> | null = null;

  constructor(activeCrawls: Pick<ActiveCrawls, "start">) {
    this.#activeCrawls = activeCrawls;
  }

  async start(): Promise<{ crawlId: number; projectId: number }> {
    const { url } = await (this.#site ??= serveDemo());
    return this.#activeCrawls.start({ url, settings: DEMO_SETTINGS, since: null });
  }

  async close(): Promise<void> {
    await (await this.#site)?.close();
  }
}
