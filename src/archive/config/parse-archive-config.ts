/** Reads archive settings: all problems at once, and then what the settings mean together with the profile. */
import { TrawlError } from "../../errors.ts";
import { parseSettings } from "../../settings/problems.ts";
import { safeRegex } from "../../web/regex.ts";
import { loadProfile } from "../profile/load-profile.ts";
import type { Profile } from "../profile/profile.ts";
import { type ArchiveConfig, archiveConfigSchema } from "./archive-config.ts";

/** The config together with what the profile says where the config is silent. */
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

/** What a config means with its profile; refused when the two do not go together. */
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
  proxies.enabled && proxies.pool.length === 0 ? ["proxies.pool: proxies are enabled, and none is named"] : [];
