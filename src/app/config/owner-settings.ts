/**
 * Settings that only the owner of this machine may set, as marked in the settings table. Others can start crawls of the
 * owner's project with the settings that the owner saved, but can neither change these settings nor use them elsewhere.
 */
import { isDeepStrictEqual } from "node:util";
import { TrawlError } from "../../errors.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import { SETTINGS, type SiteConfig } from "../../site/site-config.ts";
import type { Caller } from "../caller.ts";
import { projectName } from "../url-input.ts";

const OWNER_SETTINGS = SETTINGS.filter(({ ownerOnly }) => ownerOnly !== undefined);

/**
 * Refuses changes to these settings. A value that is sent back unchanged is accepted, because some clients send all
 * settings.
 */
export function checkOwnerSettings(
  given: Record<string, unknown>,
  inEffect: Partial<SiteConfig>,
  { isOwner }: Caller,
): void {
  if (isOwner) return;
  const refused = OWNER_SETTINGS.filter(({ name, defaultValue }) => {
    const value = given[name];
    return value !== undefined && !isDeepStrictEqual(value ?? defaultValue, inEffect[name] ?? defaultValue);
  });
  if (refused.length === 0) return;
  throw new TrawlError(
    "OWNER_ONLY",
    refused
      .map(({ name, ownerOnly }) => `${name}: only the owner of this machine may change it, because ${ownerOnly}.`)
      .join("\n"),
  );
}

/** Refuses to use these settings for a URL outside the project that they were set for. */
export function checkOwnerReach(
  config: SiteConfig,
  domain: string,
  urls: readonly string[],
  { isOwner }: Caller,
): void {
  if (isOwner) return;
  const names = ownerChanges(config);
  const outside = names.length === 0 ? undefined : urls.find((url) => projectName(url, config) !== domain);
  if (outside === undefined) return;
  throw new TrawlError(
    "OWNER_ONLY",
    `${names.join(", ")}: the owner of this machine set this for ${domain}, and it cannot be used for ${outside}.`,
  );
}

/** Those that differ from their default. */
export function ownerChanges(settings: Partial<SiteConfig>): string[] {
  const changed = changedSettings(settings);
  return OWNER_SETTINGS.map(({ name }) => name).filter((name) => changed.includes(name));
}
