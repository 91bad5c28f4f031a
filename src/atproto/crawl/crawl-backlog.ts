/** What a crawl reads its DIDs from: the sources of its config, the feed that sifts them, and the backlog they wait in. */

import { join } from "node:path";
import type { CrawlContext } from "../../kernel/product.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import type { CrawlMetrics } from "../atproto-metrics.ts";
import { DidBacklog } from "../backlog/did-backlog.ts";
import { DidFeed } from "../did-feed.ts";
import { BACKLOG_FILE } from "../folder-files.ts";
import type { HostSizes } from "../host-sizes.ts";
import type { HostTiers } from "../host-tiers.ts";
import { type ArchivedRevs, continuesItself } from "../since.ts";
import type { SourceClient } from "../sources/source-client.ts";
import type { DidAtHost } from "../state/crawl-state.ts";
import type { CrawlIdentities } from "./crawl-identities.ts";
import { makeSource } from "./crawl-sources.ts";
import type { CrawlTally } from "./crawl-tally.ts";

export interface CrawlBacklogOptions {
  config: AtprotoConfig;
  isSkipped: (origin: string) => boolean;
  /** Whether another process has this host. */
  isElsewhere: (origin: string) => boolean;
  since: () => ArchivedRevs | null;
  unsettled: (claims: readonly DidAtHost[]) => Promise<string[]>;
  /** The cursor that an earlier run saved. */
  cursorOf: (source: string) => string | null;
  clientOf: (context: CrawlContext) => SourceClient;
  identities: CrawlIdentities;
  sizes: HostSizes;
  tiers: HostTiers;
  tally: CrawlTally;
  metrics: CrawlMetrics;
  /** False while the crawl is paused. */
  mayRead: () => boolean;
  onFailure: (origin: string, reason: string) => void;
  onNotice: (text: string) => void;
}

/** Pages of DIDs that are read ahead to disk; more are read while some host has nothing to do. */
const PAGES_AHEAD = 50;

export function makeBacklog(options: CrawlBacklogOptions): DidBacklog {
  const { config, sizes, tally, metrics, identities, isSkipped, isElsewhere } = options;
  const feed = new DidFeed({
    allowPrivate: config.allowPrivate,
    isSkipped,
    isElsewhere,
    isUnchanged: (did, rev) => options.since()?.isUnchanged(did, rev) ?? false,
    isArchived: (did) => options.since()?.find(did) != null,
    seeksSignal: config.signalCollection.length > 0,
    refetches: continuesItself(config),
    unsettled: options.unsettled,
    cursorOf: (source) => (config.resume ? options.cursorOf(source) : null),
    onPage: (_, offered) => metrics.page(offered),
    onAccounts: (origin, many) => sizes.add(origin, many),
  });
  tally.feed = feed;
  const sources = config.source.map((written) => (context: CrawlContext) => {
    const source = makeSource(written, {
      config,
      client: options.clientOf(context),
      table: identities.table,
      signal: context.signal,
      check: identities.checker(context),
      isSkipped: (origin) => isSkipped(origin) || isElsewhere(origin),
      maxAccounts: (origin) => options.tiers.accounts(origin, config.maxAccounts),
      demand: backlog.demand,
      onSize: (origin, accounts) => sizes.atLeast(origin, accounts),
      onFailure: options.onFailure,
      onNotice: options.onNotice,
    });
    return feed.read(tally.counted(source));
  });
  const backlog: DidBacklog = new DidBacklog({
    path: join(config.outputDir, BACKLOG_FILE),
    sources,
    ahead: config.pageSize * PAGES_AHEAD,
    mayRead: options.mayRead,
  });
  return backlog;
}
