/** An app with its own data folder, closed when the test ends; it records its events. */
import type { TestContext } from "node:test";
import { App, type AppOptions } from "../app.ts";
import type { AppEvent } from "../events.ts";
import type { CrawlProgress } from "../operations/shapes.ts";
import { temporaryHome } from "./small-site.ts";

export interface TemporaryApp {
  app: App;
  events: AppEvent[];
  /** Crawls to the end, by default by following links only. */
  crawl(url: string, settings?: Record<string, unknown>): Promise<number>;
  /** Resolves when the crawl reaches this state, as operations report it. */
  reached(crawlId: number, isThere: (progress: CrawlProgress) => boolean): Promise<CrawlProgress>;
}

export function temporaryApp(t: TestContext, options: Partial<AppOptions> = {}): TemporaryApp {
  const app = new App({ version: "0.0.0", updateCheck: false, home: temporaryHome(t, () => app.close()), ...options });
  t.after(() => app.close());
  const events: AppEvent[] = [];
  app.events.subscribe((event) => void events.push(event));
  return {
    app,
    events,
    async crawl(url, settings = {}) {
      const { crawlId } = await app.activeCrawls.start({
        url,
        settings: { discovery: ["spider"], checkResources: false, ...settings },
        since: null,
      });
      await app.activeCrawls.ended(crawlId);
      return crawlId;
    },
    async reached(crawlId, isThere) {
      for (;;) {
        const { progress } = app.activeCrawls.live(crawlId);
        if (isThere(progress)) return progress;
        await new Promise(setImmediate);
      }
    },
  };
}
