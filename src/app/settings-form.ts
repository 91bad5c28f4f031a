/** Every setting with what a form needs to show it. */
import { z } from "zod";
import { SETTINGS, type SiteConfig } from "../site/site-config.ts";

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
