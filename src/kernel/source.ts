/** Where candidates come from. Sources are pulled, never pushed: that is all the back-pressure there is. */
import type { Found } from "./task.ts";

/** Batches of finds, read while the crawl has room for them. A source must give the same batches when read again. */
export type Source = AsyncIterable<Found[]>;

/** A source over keys in memory. */
export async function* sourceOf(founds: Found[]): Source {
  if (founds.length > 0) yield founds;
}
