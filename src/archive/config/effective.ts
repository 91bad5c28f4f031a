/** Settings as a run uses them: where the config is silent, what the profile says. */
import type { Profile } from "../profile/profile.ts";
import { type ArchiveConfig, archiveConfigSchema } from "./archive-config.ts";
import { type ArchiveSettings, completeSettings } from "./parse-archive-config.ts";

/** Permissions as people write them. */
export type EffectiveConfig = Omit<ArchiveConfig, "storage"> & {
  storage: Omit<ArchiveConfig["storage"], "html_permissions"> & { html_permissions: string };
};

export function effectiveConfig({ config, ...settings }: ArchiveSettings): EffectiveConfig {
  return {
    ...config,
    robots: { ...config.robots, user_agent: settings.robotsAgent },
    scope: {
      ...config.scope,
      allowed_hosts: [...settings.hosts],
      denied_subdomains: [...settings.deniedSubdomains],
      allow_patterns: [...settings.allow],
      deny_patterns: [...settings.deny],
    },
    caps: settings.caps,
    storage: { ...config.storage, html_permissions: `0o${config.storage.html_permissions.toString(8)}` },
  };
}

/** What a file that names only the user agent would mean; there is no default for that one. */
export function defaultConfig(profile: Profile, userAgent: string): EffectiveConfig {
  const config = archiveConfigSchema.parse({ user_agent: userAgent });
  return effectiveConfig(completeSettings(config, profile));
}
