/**
 * The library's entry point for archives of the AT Protocol network: crawl, read and write archives, and read CARs.
 *
 * @example
 * import { AtprotoCrawl, parseAtprotoConfig } from "trawl/atproto";
 * const config = parseAtprotoConfig({ source: ["pds:https://pds.example.com"] });
 * const crawl = await AtprotoCrawl.start({ config });
 * console.log(await crawl.ended);
 */

export { type AtprotoConfig, type AtprotoSettings, parseAtprotoConfig } from "./atproto-config.ts";
export { AtprotoCrawl, type AtprotoCrawlOptions } from "./atproto-crawl.ts";
export type { RepoRecord } from "./atproto-product.ts";
export type { AtprotoEnd, AtprotoProgress } from "./crawl/crawl-tally.ts";
export type { ErrorClass } from "./error-classes.ts";
export { type RepoBlock, RepoNotStorable } from "./rca/format/block.ts";
export type { Damage } from "./rca/format/bytes.ts";
export type { StoredRecord } from "./rca/format/collection.ts";
export { collectionsOf, type ReadCollection } from "./rca/format/collection.ts";
export { type ArchivedRepo, openArchive, RepoArchive } from "./rca/read/archive.ts";
export { SegmentWriter, type SegmentWriterOptions, type WrittenRepo } from "./rca/write/segment-writer.ts";
export type {
  JsonForm,
  ParsedCollection,
  ParsedRepo,
  ParseOptions,
  UndecodableRecord,
  Verify,
} from "./repo/parsed-repo.ts";
export { RepoParseError } from "./repo/parsed-repo.ts";
export { type PreparedRepo, type PrepareOptions, parseRepo, prepareRepo } from "./repo/prepare-repo.ts";
