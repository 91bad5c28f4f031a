/** Operations on schedules. */
import { z } from "zod";
import { END_STATES } from "../../site/crawl-end.ts";
import { REMOTE } from "../caller.ts";
import { allOf, done, id, operation, pageOf } from "./operation.ts";
import { time } from "./time.ts";

export const WEBHOOK_EVENTS = ["changed", "failed", "completed"] as const;

const rule = z.object({
  cron: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "Five fields: minute hour day month weekday; or @daily, @weekly…" }),
  timezone: z
    .string()
    .max(100)
    .nullable()
    .default(null)
    .meta({ description: "Such as Europe/Berlin; null for the machine's." }),
  jitterSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(300)
    .meta({ description: "Start up to this much later, so that schedules do not all start at once." }),
  isEnabled: z.boolean().default(true),
  webhook: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  notifyOn: z.array(z.enum(WEBHOOK_EVENTS)).default(["changed", "failed"]).meta({
    description:
      "`completed` and `changed`: it has results, as with `limit_reached`. `failed`: it was blocked, failed or gave up. A crawl that somebody stopped sends nothing.",
  }),
});

export type ScheduleRule = z.output<typeof rule>;

export const RUN_STATES = ["started", "skipped", ...END_STATES] as const;
export type RunState = (typeof RUN_STATES)[number];

export const schedule = rule
  .extend({
    projectId: z.int(),
    domain: z.string(),
    url: z.string(),
    nextRunAt: time.nullable(),
    nextRuns: z.array(time).meta({ description: "The next five, before jitter." }),
    lastRuns: z.array(
      z.object({
        at: time,
        dueAt: time,
        crawlId: z.int().nullable(),
        state: z.enum(RUN_STATES),
        message: z.string().nullable(),
        webhook: z.string().nullable().meta({
          description: "The state of the webhook message: sent, waiting, or failed and why; null when none was due.",
        }),
      }),
    ),
  })
  .meta({ id: "Schedule" });

export type ScheduleInfo = z.output<typeof schedule>;

export const listSchedules = operation({
  name: "listSchedules",
  kind: "read",
  summary: "All schedules with their next and last runs",
  input: z.object({}),
  output: pageOf(schedule),
  run: (app) => allOf(app.schedules.list()),
});

export const setSchedule = operation({
  name: "setSchedule",
  kind: "change",
  summary:
    "Crawl a project on a schedule: a cron expression, and a webhook that is called when something changed or failed",
  errors: ["PROJECT_NOT_FOUND", "BAD_SCHEDULE", "PRIVATE_START"],
  input: rule.extend({ projectId: id }),
  output: schedule,
  run: (app, input, caller = REMOTE) => app.schedules.save(input, caller),
});

export const deleteSchedule = operation({
  name: "deleteSchedule",
  kind: "destroy",
  summary: "Remove the schedule of a project",
  errors: ["PROJECT_NOT_FOUND", "SCHEDULE_NOT_FOUND"],
  input: z.object({ projectId: id }),
  output: done,
  run: (app, { projectId }) => app.schedules.remove(projectId),
});

export const runSchedule = operation({
  name: "runSchedule",
  kind: "change",
  summary: "Run a schedule now, in addition to its times",
  errors: ["SCHEDULE_NOT_FOUND", "PROJECT_BUSY", "PRIVATE_START"],
  input: z.object({ projectId: id }),
  output: z.object({ crawlId: z.int() }),
  run: (app, { projectId }) => app.schedules.runNow(projectId),
});

export const previewCron = operation({
  name: "previewCron",
  kind: "read",
  summary: "The next times of a cron expression, or what is wrong with it",
  input: rule.pick({ cron: true, timezone: true }),
  output: z.object({ isValid: z.boolean(), problem: z.string().nullable(), nextRuns: z.array(time) }),
  run: (app, input) => app.schedules.preview(input),
});
