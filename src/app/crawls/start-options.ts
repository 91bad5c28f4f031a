/** The options of a single crawl when it starts, and of all crawls of a process. */
import type { Clock } from "../../kernel/clock.ts";
import type { Note } from "../../kernel/ledger.ts";
import type { Lookup, OnExchange } from "../../net/client.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import type { AuditRun } from "../../site/audit/run-audit.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import type { SiteEvents } from "../../site/site-record.ts";
import type { DiskSpace } from "../../storage/disk-space.ts";

export interface StartOptions {
  config: SiteConfig;
  /** The id of an earlier crawl, or `last`: pages that have not changed are not downloaded again. */
  since?: number | "last" | null;
  onUrl?: (url: string) => UrlAction | undefined;
  events?: SiteEvents;
  isFull?: () => boolean;
  /** The crawl that this one repeats, by schedule or by its number: its start hosts must be where they were then. */
  repeats?: number | null;
  /** What is already known about the start hosts. */
  hostNotes?: Note[];
}

export interface StartListOptions extends Omit<StartOptions, "config"> {
  /** The settings of the crawl, by the first URL of the list. */
  configFor: (firstUrl: string) => SiteConfig;
}

/** A crawl that was made elsewhere, for example by a fleet. */
export interface AdoptedCrawl {
  mode: "site" | "list";
  startUrls: string[];
  config: SiteConfig;
  /** Nothing was left to fetch. */
  isComplete: boolean;
  /** When it began where it was made, and how long it has run there; now and 0 by default. */
  startedAt?: number;
  durationMs?: number;
}

export interface CrawlsOptions {
  clock?: Clock;
  /** A cap on requests in flight, shared by all crawls of this process. */
  permits?: FetchPermits;
  /** The disk that holds the data folder. */
  disk?: (folder: string) => DiskSpace;
  /** Called for every request of a crawl of this process. */
  onExchange?: OnExchange;
  /** Audits a database that nothing else writes to. If absent, crawls are not audited. */
  audit?: (path: string, run: AuditRun) => Promise<void>;
  onProblem?: (message: string) => void;
  lookup?: Lookup;
}
