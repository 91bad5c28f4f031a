/** A run of an archive in this process, from its lock to its end, and what is known about it afterwards. */
import { existsSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { CrawlEnd } from "../../kernel/crawl.ts";
import { parseConnectTo } from "../../net/connection/route.ts";
import { readCertificates } from "../../net/connection/tls-client.ts";
import type { ArchiveRunInfo } from "../operations/archives.ts";
import { isoTime, isoTimeOrNull } from "../operations/time.ts";
import type { KnownWorkspace } from "./known-workspaces.ts";
import type { Choice } from "./look.ts";
import { ArchiveCrawl } from "./run.ts";
import { HALVES, lockWorkspace, type Workspace, workspaceSeeds } from "./workspace.ts";

export interface RunHereOptions {
  place: KnownWorkspace;
  workspace: Workspace;
  refetch: Choice[];
  refresh: boolean;
  software: string;
  clock: Clock;
  /** Called once this process holds the workspace, before anything is requested. */
  onLocked: (run: RunHere) => void;
}

/** Older ones are in the log of the workspace. */
const KEPT_NOTICES = 20;

type Counts = Pick<ArchiveRunInfo, "fetched" | "open" | "refused" | "failed" | "retries" | "inFlight" | "resting">;
const NOTHING: Counts = { fetched: 0, open: 0, refused: 0, failed: 0, retries: 0, inFlight: 0, resting: [] };

export class RunHere {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #notices: string[] = [];
  #crawl: ArchiveCrawl | null = null;
  #endedAt: number | null = null;
  #outcome: ArchiveRunInfo["outcome"] = null;
  /** Resolves when the workspace is free again. */
  readonly #over = Promise.withResolvers<void>();
  #isStopAsked = false;

  /** Throws WORKSPACE_BUSY when another process works there. */
  static async start(options: RunHereOptions): Promise<RunHere> {
    const { place, workspace, refetch, refresh, software, clock, onLocked } = options;
    const { root, paths } = workspace;
    const seeds = await workspaceSeeds(root);
    if (seeds.length === 0 && refetch.length === 0 && !refresh && !existsSync(paths.ledger.commits)) {
      throw new TrawlError("NO_SEEDS", "The seeds file contains no URLs.");
    }
    const reach = {
      connectTo: place.connectTo.map(parseConnectTo),
      ca: place.ca === null ? null : readCertificates(place.ca),
    };
    const lock = lockWorkspace(root, HALVES);
    const run = new RunHere(clock);
    onLocked(run);
    try {
      const events = { onNotice: (text: string) => run.#notice(text) };
      const crawl = await ArchiveCrawl.start({ workspace, seeds, refetch, refresh, reach, events, software, clock });
      run.#crawl = crawl;
      void crawl.ended.then((end) => {
        lock.release();
        run.#end(end);
      });
      if (run.#isStopAsked) await run.stop();
      return run;
    } catch (error) {
      lock.release();
      run.#end({ state: "failed", parked: [], error });
      throw error;
    }
  }

  private constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  get isRunning(): boolean {
    return this.#endedAt === null;
  }

  async pause(): Promise<void> {
    await this.#crawl?.pause();
  }

  async unpause(): Promise<void> {
    this.#crawl?.resume();
  }

  /** Requests in flight are finished. */
  async finish(): Promise<void> {
    this.#isStopAsked = true;
    await this.#crawl?.finish();
    await this.#over.promise;
  }

  /** Requests in flight are given up; their pages stay queued. */
  async stop(): Promise<void> {
    this.#isStopAsked = true;
    await this.#crawl?.stop();
    await this.#over.promise;
  }

  info(): ArchiveRunInfo {
    const counts = this.#counts();
    const pauses = this.isRunning ? (this.#crawl?.pauses ?? []) : [];
    return {
      state: !this.isRunning ? "ended" : pauses.length > 0 ? "paused" : "running",
      startedAt: isoTime(this.#startedAt),
      endedAt: isoTimeOrNull(this.#endedAt),
      pauses,
      ...counts,
      notices: [...this.#notices],
      outcome: this.#outcome,
    };
  }

  #counts(): Counts {
    if (this.#crawl === null) return NOTHING;
    const { fetched, open, skipped, failed, retries, inFlight, resting } = this.#crawl.progress();
    return {
      fetched,
      open,
      refused: skipped,
      failed,
      retries,
      inFlight,
      resting: resting.map(({ until, ...host }) => ({
        ...host,
        until: until === null ? null : isoTime(until * 1_000),
      })),
    };
  }

  #notice(text: string): void {
    this.#notices.push(text);
    if (this.#notices.length > KEPT_NOTICES) this.#notices.shift();
  }

  #end({ state, parked, error }: CrawlEnd): void {
    this.#endedAt = this.#clock.now();
    const failures = this.#crawl?.failures.count ?? 0;
    const ended = error !== null ? "failed" : state === "completed" && parked.length === 0 ? "completed" : "stopped";
    const message = error === null ? null : (error as Error).message;
    this.#outcome = { state: ended, failures, parkedHosts: [...parked], message };
    this.#over.resolve();
  }
}
