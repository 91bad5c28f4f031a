/** The seed's names for settings, and ours: the one table between them. */
import type { SiteConfig } from "../site/site-config.ts";

export interface SeedConfig {
  jsRenderingEnabled: boolean;
  parallelism: number;
  userAgent: string;
  includeSubdomains: boolean;
  singlePageMode: boolean;
  discoveryMechanisms: string[];
  sitemapURLs: string[];
  checkExternalResources: boolean;
}

const NAMES = {
  jsRenderingEnabled: "render",
  parallelism: "parallelism",
  userAgent: "userAgent",
  includeSubdomains: "includeSubdomains",
  singlePageMode: "singlePage",
  discoveryMechanisms: "discovery",
  sitemapURLs: "sitemapUrls",
  checkExternalResources: "checkExternalResources",
} as const satisfies Record<keyof SeedConfig, keyof SiteConfig>;

const PAIRS = Object.entries(NAMES) as [keyof SeedConfig, keyof SiteConfig][];

export const toSeedConfig = (config: SiteConfig): SeedConfig =>
  Object.fromEntries(PAIRS.map(([seed, own]) => [seed, config[own]])) as unknown as SeedConfig;

/** What is given under the seed's names, under ours; not checked yet. */
export const fromSeedConfig = (given: Partial<SeedConfig>): Record<string, unknown> =>
  Object.fromEntries(PAIRS.filter(([seed]) => given[seed] !== undefined).map(([seed, own]) => [own, given[seed]]));
