/** Settings before a crawl: what is wrong with them, patterns and rules included, and what a form needs to show each. */
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { parseConnectTo } from "../../net/connect-to.ts";
import { badConfig, type SettingProblem } from "../../settings/problems.ts";
import { configProblems, SETTINGS, type SiteConfig, siteConfigSchema } from "../../site/site-config.ts";
import { compileFilter } from "../../web/filter.ts";

export function settingProblems(settings: unknown): SettingProblem[] {
  const problems = configProblems(settings);
  if (problems.length > 0) return problems;
  const config = siteConfigSchema.parse(settings ?? {});
  return [
    ...unusable("include", config.include, compileFilter),
    ...unusable("exclude", config.exclude, compileFilter),
    ...unusable("connectTo", config.connectTo, parseConnectTo),
  ];
}

/** The settings with every default; throws a TrawlError that names all that is wrong. */
export function checkedSettings(settings: unknown): SiteConfig {
  const problems = settingProblems(settings);
  if (problems.length > 0) throw badConfig(problems);
  return siteConfigSchema.parse(settings ?? {});
}

function unusable(setting: string, values: string[], use: (value: string) => unknown): SettingProblem[] {
  return values.flatMap((value, index) => {
    try {
      use(value);
      return [];
    } catch (error) {
      if (!(error instanceof TrawlError)) throw error;
      return [{ setting: `${setting}.${index}`, message: error.message }];
    }
  });
}

export interface SettingForm {
  name: string;
  /** A few words. */
  label: string;
  group: string;
  description: string;
  /** What 0 stands for, such as no limit. */
  zero: string | null;
  default: unknown;
  /** JSON Schema. */
  schema: Record<string, unknown>;
  isCommon: boolean;
}

/** What most people change: how much, how fast, and what of the site. */
const COMMON: ReadonlySet<keyof SiteConfig> = new Set<keyof SiteConfig>([
  "discovery",
  "includeSubdomains",
  "exclude",
  "maxUrls",
  "maxDepth",
  "parallelism",
  "rate",
  "render",
]);

export const settingForms = (): SettingForm[] =>
  SETTINGS.map(({ name, label, group, description, zero = null, defaultValue, schema }) => {
    const json = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
    // What the form has beside the schema is not told twice.
    for (const key of ["$schema", "group", "label", "zero"]) delete json[key];
    return { name, label, group, description, zero, default: defaultValue, schema: json, isCommon: COMMON.has(name) };
  });
