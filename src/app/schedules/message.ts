/** What a webhook is told of a run, and whether it is told at all. */
import type { Changes, CrawlEnding, ScheduledProject } from "./crawl-host.ts";
import type { ScheduleRule } from "./schedule-store.ts";

type Event = ScheduleRule["notifyOn"][number];

export interface RunReport {
  project: ScheduledProject;
  crawlId: number | null;
  dueAt: number;
  ending: CrawlEnding;
  changes: Changes | null;
}

/** The message that the rule asks for; null when it asks for none. The weightiest event names it. */
export function messageOf(rule: ScheduleRule, report: RunReport): { url: string; event: string; body: string } | null {
  if (rule.webhook === null) return null;
  const event = eventsOf(report).find((name) => rule.notifyOn.includes(name));
  if (event === undefined) return null;
  const { project, crawlId, dueAt, ending, changes } = report;
  const body = { event, project, crawl: { id: crawlId, ...ending }, changes, dueAt: new Date(dueAt).toISOString() };
  return { url: rule.webhook, event, body: JSON.stringify(body) };
}

function eventsOf({ ending, changes }: RunReport): Event[] {
  if (ending.state !== "completed") return ["failed"];
  const hasChanged = changes !== null && changes.added + changes.removed + changes.changed > 0;
  return hasChanged ? ["changed", "completed"] : ["completed"];
}
