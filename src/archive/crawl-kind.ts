/** What makes a kind of crawl: how `run`, `run --discover`, `scrape` and the crawl of requisites differ. Types only. */
import type { Ledger } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import type { Canonicalize } from "../web/url.ts";
import type { Metrics } from "./archive-metrics.ts";
import type { ArchiveProduct, ArchiveProductOptions } from "./archive-product.ts";
import type { Exchange, PageReader } from "./archive-visit.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import type { FileLedgerOptions } from "./ledger/file-ledger.ts";
import type { ArchiveMeta, PageTypes } from "./policy/policy.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

/** How the crawls of an archive differ. */
export interface CrawlKind
  extends Pick<FileLedgerOptions<MetadataRecord, ArchiveMeta>, "paths" | "records" | "complete">,
    Pick<ArchiveProductOptions, "finds" | "referrerOf" | "extraOf" | "recoverNote"> {
  /** Pages are stored, not only read for their links. */
  storesPages: boolean;
  /** For a crawl of what pages need: nothing it fetches counts as a page. */
  aside?: {
    metrics: Metrics;
    canonicalize: Canonicalize;
    readPage: PageReader;
    keep: (exchange: Exchange) => Promise<void>;
  };
  /** The settings as this kind of crawl applies them. */
  adapt: (settings: ArchiveSettings) => ArchiveSettings;
  /** The ledger that the crawl uses, wrapped around the file ledger. */
  around?: (ledger: Ledger<MetadataRecord, ArchiveMeta>) => Ledger<MetadataRecord, ArchiveMeta>;
  source: (tools: SourceTools, context: CrawlContext) => AsyncIterable<Found<ArchiveMeta>[]>;
}

export interface SourceTools {
  product: ArchiveProduct;
  types: PageTypes;
  canonicalize: Canonicalize;
  /** Whether requests to the host have to wait. */
  isResting: (host: string) => boolean;
}
