/** Operations on settings: per-domain config, what settings there are, and trying a URL against them. */
import { z } from "zod";
import { someSettings } from "./crawling.ts";
import { operation } from "./operation.ts";

/** The seed's names for the settings that its own config had; `settings` holds all of ours. */
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

const configResponse = seedConfig
  .extend({
    domain: z.string(),
    settings: z
      .record(z.string(), z.unknown())
      .meta({ description: "Every setting as a crawl of this domain would have it." }),
    changed: z.array(z.string()).meta({ description: "Names of the settings that differ from their default." }),
    createdAt: z.int().nullable(),
    updatedAt: z.int().nullable(),
  })
  .meta({ id: "Config" });

export const getConfig = operation({
  name: "getConfig",
  kind: "read",
  summary: "The settings that crawls of a domain begin with",
  input: z.object({ url: z.string().min(1) }),
  output: configResponse,
  run: (app, { url }) => app.configs.get(url),
});

export const updateConfig = operation({
  name: "updateConfig",
  kind: "change",
  summary:
    "Change the settings that crawls of a domain begin with; what is left out stays, null in `settings` means the default",
  input: z.object({
    url: z.string().min(1),
    ...seedConfig.partial().shape,
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Names and values as in `trawl config show`." }),
  }),
  output: configResponse,
  run: (app, input) => app.configs.update(input),
});

export const listSettings = operation({
  name: "listSettings",
  kind: "read",
  summary: "Every setting with its group, type, default and meaning: what a form needs",
  input: z.object({}),
  output: z.array(
    z.object({
      name: z.string(),
      label: z.string().meta({ description: "A few words, for a form." }),
      group: z.string(),
      description: z.string(),
      zero: z.string().nullable().meta({ description: "What 0 stands for, such as no limit." }),
      default: z.unknown(),
      schema: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema." }),
      isCommon: z.boolean().meta({ description: "One of the few that most people change." }),
    }),
  ),
  run: (app) => app.configs.settings(),
});

export const validateSettings = operation({
  name: "validateSettings",
  kind: "read",
  summary: "Check settings without saving them",
  input: z.object({ settings: z.record(z.string(), z.unknown()) }),
  output: z.object({ isValid: z.boolean(), problems: z.array(z.object({ setting: z.string(), message: z.string() })) }),
  run: (app, input) => app.configs.validate(input),
});

export const testRules = operation({
  name: "testRules",
  kind: "read",
  summary: "Try URLs against the rules of a crawl that was not started: scope, include, exclude, limits, robots.txt",
  input: z.object({
    start: z.string().min(1),
    urls: z.array(z.string().min(1)).min(1).max(100),
    settings: someSettings.optional(),
    askRobots: z.boolean().default(false).meta({ description: "Fetch robots.txt of the hosts to judge by it too." }),
  }),
  output: z.array(
    z.object({
      typed: z.string(),
      url: z.string().nullable().meta({ description: "In canonical form; null when it is not a URL." }),
      verdict: z.string(),
      reason: z.string().nullable(),
      meaning: z.string().nullable(),
      rule: z.string().nullable(),
    }),
  ),
  run: (app, input) => app.configs.testRules(input),
});
