/** When a schedule runs next: the time its expression means, and a little later by chance. */
import { nextTime } from "./cron.ts";
import type { ScheduleRule, ScheduleTimes } from "./schedule-store.ts";

export function nextRun(rule: ScheduleRule, after: number, random: () => number): ScheduleTimes {
  const dueAt = nextTime(rule, after);
  if (dueAt === null || !rule.isEnabled) return { dueAt, nextRunAt: null };
  return { dueAt, nextRunAt: dueAt + Math.floor(random() * rule.jitterSeconds * 1_000) };
}
