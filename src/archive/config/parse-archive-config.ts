/** Reads archive settings: reports all problems at once, then combines the settings with the profile. */
import { TrawlError } from "../../errors.ts";
import { parseSettings } from "../../settings/problems.ts";
import { safeRegex } from "../../web/filter.ts";
import { loadProfile, type Profile } from "../profile/profile.ts";
import { type ArchiveConfig, archiveConfigSchema } from "./archive-config.ts";

/** The config, with the profile's values where the config has none. */
export interface ArchiveSettings {
  readonly config: ArchiveConfig;
  readonly profile: Profile;
  readonly hosts: readonly string[];
  readonly deniedSubdomains: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly caps: Profile["caps"];
  readonly robotsAgent: string;
}

/** `resolve` makes the path of a profile absolute. */
export function parseArchiveConfig(written: unknown, resolve: (path: string) => string): ArchiveSettings {
  const config = parseSettings(archiveConfigSchema, written ?? {});
  return completeSettings(config, loadProfile(config.profile, resolve));
}

/** What a config means with its profile. Rejected when the two contradict each other. */
export function completeSettings(config: ArchiveConfig, profile: Profile): ArchiveSettings {
  const { scope, caps } = config;
  const settings: ArchiveSettings = {
    config,
    profile,
    hosts: (scope.allowed_hosts ?? profile.hosts).map((host) => host.toLowerCase()),
    deniedSubdomains: (scope.denied_subdomains ?? profile.denied_subdomains).map((host) => host.toLowerCase()),
    allow: scope.allow_patterns ?? profile.allow_patterns,
    deny: scope.deny_patterns ?? profile.deny_patterns,
    caps: {
      per_repo_max_pages: caps.per_repo_max_pages ?? profile.caps.per_repo_max_pages,
      per_repo_max_issues: caps.per_repo_max_issues ?? profile.caps.per_repo_max_issues,
      per_repo_max_prs: caps.per_repo_max_prs ?? profile.caps.per_repo_max_prs,
      max_depth: caps.max_depth ?? profile.caps.max_depth,
    },
    robotsAgent: config.robots.user_agent ?? config.user_agent,
  };
  const problems = [...foreignHosts(settings), ...badPatterns(settings), ...missingProxies(config)];
  if (problems.length > 0) refuse(problems);
  return settings;
}

function refuse(problems: string[]): never {
  throw new TrawlError("BAD_CONFIG", problems.join("\n"));
}

function foreignHosts({ profile, hosts }: ArchiveSettings): string[] {
  if (!profile.hosts_fixed) return [];
  return hosts
    .filter((host) => !profile.hosts.includes(host))
    .map(
      (host) =>
        `scope.allowed_hosts: the profile ${profile.name} is for ${profile.hosts.join(", ")} only, not for ${host}`,
    );
}

function badPatterns({ allow, deny, profile }: ArchiveSettings): string[] {
  const named = [
    ...allow.map((pattern) => ["scope.allow_patterns", pattern] as const),
    ...deny.map((pattern) => ["scope.deny_patterns", pattern] as const),
    ...profile.page_types.map((type) => [`page type ${type.name}`, type.pattern] as const),
  ];
  return named.flatMap(([where, pattern]) => {
    try {
      safeRegex(pattern, "");
      return [];
    } catch (error) {
      return [`${where}: ${(error as Error).message}`];
    }
  });
}

const missingProxies = ({ proxies }: ArchiveConfig): string[] =>
  proxies.enabled && proxies.pool.length === 0 ? ["proxies.pool: proxies are enabled, but none is listed"] : [];

/** With permissions as people write them. */
export type EffectiveConfig = Omit<ArchiveConfig, "storage"> & {
  storage: Omit<ArchiveConfig["storage"], "html_permissions"> & { html_permissions: string };
};

/** The settings that a run uses: the config's, or the profile's where the config has none. */
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

/** The settings of a file that only names the user agent, which has no default. */
export function defaultConfig(profile: Profile, userAgent: string): EffectiveConfig {
  const config = archiveConfigSchema.parse({ user_agent: userAgent });
  return effectiveConfig(completeSettings(config, profile));
}
