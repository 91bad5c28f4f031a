/** Where an archive begins: its seeds, canonical, with robots.txt of their hosts known before the first verdict. */
import { TrawlError } from "../errors.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import { type Canonicalize, prepareBase } from "../web/url.ts";
import type { ArchiveProduct } from "./archive-product.ts";
import type { ArchiveMeta } from "./policy/page-types.ts";

/** Refuses what is no URL: a seed with a typing error must not vanish among the skipped. */
export function canonicalSeeds(written: readonly string[], canonicalize: Canonicalize): string[] {
  const seeds = written.map((text) => {
    const url = URL.canParse(text) ? canonicalize(text, prepareBase(text)) : null;
    if (typeof url !== "string")
      throw new TrawlError("BAD_URL", `The seed "${text}" is not a URL that can be archived.`);
    return url;
  });
  return [...new Set(seeds)];
}

export async function* seedSource(
  seeds: readonly string[],
  { policy, robots }: Pick<ArchiveProduct, "policy" | "robots">,
  context: CrawlContext,
): AsyncGenerator<Found<ArchiveMeta>[]> {
  for (const url of seeds) if (policy.policy(url) === null) await robots.load(url, false, context);
  if (seeds.length === 0) return;
  yield seeds.map((key) => ({ key, depth: 0, parent: 0, hops: 0, meta: policy.types.metaOf(key) }));
}
