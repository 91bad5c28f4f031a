/** Waits for a crawl to end, pause or fail, whichever process runs it, and reports how far it has come meanwhile. */
import { getLiveCrawl } from "../../app/operations/crawling.ts";
import type { CrawlProgress } from "../../app/operations/shapes.ts";
import type { ToolContext } from "./tool.ts";

/** Crawls of other processes send us no events, so they are looked at this often. */
const LOOK_MS = 1_000;

type WaitContext = Pick<ToolContext, "app" | "clock" | "signal" | "progress">;

export async function waitForChange(context: WaitContext, id: number, ms: number): Promise<void> {
  const { app, clock, signal } = context;
  const end = clock.now() + ms;
  const look = async (): Promise<CrawlProgress> => (await getLiveCrawl.run(app, { id })).progress;
  const first = await look();
  let reported = -1;
  for (let seen = first; seen.state === first.state && isMoving(seen) && clock.now() < end; seen = await look()) {
    // The protocol wants each number to be greater than the one before.
    if (seen.pagesCrawled > reported) {
      reported = seen.pagesCrawled;
      await context.progress(reported, reported + seen.open, `crawl ${id} is ${seen.state}`);
    }
    await nextLook(context, id, Math.min(LOOK_MS, end - clock.now()));
    signal.throwIfAborted();
  }
}

/** A crawl at rest changes only when somebody asks for it. */
const isMoving = ({ state }: CrawlProgress): boolean =>
  state === "running" || state === "pausing" || state === "stopping";

/** Until an event of this crawl says that it ended, the time is over, or nobody waits any more. */
function nextLook({ app, clock, signal }: WaitContext, id: number, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const unsubscribe = app.events.subscribe((event) => {
    if (event.crawlId === id && event.type !== "crawl:progress") resolve();
  });
  const abort = () => resolve();
  signal.addEventListener("abort", abort);
  if (signal.aborted) resolve();
  return promise.finally(() => {
    cancel();
    unsubscribe();
    signal.removeEventListener("abort", abort);
  });
}
