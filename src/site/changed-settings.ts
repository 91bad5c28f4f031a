/** The settings of a crawl that differ from their defaults. */
import { SETTINGS, type SiteConfig } from "./site-config.ts";

export const changedSettings = (values: Partial<SiteConfig>): (keyof SiteConfig)[] =>
  SETTINGS.filter(({ name, defaultValue }) => {
    const value = values[name];
    return value !== undefined && JSON.stringify(value) !== JSON.stringify(defaultValue);
  }).map(({ name }) => name);
