/**
 * Starts crawls when they are due, in the process that runs it.
 *
 * Several processes may run one on the same registry: a run is claimed there, so it happens once. Runs that were missed
 * while none ran are made up for by a single run. A run that a crash cut short is resumed.
 */
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { FINISHED } from "../crawls/registry.ts";
import type { CrawlEnding, CrawlHost } from "./crawl-host.ts";
import { nextRun } from "./cron.ts";
import type { ScheduleStore, StoredRun, StoredSchedule } from "./schedule-store.ts";
import type { Webhooks } from "./webhooks.ts";
import { messageOf } from "./webhooks.ts";

/** Checks at least this often: another process may have changed a schedule, or died during a run. */
const LOOK_MS = 30_000;

export interface SchedulerParts {
  store: ScheduleStore;
  host: CrawlHost;
  webhooks: Webhooks;
  clock: Clock;
  random: () => number;
  /** Called with problems that cannot be reported to a caller: a run that could not be started or followed. */
  onProblem: (message: string) => void;
}

type Run = Pick<StoredRun, "id" | "projectId" | "dueAt">;

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #following = new Set<Promise<void>>();
  readonly #followedRuns = new Set<number>();
  #cancelTimer: (() => void) | null = null;
  #isStarted = false;
  #isClosed = false;
  #looking: Promise<void> | null = null;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#isStarted = true;
    void this.look();
  }

  /** Runs what is due now, and sets the timer for the next. Does nothing if the scheduler was not started. */
  look(): Promise<void> {
    if (!this.#isStarted) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Starts a run in addition to its times. */
  async runNow(schedule: StoredSchedule): Promise<number> {
    const { store, host, clock } = this.#parts;
    const dueAt = clock.now();
    const runId = store.addRun(schedule.projectId, dueAt);
    try {
      const crawlId = await host.start(schedule.projectId, schedule.mayStartPrivate);
      this.#follow({ id: runId, projectId: schedule.projectId, dueAt }, crawlId);
      return crawlId;
    } catch (error) {
      const isBusy = error instanceof TrawlError && error.code === "PROJECT_BUSY";
      store.endRun(runId, isBusy ? "skipped" : "failed", (error as Error).message, null);
      throw error;
    }
  }

  /** Waits for the current runs, and for the first attempt to send their messages. */
  async idle(): Promise<void> {
    await Promise.all(this.#following);
    await this.#parts.webhooks.sendDue();
  }

  /** Starts no new runs. The app pauses running crawls; their runs are resumed next time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#looking;
    await Promise.all(this.#following);
  }

  async #look(): Promise<void> {
    const { store, clock, webhooks, onProblem } = this.#parts;
    this.#cancelTimer?.();
    if (this.#isClosed) return;
    let leastMs = 0;
    try {
      await this.#goOn();
      for (const schedule of store.all()) {
        if (schedule.nextRunAt !== null && schedule.nextRunAt <= clock.now()) await this.#runDue(schedule);
      }
      await webhooks.sendDue();
    } catch (error) {
      // A registry that is busy for a moment must not end all schedules.
      onProblem(`schedules: ${(error as Error).message}`);
      // Nor may a full disk cause endless attempts to write.
      leastMs = LOOK_MS;
    }
    if (!this.#isClosed) this.#cancelTimer = clock.after(Math.max(leastMs, this.#waitMs()), () => void this.look());
  }

  #waitMs(): number {
    const { store, clock } = this.#parts;
    const times = [...store.all().map((schedule) => schedule.nextRunAt), store.nextMessageAt()];
    const next = Math.min(...times.filter((time) => time !== null), clock.now() + LOOK_MS);
    return Math.max(0, next - clock.now());
  }

  /** Runs started by a process that has ended. */
  async #goOn(): Promise<void> {
    const { store, host, onProblem } = this.#parts;
    for (const run of store.unfinishedRuns()) {
      const { id, projectId, crawlId } = run;
      if (this.#followedRuns.has(id) || host.isRunning(projectId)) continue;
      if (crawlId === null) {
        store.endRun(id, "failed", "interrupted before the crawl began", null);
        continue;
      }
      try {
        await host.resume(crawlId);
        this.#follow(run, crawlId);
      } catch (error) {
        onProblem(`crawl ${crawlId} could not be resumed: ${(error as Error).message}`);
        store.endRun(id, "failed", (error as Error).message, null);
      }
    }
  }

  async #runDue(schedule: StoredSchedule): Promise<void> {
    const { store, host, clock, random, onProblem } = this.#parts;
    const { projectId, rule, mayStartPrivate } = schedule;
    const dueAt = schedule.dueAt ?? clock.now();
    // From now, not from when it was due, so that a machine that slept for a week runs it once.
    if (!store.claim(schedule, nextRun(rule, clock.now(), random))) return;
    const run = { id: store.addRun(projectId, dueAt), projectId, dueAt };
    if (host.isRunning(projectId)) {
      store.endRun(run.id, "skipped", "a crawl of this project was running", null);
      return;
    }
    try {
      const crawlId = await host.start(projectId, mayStartPrivate);
      this.#follow(run, crawlId);
    } catch (error) {
      const message = (error as Error).message;
      if (error instanceof TrawlError && error.code === "PROJECT_BUSY") {
        // It was started between the check and now.
        store.endRun(run.id, "skipped", message, null);
        return;
      }
      onProblem(`schedule of project ${projectId}: ${message}`);
      await this.#end(run, null, { state: "failed", message, pagesCrawled: 0, durationMs: 0 });
    }
  }

  #follow(run: Run, crawlId: number): void {
    const { store, host, onProblem } = this.#parts;
    store.setCrawl(run.id, crawlId);
    this.#followedRuns.add(run.id);
    const followed = host
      .ended(crawlId)
      .then(async (ending) => {
        // Paused because the app is closing: the run has not ended.
        if (this.#isClosed && ending.state === "paused") return;
        await this.#end(run, crawlId, ending);
      })
      .catch((error: Error) => onProblem(`crawl ${crawlId}: ${error.message}`))
      .finally(() => {
        this.#following.delete(followed);
        this.#followedRuns.delete(run.id);
        if (!this.#isClosed) void this.look();
      });
    this.#following.add(followed);
  }

  async #end({ id, projectId, dueAt }: Run, crawlId: number | null, ending: CrawlEnding): Promise<void> {
    const { store, host } = this.#parts;
    const rule = store.get(projectId)?.rule;
    const changes = FINISHED.includes(ending.state) && crawlId !== null ? await host.changes(crawlId) : null;
    const message =
      rule === undefined
        ? null
        : messageOf(rule, { project: host.project(projectId), crawlId, dueAt, ending, changes });
    store.endRun(id, ending.state, ending.message, message);
  }
}
