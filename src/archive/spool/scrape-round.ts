/** One round of `scrape`: a crawl over the spool from a bookmark to its end, which follows no links. */
import type { Clock } from "../../kernel/clock.ts";
import { Crawl, DEFAULT_CRAWL_LIMITS } from "../../kernel/crawl.ts";
import { type ArchiveEvents, ArchiveProduct } from "../archive-product.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import { metricOf } from "../discovery-kinds.ts";
import type { Reach } from "../fetch/archive-client.ts";
import { Fetcher } from "../fetch/fetcher.ts";
import { FileLedger } from "../ledger/file-ledger.ts";
import { FROM_SPOOL, isFromSpool, metadataRecords } from "../metadata-records.ts";
import { archiveCanonicalizer } from "../policy/canonical.ts";
import { ARCHIVE_META, type ArchiveMeta, PageTypes } from "../policy/page-types.ts";
import type { MetadataRecord } from "../store/metadata-record.ts";
import type { ArchiveStores } from "../stores.ts";
import type { Workspace } from "../workspace.ts";
import { type Bookmark, bookmarkedLedger } from "./bookmark.ts";
import type { Discovery } from "./spool-lines.ts";
import { type ItemResult, spoolSource } from "./spool-source.ts";

export interface RoundOptions {
  workspace: Workspace;
  from: Bookmark;
  stores: ArchiveStores;
  reach: Reach;
  events: ArchiveEvents;
  clock: Clock;
  random: () => number;
  onNotice: (text: string) => void;
  onDiskFull: () => void;
  onItem: (result: ItemResult) => void;
}

/** Whoever filled the spool has applied its caps. */
const NO_CAPS = { per_repo_max_pages: 0, per_repo_max_issues: 0, per_repo_max_prs: 0, max_depth: 0 };

export interface Round {
  crawl: Crawl<MetadataRecord, ArchiveMeta>;
  /** Takes over other settings, as far as a running round can. */
  apply: (settings: ArchiveSettings) => void;
}

export function createRound(options: RoundOptions): Round {
  const { workspace, stores, clock, random, events } = options;
  const { paths, settings } = workspace;
  const { config } = settings;
  const { blobs, metrics } = stores;
  const metadata = stores.metadata!;
  const types = new PageTypes(settings.profile);
  const canonicalize = archiveCanonicalizer(config.scope.allowed_query_params);
  const fetcher = new Fetcher({ config, reach: options.reach, clock, random });
  const leftOpen = new Set<string>();
  const referrers = new Map<string, string>();
  const remember = ({ url, referrer }: Discovery): void => {
    if (referrer !== null) referrers.set(url, referrer);
  };
  const ledger = new FileLedger<MetadataRecord, ArchiveMeta>({
    paths: paths.scrapeLedger,
    records: metadataRecords({ metadata, before: async () => {}, isOwn: isFromSpool, isShared: true }),
    pageType: (kind) => types.nameOf(kind),
    codec: ARCHIVE_META,
    clock,
    onNotice: options.onNotice,
  });
  const isStored = async (url: string): Promise<boolean> => {
    const line = await metadata.lastLineOf(url);
    return line !== null && line.content_sha256 !== "" && (await blobs.has(line.content_sha256));
  };
  const product = new ArchiveProduct({
    settings: { ...settings, caps: NO_CAPS },
    fetcher,
    visitor: {
      canonicalize,
      blobs,
      metadata,
      contentTypes: config.scope.content_types,
      onExchange: stores.keepExchange,
      clock,
    },
    // Links are followed by whoever fills the spool.
    finds: { decided: (verdict) => metrics.increment(metricOf(verdict)), offerAll: () => {} },
    metrics,
    referrerOf: ({ key }) => {
      const referrer = referrers.get(key) ?? null;
      referrers.delete(key);
      return referrer;
    },
    extra: FROM_SPOOL,
    onDiskFull: options.onDiskFull,
    events,
    clock,
    random,
    close: () => fetcher.destroy(),
  });
  const crawl = new Crawl<MetadataRecord, ArchiveMeta>({
    ledger: bookmarkedLedger(ledger, paths.bookmark, (url) => leftOpen.add(url)),
    product,
    sources: [
      ({ note }) =>
        spoolSource({
          folder: paths.spool,
          from: options.from,
          batchSize: config.spool.bookmark_every,
          canonicalize,
          types,
          leftOpen,
          onRecalled: remember,
          isStored,
          note,
          onItem: (result, discovery) => {
            options.onItem(result);
            if (result === "offered") remember(discovery!);
          },
        }),
    ],
    limits: { ...DEFAULT_CRAWL_LIMITS, parallelism: config.limits.global_concurrency },
    clock,
  });
  const apply = (next: ArchiveSettings): void => {
    product.apply({ ...next, caps: NO_CAPS });
    crawl.refreshPolicies();
  };
  return { crawl, apply };
}
