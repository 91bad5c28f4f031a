/** What changes when the config is read again: which settings apply now, and which only after a restart. */
import type { ArchiveConfig } from "../config/archive-config.ts";

/** Settings that a running archive can apply. Connections, files and names are created once, at the start. */
const LIVE: ReadonlySet<string> = new Set([
  "scope.allowed_hosts",
  "scope.denied_subdomains",
  "scope.allow_patterns",
  "scope.deny_patterns",
  "scope.content_types",
  "limits.per_host_concurrency",
  "limits.req_per_sec",
  "limits.max_retries",
  "limits.backoff_base_ms",
  "limits.backoff_cap_ms",
  "limits.max_rest_sec",
  "storage.min_free_mb",
  "metrics.flush_interval_sec",
  "spool.rotate_every_mb",
  "spool.budget_gb",
]);

/** A profile may define caps under names of its own. */
const isLive = (setting: string): boolean => LIVE.has(setting) || setting.startsWith("caps.");

export interface Change {
  setting: string;
  before: unknown;
  after: unknown;
}

export interface Reloaded {
  /** The config that applies from now on. */
  config: ArchiveConfig;
  applied: Change[];
  /** These apply after a restart. */
  later: Change[];
}

export function compareConfigs(before: ArchiveConfig, after: ArchiveConfig): Reloaded {
  const [old, now] = [flatten(before), flatten(after)];
  const changes = Object.keys({ ...old, ...now })
    .map((setting) => ({ setting, before: old[setting], after: now[setting] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
  const applied = changes.filter(({ setting }) => isLive(setting));
  return {
    config: withChanges(before, applied),
    applied,
    later: changes.filter(({ setting }) => !isLive(setting)),
  };
}

function withChanges(before: ArchiveConfig, changes: Change[]): ArchiveConfig {
  const config = structuredClone(before) as unknown as Record<string, Record<string, unknown>>;
  for (const { setting, after } of changes) {
    const [section, key] = setting.split(".") as [string, string];
    config[section]![key] = after;
  }
  return config as unknown as ArchiveConfig;
}

function flatten(config: ArchiveConfig): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    if (typeof value !== "object" || value === null) flat[name] = value;
    else for (const [key, inner] of Object.entries(value)) flat[`${name}.${key}`] = inner;
  }
  return flat;
}
