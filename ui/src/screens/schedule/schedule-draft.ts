/** A schedule being edited: its initial values, what is wrong with it, and what is sent. */
import type { Schedule, ScheduleRule } from "../../lib/contract.ts";

export interface ScheduleDraft {
  cron: string;
  /** Empty for the machine's time zone. */
  timezone: string;
  jitterMinutes: number;
  isEnabled: boolean;
  webhook: string;
  notifyOn: Notice[];
}

export type Notice = NonNullable<ScheduleRule["notifyOn"]>[number];
export const NOTICES: readonly { value: Notice; label: string }[] = [
  { value: "changed", label: "Something changed since the previous crawl" },
  { value: "failed", label: "The crawl failed" },
  { value: "completed", label: "The crawl completed, with or without changes" },
];

export const PRESETS: readonly { cron: string; label: string }[] = [
  { cron: "0 * * * *", label: "Every hour" },
  { cron: "0 3 * * *", label: "Every day at 3:00" },
  { cron: "0 3 * * 1-5", label: "Weekdays at 3:00" },
  { cron: "0 3 * * 1", label: "Every Monday at 3:00" },
  { cron: "0 3 1 * *", label: "Monthly, on the 1st at 3:00" },
];

export const presetLabel = (cron: string): string | null =>
  PRESETS.find((preset) => preset.cron === cron.trim())?.label ?? null;

const NEW: ScheduleDraft = {
  cron: "0 3 * * 1",
  timezone: "",
  jitterMinutes: 5,
  isEnabled: true,
  webhook: "",
  notifyOn: ["changed", "failed"],
};

export function draftOf(schedule: Schedule | null): ScheduleDraft {
  if (schedule === null) return NEW;
  const { cron, timezone, jitterSeconds, isEnabled, webhook, notifyOn } = schedule;
  return {
    cron,
    timezone: timezone ?? "",
    jitterMinutes: jitterSeconds / 60,
    isEnabled,
    webhook: webhook ?? "",
    notifyOn,
  };
}

export const ruleOf = ({
  cron,
  timezone,
  jitterMinutes,
  isEnabled,
  webhook,
  notifyOn,
}: ScheduleDraft): ScheduleRule => ({
  cron: cron.trim(),
  timezone: timezone.trim() === "" ? null : timezone.trim(),
  jitterSeconds: Math.round(jitterMinutes * 60),
  isEnabled,
  webhook: webhook.trim() === "" ? null : webhook.trim(),
  notifyOn,
});

export interface DraftProblems {
  timezone: string | null;
  jitter: string | null;
  webhook: string | null;
}

const DAY_MINUTES = 1_440;

/** What can be checked here; the server checks the expression. */
export function draftProblems({ timezone, jitterMinutes, webhook }: ScheduleDraft): DraftProblems {
  const isGood = jitterMinutes >= 0 && jitterMinutes <= DAY_MINUTES;
  return {
    timezone: isTimezone(timezone.trim()) ? null : "There is no such time zone. Use a name like Europe/Berlin.",
    jitter: isGood ? null : "Between 0 and 1,440 minutes (a day).",
    webhook:
      webhook.trim() === "" || isWebAddress(webhook.trim())
        ? null
        : "Enter an address that begins with http:// or https://.",
  };
}

function isTimezone(name: string): boolean {
  if (name === "") return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
