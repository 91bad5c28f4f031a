/** One partition of a fleet crawl as a site crawl: the same engine, over the partition's ledger and inbox. */
import type { Clock } from "../../kernel/clock.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { SITE_META, type SiteMeta } from "../../site/links/link-kinds.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { SiteCrawl } from "../../site/site-crawl.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import { TextDictionary } from "../../site/text-dictionary.ts";
import type { StoredPages } from "../../site/traps/trap-watch.ts";
import { hostOf } from "../../web/url.ts";
import type { CommitGroup } from "../commit-group.ts";
import { FleetLedger } from "../fleet-ledger.ts";
import type { PartInbox } from "../inbox.ts";
import { partOfLane } from "../partition.ts";
import type { Connection } from "../postgres/connection.ts";
import { SentCache } from "../sent-cache.ts";
import { SharedProduct, type SharedRecord } from "../shared-product.ts";
import { encodeOutside } from "./clickhouse-records.ts";
import { encodeSiteRecord } from "./site-records.ts";
import { inboxFinds } from "./site-source.ts";

export interface SitePartOptions {
  part: number;
  parts: number;
  schema: string;
  config: SiteConfig;
  startUrls: string[];
  reading: Connection;
  group: CommitGroup;
  inbox: PartInbox;
  permits: FetchPermits;
  clock: Clock;
  maySend: () => boolean;
  /** Records are not stored in PostgreSQL. */
  isOutside: boolean;
}

/** Traps are recognised from what a worker has seen since it took the partition. */
const NOTHING_STORED: StoredPages = {
  pages: () => [],
  refused: () => [],
  pageCount: () => 0,
  links: () => [],
  linksOf: () => new Int32Array(0),
};

export function startSitePart(options: SitePartOptions): Promise<SiteCrawl> {
  const { part, parts, schema, config, startUrls, reading, group, inbox, permits, clock, maySend, isOutside } = options;
  const partOf = (lane: string) => partOfLane(lane, parts);
  const owns = (url: string) => partOf(hostOf(url)) === part;
  const sent = new SentCache(SITE_META);
  const encode = isOutside
    ? (record: SharedRecord<SiteRecord, SiteMeta>) => encodeOutside(record, clock.now)
    : encodeSiteRecord;
  const ledger = new FleetLedger({
    ...{ part, schema, group, connection: reading, codec: SITE_META, encode },
    route: (found) => (sent.isNew(found) ? partOf(hostOf(found.key)) : null),
  });
  return SiteCrawl.start({
    store: () => ({ ledger, texts: new TextDictionary(1, true), stored: NOTHING_STORED }),
    config,
    startUrls,
    sources: (sourceParts) => [(context) => inboxFinds({ inbox, owns }, sourceParts, context)],
    permits,
    clock,
    share: { owns, maySend, wrap: (product) => new SharedProduct(product, part, partOf) },
  });
}
