/** Repeating a crawl: its request, shown without its secrets, and a new request with some changes. */
import { TrawlError } from "../../errors.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import { checkOrigins, usesSecrets, withoutSecrets, withSecrets } from "../../site/credentials/secrets.ts";
import { parseConfig, type SiteConfig } from "../../site/site-config.ts";
import { originOf } from "../../web/url.ts";
import { type Caller, OWNER } from "../caller.ts";
import { checkOwnerSettings } from "../config/owner-settings.ts";
import { parsedSettings } from "../config/setting-checks.ts";
import type { LastRequest } from "../operations/crawling.ts";
import type { CrawlRecord } from "./registry.ts";

/** The request that made a crawl. Its settings can be sent back as they are, because hidden secrets are known here. */
export function requestOf(record: CrawlRecord): LastRequest {
  const settings = withoutSecrets(parseConfig(record.settings));
  const changed = changedSettings(settings);
  return {
    again: record.id,
    mode: record.mode,
    url: record.startUrls[0] ?? "",
    startUrls: record.startUrls,
    settings: Object.fromEntries(changed.map((name) => [name, settings[name]])),
  };
}

/**
 * The settings of a crawl that repeats another; patterns are not tried yet. If it goes to other origins, the first
 * crawl's secrets are left out: they belong to the origins that the first crawl sent them to.
 */
export function repeatedSettings(
  { settings, startUrls }: CrawlRecord,
  url: string,
  given: Partial<SiteConfig> = {},
  caller: Caller = OWNER,
): SiteConfig {
  const before = parseConfig(settings);
  const meant = withSecrets(given, before);
  checkOwnerSettings(meant, before, caller);
  const config = parsedSettings({ ...before, ...meant });
  checkOrigins(config, before, startUrls);
  const isElsewhere = !startUrls.some((start) => originOf(start) === originOf(url));
  if (!isElsewhere || config.credentialOrigins.length > 0 || !usesSecrets(config, before)) return config;
  return { ...config, credentialOrigins: startUrls.map(originOf) };
}

/** The newest crawl of a project, whatever its state. */
export function newest(crawls: CrawlRecord[], projectId: number): CrawlRecord {
  const [record] = crawls;
  if (record === undefined) throw new TrawlError("CRAWL_NOT_FOUND", `Project ${projectId} has no crawl yet.`);
  return record;
}
