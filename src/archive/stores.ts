/** Everything that an archive writes besides its ledger: opened, flushed and closed together. */
import type { Clock } from "../kernel/clock.ts";
import { type Levels, Metrics } from "./archive-metrics.ts";
import type { Exchange } from "./archive-visit.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";
import { CsvLog, METRICS_HEADER, MetricsCsv, openTrajectory, type Trajectory } from "./csv-logs.ts";
import { requestHeaders } from "./fetch/archive-client.ts";
import { DiscoveriesWriter, type SpoolLimits } from "./spool/discoveries-writer.ts";
import { BlobStore } from "./store/blob-store.ts";
import { MetadataLog } from "./store/metadata.ts";
import { WARC_MAX_BYTES, WarcWriter } from "./store/warc/warc-writer.ts";
import type { Workspace } from "./workspace.ts";

export interface StoresOptions {
  /** What is written: everything, discoveries only, or pages only. */
  mode: "archive" | "discover" | "scrape";
  clock: Clock;
  onNotice: (text: string) => void;
  levels: Levels;
}

interface Parts {
  blobs: BlobStore;
  metadata: MetadataLog | null;
  metrics: Metrics;
  metricsCsv: MetricsCsv;
  trajectory: Trajectory | null;
  discoveries: DiscoveriesWriter | null;
  warc: WarcWriter | null;
}

const GIGABYTE = 1_000_000_000;
const MEGABYTE = 1_000_000;

export class ArchiveStores {
  readonly blobs: BlobStore;
  /** Null when pages are not recorded. */
  readonly metadata: MetadataLog | null;
  readonly metrics: Metrics;
  readonly metricsCsv: MetricsCsv;
  readonly trajectory: Trajectory | null;
  readonly discoveries: DiscoveriesWriter | null;
  /** Null when no WARC is written. */
  readonly keepExchange: ((exchange: Exchange) => Promise<void>) | null;
  readonly #warc: WarcWriter | null;

  static async open(workspace: Workspace, { mode, clock, onNotice, levels }: StoresOptions): Promise<ArchiveStores> {
    const { paths, settings } = workspace;
    const { config } = settings;
    const opened: { close(): Promise<void> }[] = [];
    const keep = <T extends { close(): Promise<void> }>(part: T): T => {
      opened.push(part);
      return part;
    };
    const onError = (error: Error) => onNotice(error.message);
    try {
      // Opening repairs a torn last line. A run that records nothing leaves that to the next one that does.
      const metadata = mode === "discover" ? null : keep(await MetadataLog.open(paths.metadata, onNotice));
      const metrics = new Metrics(levels);
      const log = await CsvLog.open(
        mode === "scrape" ? paths.scraperMetricsCsv : paths.metricsCsv,
        METRICS_HEADER,
        onError,
      );
      const metricsCsv = keep(new MetricsCsv(log, metrics, clock));
      const trajectory =
        config.trajectory.enabled && mode !== "scrape" ? keep(await openTrajectory(paths.edgesCsv, onError)) : null;
      const spooled = (config.spool.enabled && mode === "archive") || mode === "discover";
      const discoveries = spooled ? keep(await DiscoveriesWriter.open(paths.spool, spoolLimits(config), clock)) : null;
      const warc = config.storage.warc && mode !== "discover" ? keep(await openWarc(workspace, clock, onNotice)) : null;
      metricsCsv.start(config.metrics.flush_interval_sec);
      const blobs = workspaceBlobs(workspace);
      return new ArchiveStores({ blobs, metadata, metrics, metricsCsv, trajectory, discoveries, warc }, config);
    } catch (error) {
      await Promise.allSettled(opened.map((part) => part.close()));
      throw error;
    }
  }

  private constructor(parts: Parts, config: ArchiveConfig) {
    this.blobs = parts.blobs;
    this.metadata = parts.metadata;
    this.metrics = parts.metrics;
    this.metricsCsv = parts.metricsCsv;
    this.trajectory = parts.trajectory;
    this.discoveries = parts.discoveries;
    this.#warc = parts.warc;
    const { warc } = parts;
    const headers = requestHeaders(config);
    this.keepExchange =
      warc === null
        ? null
        : async ({ at, url, conditions, response, unchangedSha256 }) => {
            const request = { method: "GET", url, headers: [...headers, ...conditions] };
            await warc.write({ at, request, response, unchangedSha256 });
          };
  }

  /** Resolves when everything that belongs to pages about to be settled is on the disk. */
  async flush(): Promise<void> {
    this.trajectory?.flush();
    await this.discoveries?.flush();
  }

  async close(): Promise<void> {
    const parts = [this.metricsCsv, this.trajectory, this.discoveries, this.#warc, this.metadata];
    const results = await Promise.allSettled(parts.map((part) => part?.close()));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

/** The pages of a workspace. */
export const workspaceBlobs = ({ paths, settings }: Workspace): BlobStore =>
  new BlobStore({
    root: paths.htmlStore,
    recordedRoot: paths.recordedStore,
    compress: settings.config.storage.html_compress,
    permissions: settings.config.storage.html_permissions,
  });

export const spoolLimits = ({ spool }: ArchiveConfig): SpoolLimits => ({
  rotateBytes: spool.rotate_every_mb * MEGABYTE,
  budgetBytes: spool.budget_gb * GIGABYTE,
});

const openWarc = (
  { paths, settings }: Workspace,
  clock: Clock,
  onNotice: (text: string) => void,
): Promise<WarcWriter> =>
  WarcWriter.open({
    folder: paths.warc,
    info: {
      software: "trawl",
      "http-header-user-agent": settings.config.user_agent,
      robots: "obey",
      isPartOf: settings.profile.name,
    },
    maxBytes: WARC_MAX_BYTES,
    now: () => clock.now(),
    onNotice,
  });
