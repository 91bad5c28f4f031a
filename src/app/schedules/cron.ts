/** Cron expressions: their validity, their times, and when a schedule runs next. */
import { Cron } from "croner";
import { TrawlError } from "../../errors.ts";
import type { ScheduleRule } from "../operations/schedules.ts";
import type { ScheduleTimes } from "./schedule-store.ts";

export interface CronRule {
  cron: string;
  /** An IANA name; null for the machine's time zone. */
  timezone: string | null;
}

const isTimezone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** The next `count` times after `after`, in ms. Throws when the expression or the time zone is wrong. */
export function nextTimes({ cron, timezone }: CronRule, after: number, count: number): number[] {
  // Six fields would include seconds: a crawl every second is surely a mistake.
  if (!cron.startsWith("@") && cron.trim().split(/\s+/).length !== 5) {
    throw wrong(cron, "it needs five fields: minute, hour, day of month, month, day of week");
  }
  // Checked first, because the library's message would refer to its own options.
  if (timezone !== null && !isTimezone(timezone)) {
    throw new TrawlError(
      "BAD_SCHEDULE",
      `There is no time zone "${timezone}". Use a name such as Europe/Berlin or UTC.`,
    );
  }
  try {
    const job = new Cron(cron, { paused: true, mode: "5-part", ...(timezone === null ? {} : { timezone }) });
    return job.nextRuns(count, new Date(after)).map((date) => date.getTime());
  } catch (error) {
    throw wrong(cron, (error as Error).message.replace(/^CronPattern: /, ""));
  }
}

/** The next time after `after`; null if there isn't one, such as the 30th of February. */
export const nextTime = (rule: CronRule, after: number): number | null => nextTimes(rule, after, 1)[0] ?? null;

const wrong = (cron: string, why: string): TrawlError =>
  new TrawlError("BAD_SCHEDULE", `"${cron}" is not a valid schedule: ${why}.`);

/** The next time of the rule, plus random jitter, so that not all schedules start at once. */
export function nextRun(rule: ScheduleRule, after: number, random: () => number): ScheduleTimes {
  const dueAt = nextTime(rule, after);
  if (dueAt === null || !rule.isEnabled) return { dueAt, nextRunAt: null };
  return { dueAt, nextRunAt: dueAt + Math.floor(random() * rule.jitterSeconds * 1_000) };
}
