/** Operations on settings: config per project, what settings there are, and trying a URL against them. */
import { z } from "zod";
import { REMOTE } from "../caller.ts";
import { checkOwnerSettings } from "../config/owner-settings.ts";
import { settingForms } from "../config/setting-checks.ts";
import { someSettings } from "./crawling.ts";
import { allOf, operation, pageOf } from "./operation.ts";
import { time } from "./time.ts";

/** Short names for common settings; `settings` contains all of them. */
export const seedConfig = z.object({
  jsRenderingEnabled: z.boolean(),
  parallelism: z.int(),
  userAgent: z.string(),
  includeSubdomains: z.boolean(),
  singlePageMode: z.boolean(),
  discoveryMechanisms: z.array(z.string()),
  sitemapURLs: z.array(z.string()),
  checkExternalResources: z.boolean(),
});

export type SeedConfig = z.output<typeof seedConfig>;

const configResponse = seedConfig
  .extend({
    domain: z.string(),
    settings: z.record(z.string(), z.unknown()).meta({
      description: "Every setting as a crawl of this URL would use it; secrets are those of its origin, hidden.",
    }),
    changed: z.array(z.string()).meta({ description: "Names of the settings that differ from their default." }),
    createdAt: time.nullable(),
    updatedAt: time.nullable(),
  })
  .meta({ id: "Config" });

export type ConfigInfo = z.output<typeof configResponse>;

export const getConfig = operation({
  name: "getConfig",
  kind: "read",
  summary: "The settings that crawls of a site begin with; secrets belong to the origin of the URL",
  errors: ["BAD_URL"],
  input: z.object({ url: z.string().min(1) }),
  output: configResponse,
  run: (app, { url }) => app.configs.get(url),
});

const configUpdate = z.object({
  url: z.string().min(1),
  ...seedConfig.partial().shape,
  settings: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: "Names and values as in `trawl config show`." }),
});
export type ConfigUpdate = z.output<typeof configUpdate>;

export const updateConfig = operation({
  name: "updateConfig",
  kind: "change",
  summary:
    "Change the settings that crawls of a site begin with, secrets for the origin of the URL; settings that are left out stay as they are, and null in `settings` means the default",
  errors: ["BAD_URL", "BAD_CONFIG", "OWNER_ONLY"],
  input: configUpdate,
  output: configResponse,
  run: (app, input, caller = REMOTE) => app.configs.save(input, caller),
});

const settingForm = z.object({
  name: z.string(),
  label: z.string().meta({ description: "A few words, for a form." }),
  group: z.string(),
  description: z.string(),
  zero: z.string().nullable().meta({ description: "What 0 means, such as no limit." }),
  default: z.unknown(),
  schema: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema." }),
  isCommon: z.boolean().meta({ description: "One of the few settings that most people change." }),
  ownerOnly: z.string().nullable().meta({
    description:
      "Why only the owner of the machine may change it, on the command line or in a file; null when anyone may. Requests that change it get 422.",
  }),
});
export type SettingForm = z.output<typeof settingForm>;

export const listSettings = operation({
  name: "listSettings",
  kind: "read",
  summary: "Every setting with its group, type, default and meaning: what a form needs",
  input: z.object({}),
  output: pageOf(settingForm),
  run: () => allOf(settingForms()),
});

const settingsCheck = z.object({
  isValid: z.boolean(),
  problems: z.array(z.object({ setting: z.string(), message: z.string() })),
  settings: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: "All settings, with defaults; null if any is invalid." }),
  changed: z.array(z.string()).meta({ description: "Names of the settings that differ from their default." }),
});
export type SettingsCheck = z.output<typeof settingsCheck>;

export const validateSettings = operation({
  name: "validateSettings",
  kind: "read",
  summary: "Check settings without saving them",
  errors: ["OWNER_ONLY"],
  input: z.object({ settings: z.record(z.string(), z.unknown()) }),
  output: settingsCheck,
  run(app, { settings }, caller = REMOTE) {
    checkOwnerSettings(settings, {}, caller);
    return app.configs.check(settings);
  },
});

const rulesQuestion = z.object({
  start: z.string().min(1),
  urls: z.array(z.string().min(1)).min(1).max(100),
  settings: someSettings.optional(),
  askRobots: z.boolean().default(false).meta({ description: "Also fetch and apply robots.txt of the hosts." }),
});
export type RulesQuestion = z.output<typeof rulesQuestion>;

const testedUrl = z.object({
  typed: z.string(),
  url: z.string().nullable().meta({ description: "In canonical form; null when it is not a URL." }),
  verdict: z.string(),
  reason: z.string().nullable(),
  meaning: z.string().nullable(),
  rule: z.string().nullable(),
});
export type TestedUrl = z.output<typeof testedUrl>;

export const testRules = operation({
  name: "testRules",
  kind: "read",
  summary: "Test URLs against the rules of a crawl without starting it: scope, include, exclude, limits, robots.txt",
  errors: ["BAD_URL", "BAD_CONFIG", "OWNER_ONLY", "PRIVATE_START"],
  input: rulesQuestion,
  output: pageOf(testedUrl),
  run: async (app, input, caller = REMOTE) => allOf(await app.configs.testRules(input, caller)),
});

const robotsQuestion = z.object({
  urls: z.array(z.string().min(1)).min(1).max(1_000),
  agent: z.string().min(1).max(200).default("trawl").meta({ description: "The crawler's name." }),
  text: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: "Rules to use instead of fetching robots.txt from the URLs' hosts." }),
});
export type RobotsQuestion = z.output<typeof robotsQuestion>;

const robotsVerdict = z.object({
  url: z.string(),
  allowed: z.boolean(),
  unreachable: z.boolean().meta({ description: "robots.txt could not be fetched; a crawl then fetches nothing." }),
  line: z.int().nullable().meta({ description: "The line that decides." }),
  rule: z.string().nullable(),
  group: z.string().nullable().meta({ description: "The user agent whose rules apply." }),
  source: z.string().meta({ description: "Where the rules come from, or why there aren't any." }),
});
export type RobotsVerdict = z.output<typeof robotsVerdict>;

export const testRobots = operation({
  name: "testRobots",
  kind: "read",
  summary: "Whether robots.txt allows URLs, and which line decides",
  errors: ["BAD_URL", "PRIVATE_START"],
  input: robotsQuestion,
  output: pageOf(robotsVerdict),
  run: async (app, input, caller = REMOTE) => allOf(await app.configs.testRobots(input, caller)),
});
