/** Every setting with what a form needs to show it. */
import { z } from "zod";
import { SETTINGS, type SiteConfig } from "../site/config.ts";

export interface SettingForm {
  name: string;
  group: string;
  description: string;
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
  SETTINGS.map(({ name, group, description, defaultValue, schema }) => {
    const { $schema: _, group: __, ...json } = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
    return { name, group, description, default: defaultValue, schema: json, isCommon: COMMON.has(name) };
  });
