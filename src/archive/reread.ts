/**
 * After a repair that lost lines of the queue: reads the links of every stored page again and offers them. URLs that
 * are still known are ignored, so only lost URLs are queued or refused a second time.
 */
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import { decodeHtml } from "../web/charset.ts";
import { hostOf } from "../web/url.ts";
import type { ArchiveProduct } from "./archive-product.ts";
import { pageLinks } from "./archive-visit.ts";
import type { SourceTools } from "./crawl-kind.ts";
import type { ArchiveMeta } from "./policy/policy.ts";
import type { BlobStore } from "./store/blob-store.ts";
import { type MetadataRecord, readMetadata } from "./store/metadata-record.ts";

/** The note that asks for it: kept until it is done. */
export const REREAD_NOTE = "reread";

export interface RereadOptions extends Pick<SourceTools, "canonicalize" | "isResting"> {
  product: ArchiveProduct;
  blobs: BlobStore;
  metadataPath: string;
}

export async function* reread(options: RereadOptions, context: CrawlContext): AsyncGenerator<Found<ArchiveMeta>[]> {
  const { product, metadataPath } = options;
  if (!product.mustReread) return;
  const { types } = product.policy;
  for await (const { record } of readMetadata(metadataPath, () => {})) {
    const links = await linksOf(record, options);
    await loadRobots(links, options, context);
    const isRedirect = typeof record.metadata["redirect_to"] === "string";
    yield links.map((key) => ({
      key,
      depth: isRedirect ? record.depth : record.depth + 1,
      parent: 0,
      hops: isRedirect ? 1 : 0,
      meta: { ...types.metaOf(key), referrer: record.url },
    }));
  }
  product.mustReread = false;
  // The URLs offered have been admitted by now, so this comes in the same commit or a later one.
  context.note({ key: REREAD_NOTE, value: "" });
}

async function linksOf(record: MetadataRecord, { blobs, canonicalize }: RereadOptions): Promise<string[]> {
  const target = record.metadata["redirect_to"];
  if (typeof target === "string") return [target];
  const bytes = record.content_sha256 === "" ? null : await blobs.read(record.content_sha256);
  if (bytes === null) return [];
  const { utf8 } = decodeHtml(bytes, record.content_type === "" ? null : record.content_type);
  return pageLinks(utf8, record.url, canonicalize);
}

/** The first verdicts need the robots.txt of these hosts. A host that rests is not waited for. */
async function loadRobots(links: readonly string[], options: RereadOptions, context: CrawlContext): Promise<void> {
  const { policy, robots } = options.product;
  for (const url of links) {
    if (robots.isKnown(url) || policy.policy(url) !== null || options.isResting(hostOf(url))) continue;
    await robots.load(url, false, context);
  }
}
