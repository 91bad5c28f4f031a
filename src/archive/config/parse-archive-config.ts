/** Reads archive settings: reports all problems at once, then combines the settings with the profile. */
import { TrawlError } from "../../errors.ts";
import { didYouMean } from "../../settings/did-you-mean.ts";
import { parseSettings } from "../../settings/problems.ts";
import { hostMatcher, normalHost } from "../policy/hosts.ts";
import { loadProfile, patternProblems } from "../profile/load-profile.ts";
import { type Caps, capName, forHosts, type Profile } from "../profile/profile.ts";
import { type ArchiveConfig, archiveConfigSchema } from "./archive-config.ts";

/** The config, filled in with the profile's values. */
export interface ArchiveSettings {
  readonly config: ArchiveConfig;
  readonly profile: Profile;
  readonly hosts: readonly string[];
  readonly deniedSubdomains: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly caps: Caps;
  /** Pages to read before archiving the hosts. */
  readonly links: Profile["links"];
  readonly robotsAgent: string;
}

/** `resolve` makes the path of a profile absolute. */
export function parseArchiveConfig(written: unknown, resolve: (path: string) => string): ArchiveSettings {
  const config = parseSettings(archiveConfigSchema, written ?? {});
  return completeSettings(config, loadProfile(config.profile, resolve));
}

/** What a config means together with its profile. Rejected when the two contradict each other. */
export function completeSettings(config: ArchiveConfig, profile: Profile): ArchiveSettings {
  const settings = combine(config, profile);
  const problems = [
    ...badHosts(settings),
    ...unknownCaps(settings),
    ...badPatterns(settings),
    ...missingProxies(config),
  ];
  if (problems.length > 0) throw new TrawlError("BAD_CONFIG", problems.join("\n"));
  return settings;
}

function combine(config: ArchiveConfig, profile: Profile): ArchiveSettings {
  const { scope, caps } = config;
  const hosts = (scope.allowed_hosts ?? profile.hosts).map(normalHost);
  return {
    config,
    profile,
    hosts,
    deniedSubdomains: (scope.denied_subdomains ?? profile.denied_subdomains).map((host) => host.toLowerCase()),
    allow: scope.allow_patterns ?? profile.allow_patterns,
    deny: scope.deny_patterns ?? profile.deny_patterns,
    caps: Object.fromEntries(Object.entries(profile.caps).map(([key, usual]) => [key, caps[key] ?? usual])) as Caps,
    links: profile.links.flatMap(({ name, url }) => forHosts(url, hosts).map((one) => ({ name, url: one }))),
    robotsAgent: config.robots.user_agent ?? config.user_agent,
  };
}

function badHosts({ profile, hosts }: ArchiveSettings): string[] {
  if (hosts.length === 0) {
    return [
      `scope.allowed_hosts: the profile ${profile.name} is for any site; list the hosts to archive, such as example.com`,
    ];
  }
  if (!profile.hosts_fixed) return [];
  const isOwn = hostMatcher(profile.hosts);
  return hosts
    .filter((host) => !isOwn(host) && !profile.hosts.includes(host))
    .map(
      (host) =>
        `scope.allowed_hosts: the profile ${profile.name} is for ${profile.hosts.join(", ")} only, not for ${host}`,
    );
}

/** The caps that every config has, null unless set. */
const USUAL_CAPS = Object.keys(archiveConfigSchema.shape.caps.unwrap().shape);

/** A cap that the profile does not have would limit nothing. */
function unknownCaps({ config, profile }: ArchiveSettings): string[] {
  const known = Object.keys(profile.caps);
  return Object.entries(config.caps)
    .filter(([key, value]) => !known.includes(key) && (value !== null || !USUAL_CAPS.includes(key)))
    .map(([key]) => {
      const choice =
        capName(key) === null ? didYouMean(key, known) : `; the profile ${profile.name} has ${known.join(", ")}`;
      return `caps.${key}: there is no such setting${choice}`;
    });
}

function badPatterns({ config: { scope, requisites } }: ArchiveSettings): string[] {
  const named = [
    ...(scope.allow_patterns ?? []).map((pattern) => ["scope.allow_patterns", pattern] as const),
    ...(scope.deny_patterns ?? []).map((pattern) => ["scope.deny_patterns", pattern] as const),
    ...requisites.deny_patterns.map((pattern) => ["requisites.deny_patterns", pattern] as const),
  ];
  return named.flatMap(([where, pattern]) =>
    patternProblems(where, pattern).map(({ setting, message }) => `${setting}: ${message}`),
  );
}

const missingProxies = ({ proxies }: ArchiveConfig): string[] =>
  proxies.enabled && proxies.pool.length === 0 ? ["proxies.pool: proxies are enabled, but none is listed"] : [];

/** With permissions as people write them. */
export type EffectiveConfig = Omit<ArchiveConfig, "storage" | "caps"> & {
  caps: Caps;
  storage: Omit<ArchiveConfig["storage"], "html_permissions"> & { html_permissions: string };
};

/** The settings that a run uses: the config's own, filled in from the profile. */
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
  return effectiveConfig(combine(config, profile));
}
