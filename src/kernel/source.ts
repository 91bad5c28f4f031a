/** Where candidates come from. Sources are pulled, never pushed: that is all the back-pressure there is. */
import type { CrawlContext } from "./product.ts";
import type { Found } from "./task.ts";

/**
 * Begins to read when the crawl does, and gives batches of finds while the crawl has room for them. A source must give
 * the same batches when it is read again.
 */
export type Source<Meta = unknown> = (context: CrawlContext) => AsyncIterable<Found<Meta>[]>;

/** A source over keys in memory. */
export const sourceOf = <Meta>(founds: Found<Meta>[]): Source<Meta> =>
  async function* () {
    if (founds.length > 0) yield founds;
  };
