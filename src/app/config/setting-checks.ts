/**
 * Settings before a crawl: all their problems, including those of patterns and rules, and what a form needs to show
 * each setting.
 */
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { parseConnectTo } from "../../net/connection/route.ts";
import { type FlagShape, shapeOf } from "../../settings/flags.ts";
import { badConfig, listed, type SettingProblem } from "../../settings/problems.ts";
import { checkRule, parseThreshold } from "../../site/audit/audit-settings.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import { configProblems, SETTINGS, type Setting, type SiteConfig, siteConfigSchema } from "../../site/site-config.ts";
import { allowedHost } from "../../site/url-rules.ts";
import { checkListSize, compileFilter } from "../../web/filter.ts";
import type { SettingForm, SettingsCheck } from "../operations/config.ts";

/** Settings as given: the complete settings, or all problems. */
export function checkSettings(given: unknown): SettingsCheck {
  const problems = settingProblems(given);
  if (problems.length > 0) return { isValid: false, problems, settings: null, changed: [] };
  const settings = siteConfigSchema.parse(given ?? {});
  return { isValid: true, problems, settings, changed: changedSettings(settings) };
}

export function settingProblems(settings: unknown): SettingProblem[] {
  const problems = configProblems(settings);
  if (problems.length > 0) return problems;
  const config = siteConfigSchema.parse(settings ?? {});
  const found = [
    ...unusablePatterns("include", config.include),
    ...unusablePatterns("exclude", config.exclude),
    ...unusable("allowedDomains", config.allowedDomains, allowedHost),
    ...unusable("connectTo", config.connectTo, parseConnectTo),
    ...unusable("thresholds", config.thresholds, parseThreshold),
    ...unusable("ignoreRules", config.ignoreRules, checkRule),
  ];
  return listed(found, (problem) => problem);
}

/** The settings with every default filled in. Throws a TrawlError that lists everything wrong with them. */
export function checkedSettings(settings: unknown): SiteConfig {
  const problems = settingProblems(settings);
  if (problems.length > 0) throw badConfig(problems);
  return siteConfigSchema.parse(settings ?? {});
}

/** The same, without compiling patterns: for callers that leave that to another process. */
export function parsedSettings(settings: unknown): SiteConfig {
  const problems = configProblems(settings);
  if (problems.length > 0) throw badConfig(problems);
  return siteConfigSchema.parse(settings ?? {});
}

/** What must be tried to know that it is usable, which may take time. */
export const listsOf = ({ include, exclude, allowedDomains, connectTo, thresholds, ignoreRules }: SiteConfig) => ({
  ...{ include, exclude, allowedDomains, connectTo, thresholds, ignoreRules },
});

/** Patterns that are too large together are not compiled just to find further problems. */
function unusablePatterns(setting: string, values: string[]): SettingProblem[] {
  try {
    checkListSize(values);
  } catch (error) {
    if (!(error instanceof TrawlError)) throw error;
    return [{ setting, message: error.message }];
  }
  return unusable(setting, values, compileFilter);
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

/** What most people change: how much, how fast, and which part of the site. */
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
  SETTINGS.map(
    ({ name, label, group, description, zero = null, ownerOnly = null, defaultValue, schema, older = [] }) => {
      const json = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
      // The schema does not repeat what the form already has.
      for (const key of ["$schema", "group", "label", "zero", "older", "ownerOnly"]) delete json[key];
      const items = json["items"] as { enum?: string[] } | undefined;
      if (items?.enum !== undefined) items.enum = items.enum.filter((choice) => !older.includes(choice));
      const isCommon = COMMON.has(name);
      return { name, label, group, description, zero, default: defaultValue, schema: json, isCommon, ownerOnly };
    },
  );

/** A setting as a command line needs it: its name and texts, and the form of its flag. */
export interface CrawlSetting extends Pick<Setting, "name" | "group" | "description" | "defaultValue" | "older"> {
  shape: FlagShape;
}

export const crawlSettings = (): CrawlSetting[] =>
  SETTINGS.map(({ name, group, description, defaultValue, schema, older = [] }) => {
    const shape = shapeOf(schema);
    const choices = shape.choices.filter((choice) => !older.includes(choice));
    return { ...{ name, group, description, defaultValue, older }, shape: { ...shape, choices } };
  });
