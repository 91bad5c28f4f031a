/** Settings in lines: as YAML, and without the secrets among them. */
import { SETTINGS, type SiteConfig } from "../../../site/config.ts";

/** One setting as YAML. JSON is YAML, and needs no rules about quotes. */
export const settingLine = (name: string, value: unknown): string =>
  `${name}: ${JSON.stringify(value).replaceAll('","', '", "')}`;

/** The settings that are not at their default. */
export const changedSettings = (values: Partial<SiteConfig>): (keyof SiteConfig)[] =>
  SETTINGS.filter(({ name, defaultValue }) => {
    const value = values[name];
    return value !== undefined && JSON.stringify(value) !== JSON.stringify(defaultValue);
  }).map(({ name }) => name);

const HIDDEN = "…";

/** Passwords do not belong on a screen that somebody may share, nor in a script's log. */
export function withoutSecrets(values: Partial<SiteConfig>): Partial<SiteConfig> {
  const { auth, headers, proxy } = values;
  const shown = { ...values };
  if (auth) shown.auth = HIDDEN;
  if (headers) shown.headers = Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
  if (proxy) shown.proxy = proxy.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  return shown;
}
