/** The schedules of projects as operations see them: set, list, run, remove. */
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { hostAndPort } from "../../net/origin.ts";
import type { Caller } from "../caller.ts";
import { checkStartAddresses } from "../crawls/start-addresses.ts";
import type { ScheduleInfo, ScheduleRule } from "../operations/schedules.ts";
import { isoTime, isoTimeOrNull } from "../operations/time.ts";
import type { CrawlHost } from "./crawl-host.ts";
import { type CronRule, nextRun, nextTimes } from "./cron.ts";
import type { ScheduleStore, StoredSchedule } from "./schedule-store.ts";
import type { Scheduler } from "./scheduler.ts";

const SHOWN_TIMES = 5;
const SHOWN_RUNS = 10;

export interface SchedulesParts {
  store: ScheduleStore;
  host: CrawlHost;
  scheduler: Scheduler;
  clock: Clock;
  random: () => number;
}

export class Schedules {
  readonly #parts: SchedulesParts;

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
  }

  list(): ScheduleInfo[] {
    return this.#parts.store.all().map((schedule) => this.#info(schedule));
  }

  set({ projectId, ...rule }: ScheduleRule & { projectId: number }, mayStartPrivate = true): ScheduleInfo {
    const { store, host, scheduler, clock, random } = this.#parts;
    host.project(projectId);
    store.set(projectId, rule, nextRun(rule, clock.now(), random), mayStartPrivate);
    void scheduler.look();
    return this.#info(this.#stored(projectId));
  }

  /**
   * The same for callers who may not reach this machine's network. Their schedules may not reach it either, wherever
   * the names in them lead at the time of a run. A schedule that the owner made keeps its rights.
   */
  async save(question: ScheduleRule & { projectId: number }, caller: Caller): Promise<ScheduleInfo> {
    const { store, host } = this.#parts;
    const { projectId, webhook } = question;
    const present = store.get(projectId);
    const mayStartPrivate = caller.isOwner || caller.mayStartPrivate || present?.mayStartPrivate === true;
    if (!mayStartPrivate) await host.checkStart(projectId, caller);
    if (webhook === null || caller.isOwner) return this.set(question, mayStartPrivate);
    const receiver = hostAndPort(webhook);
    // Sent back unchanged, it may be a private one that the owner saved, and stays as it was.
    const isKept = webhook === present?.rule.webhook;
    const notes = isKept ? [] : await checkStartAddresses([webhook], { allowPrivate: false, proxy: null }, caller);
    const classes = isKept ? store.receiverClasses(receiver) : notes.length > 0 ? (["public"] as const) : null;
    const saved = this.set(question, mayStartPrivate);
    if (classes !== null) store.setReceiver(receiver, classes);
    return saved;
  }

  remove(projectId: number): { done: true } {
    if (!this.#parts.store.remove(projectId)) throw notScheduled(projectId);
    return { done: true };
  }

  async runNow(projectId: number): Promise<{ crawlId: number }> {
    return { crawlId: await this.#parts.scheduler.runNow(this.#stored(projectId)) };
  }

  preview(rule: CronRule): { isValid: boolean; problem: string | null; nextRuns: string[] } {
    try {
      const nextRuns = nextTimes(rule, this.#parts.clock.now(), SHOWN_TIMES).map(isoTime);
      return { isValid: true, problem: nextRuns.length === 0 ? "This time never occurs." : null, nextRuns };
    } catch (error) {
      return { isValid: false, problem: (error as Error).message, nextRuns: [] };
    }
  }

  #stored(projectId: number): StoredSchedule {
    const schedule = this.#parts.store.get(projectId);
    if (schedule === null) throw notScheduled(projectId);
    return schedule;
  }

  #info({ projectId, rule, nextRunAt }: StoredSchedule): ScheduleInfo {
    const { store, host, clock } = this.#parts;
    const { domain, url } = host.project(projectId);
    return {
      ...rule,
      ...{ projectId, domain, url, nextRunAt: isoTimeOrNull(nextRunAt) },
      nextRuns: rule.isEnabled ? nextTimes(rule, clock.now(), SHOWN_TIMES).map(isoTime) : [],
      lastRuns: store.runs(projectId, SHOWN_RUNS).map(({ id: _, projectId: __, at, dueAt, ...run }) => ({
        ...run,
        at: isoTime(at),
        dueAt: isoTime(dueAt),
      })),
    };
  }
}

const notScheduled = (projectId: number): TrawlError =>
  new TrawlError("SCHEDULE_NOT_FOUND", `Project ${projectId} has no schedule.`);
