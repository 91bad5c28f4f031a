/** Tools for settings: those of a website, the list of all settings, and testing URLs against the rules. */
import { z } from "zod";
import type { App } from "../../../app/app.ts";
import { crawlReasons } from "../../../app/data/crawl-answers.ts";
import * as operations from "../../../app/operations/config.ts";
import { listSchedules, setSchedule } from "../../../app/operations/schedules.ts";
import { listTables } from "../../../app/operations/sql.ts";
import { listFields } from "../../../app/operations/urls.ts";
import { TrawlError } from "../../../errors.ts";
import { counted } from "../../texts.ts";
import type { Answer, Table } from "../answer.ts";
import { type Tool, tool } from "../tool.ts";
import { projectId, shownSettings } from "./shared-arguments.ts";

const site = operations.getConfig.input.shape.url.meta({ description: "A URL or domain of the website." });

type Config = Awaited<ReturnType<typeof operations.getConfig.run>>;

function configAnswer(config: Config, said: string): Answer {
  const rows = (names: string[]): Table["rows"] => names.map((name) => [name, JSON.stringify(config.settings[name])]);
  const changed = new Set(config.changed);
  const others = Object.keys(config.settings).filter((name) => !changed.has(name));
  return {
    counts: `${said} ${changed.size} of ${Object.keys(config.settings).length} settings differ from their default.`,
    isOwn: true,
    tables: [
      { title: "changed", columns: ["setting", "value"], rows: rows(config.changed) },
      { title: "at their default", columns: ["setting", "value"], rows: rows(others) },
    ],
  };
}

const getConfig = tool({
  name: "get_config",
  title: "Settings of a website",
  description:
    'The settings that crawls of a website start with; changed ones come first. Passwords are not shown. Example: {"url":"example.com"}.',
  kind: "read",
  arguments: { url: site },
  run: async ({ app }, given) => configAnswer(await operations.getConfig.run(app, given), "Saved settings:"),
});

const setConfig = tool({
  name: "set_config",
  title: "Change settings of a website",
  description:
    "Changes the settings that later crawls of a website start with; running crawls keep theirs. Omitted settings stay as they are, null means the default. " +
    'Ask the user first. Example: {"url":"example.com","settings":{"maxDepth":5,"exclude":["*/tag/*"]}}. For one crawl only, give settings to start_crawl.',
  kind: "change",
  isIdempotent: true,
  arguments: { url: site, settings: operations.updateConfig.input.shape.settings.unwrap() },
  shown: { settings: shownSettings.unwrap() },
  async run({ app }, given) {
    return configAnswer(await operations.updateConfig.run(app, given), "Saved.");
  },
});

const rules = operations.testRules.input.shape;

const testRules = tool({
  name: "test_rules",
  title: "Test URLs against the rules",
  description:
    "Shows whether a crawl would fetch URLs, without starting it: scope, include, exclude, limits, and robots.txt with ask_robots. Use it before start_crawl or set_config. " +
    'Example: {"start":"https://example.com","urls":["/shop/?sort=price"],"settings":{"exclude":["*sort=*"]}}.',
  kind: "read",
  reachesOut: true,
  arguments: { start: rules.start, urls: rules.urls, settings: rules.settings, ask_robots: rules.askRobots },
  shown: { settings: shownSettings },
  async run({ app, caller }, { ask_robots, ...given }) {
    const { rows: found } = await operations.testRules.run(app, { ...given, askRobots: ask_robots }, caller);
    const crawled = found.filter((url) => url.verdict === "crawl").length;
    return {
      counts: `${crawled} of ${found.length} URLs would be crawled.`,
      tables: [
        {
          title: "verdicts",
          columns: ["typed", "url", "verdict", "reason", "rule", "meaning"],
          rows: found.map((url) => [url.typed, url.url, url.verdict, url.reason, url.rule, url.meaning]),
        },
      ],
    };
  },
});

export const TOPICS = ["fields", "tables", "settings", "reasons"] as const;
export type Topic = (typeof TOPICS)[number];

/** A reference must not be cut. */
const MEANING_LIMIT = 1_000;

const reference = tool({
  name: "reference",
  title: "Names to use",
  description:
    "The exact names for other tools: fields (query_urls, compare), tables and columns (sql), settings (start_crawl, set_config), reasons (decisions). " +
    'Example: {"topic":"settings","search":"depth"}.',
  kind: "read",
  arguments: {
    topic: z.enum(TOPICS),
    search: z.string().max(200).default("").meta({ description: "Only entries that contain this text." }),
  },
  run: ({ app }, { topic, search }) => referenceAnswer(app, topic, search),
});

export async function referenceAnswer(app: App, topic: Topic, search = ""): Promise<Answer> {
  const sought = search.toLowerCase();
  const tables = (await REFERENCES[topic](app)).map((table) => ({
    ...table,
    cellLimit: MEANING_LIMIT,
    rows: table.rows.filter((row) => `${table.title} ${row.join(" ")}`.toLowerCase().includes(sought)),
  }));
  const found = tables.reduce((sum, table) => sum + table.rows.length, 0);
  return { counts: `${counted(found, "entry", "entries")}.`, tables, isOwn: true };
}

const REFERENCES: Record<Topic, (app: App) => Promise<Table[]>> = {
  async fields(app) {
    const { rows: fields } = await listFields.run(app, {});
    const rows = fields.map((field) => [field.name, field.type, field.description]);
    return [{ title: "fields of a URL", columns: ["field", "type", "meaning"], rows }];
  },
  async tables(app) {
    const { rows: tables } = await listTables.run(app, {});
    return tables.map(({ table, description, columns }) => ({
      title: `${table}: ${description}`,
      columns: ["column", "type", "meaning"],
      rows: columns.map((column) => [column.name, column.type, column.description]),
    }));
  },
  async settings(app) {
    const { rows: settings } = await operations.listSettings.run(app, {});
    const rows = settings.map((setting) => [
      setting.name,
      setting.group,
      JSON.stringify(setting.default),
      setting.ownerOnly === null ? setting.description : `${setting.description} Only the user may change it.`,
    ]);
    return [{ title: "settings", columns: ["setting", "group", "default", "meaning"], rows }];
  },
  async reasons() {
    const rows = crawlReasons().map(({ reason, meaning, setting }) => [reason, meaning, setting]);
    return [{ title: "reasons for not crawling", columns: ["reason", "meaning", "setting"], rows }];
  },
};

const { cron, timezone, isEnabled } = setSchedule.input.shape;

/** Webhooks are for people to set: a page could talk an agent into sending results to an untrusted party. */
const schedules = tool({
  name: "schedules",
  title: "Crawls on a schedule",
  description:
    "Lists the schedules, with next and last runs. With project_id and cron: crawls that project on a schedule; ask the user first. " +
    'Example: {"project_id":1,"cron":"0 6 * * 1","timezone":"Europe/Berlin"}. `trawl serve` or `trawl schedule start` must be running at those times.',
  kind: "change",
  isIdempotent: true,
  arguments: {
    project_id: projectId.optional(),
    cron: cron.optional(),
    // Without their defaults: what is left out stays as it is.
    timezone: timezone.unwrap().optional(),
    enabled: isEnabled.unwrap().optional(),
  },
  async run({ app, caller }, { project_id, cron, timezone, enabled }) {
    const isChange = cron !== undefined || timezone !== undefined || enabled !== undefined;
    if (isChange && project_id === undefined) {
      throw new TrawlError("BAD_USAGE", "project_id: missing; list_projects has the numbers of projects.");
    }
    if (isChange) {
      const present = (await listSchedules.run(app, {})).rows.find(({ projectId }) => projectId === project_id);
      const changed = { cron, timezone, isEnabled: enabled };
      const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
      await setSchedule.run(app, setSchedule.input.parse({ ...present, ...given, projectId: project_id! }), caller);
    }
    const { rows } = await listSchedules.run(app, {});
    const all = rows.filter(({ projectId }) => project_id === undefined || projectId === project_id);
    return {
      counts: `${counted(all.length, "schedule")}.`,
      tables: [
        {
          title: "schedules",
          columns: ["project_id", "domain", "cron", "timezone", "enabled", "nextRunAt", "lastState", "last_crawl_id"],
          rows: all.map((one) => [
            one.projectId,
            one.domain,
            one.cron,
            one.timezone,
            one.isEnabled,
            one.nextRunAt,
            one.lastRuns[0]?.state,
            one.lastRuns[0]?.crawlId,
          ]),
        },
      ],
    };
  },
});

export const CONFIG_TOOLS: readonly Tool[] = [getConfig, setConfig, testRules, reference, schedules];
