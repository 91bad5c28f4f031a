/** The settings that crawls of a domain start with, and what can be asked about settings before a crawl. */
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../kernel/clock.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import { withoutSecrets, withSecrets } from "../../site/secrets.ts";
import { SETTINGS, type SiteConfig } from "../../site/site-config.ts";
import type {
  ConfigInfo,
  ConfigUpdate,
  RobotsQuestion,
  RobotsVerdict,
  RulesQuestion,
  SeedConfig,
  TestedUrl,
} from "../operations/config.ts";
import { domainOf, normalizeUrl } from "../url-input.ts";
import { checkedSettings } from "./setting-checks.ts";

interface StoredConfig {
  settings: Record<string, unknown>;
  createdAt: number | null;
  updatedAt: number | null;
}

export interface ConfigsOptions {
  /** Opened when first needed: some questions about settings need no saved ones. */
  db: () => DatabaseSync;
  clock: Clock;
  permits?: FetchPermits;
}

export class Configs {
  readonly #options: ConfigsOptions;

  constructor(options: ConfigsOptions) {
    this.#options = options;
  }

  get(url: string): ConfigInfo {
    const domain = domainOf(normalizeUrl(url));
    const { settings, createdAt, updatedAt } = this.#stored(domain);
    const config = checkedSettings(settings);
    return {
      ...toSeedConfig(config),
      domain,
      settings: withoutSecrets(config),
      changed: changedSettings(config),
      createdAt,
      updatedAt,
    };
  }

  /** What is left out stays; null in `settings` means the default. */
  update({ url, settings = {}, ...seed }: ConfigUpdate): ConfigInfo {
    const domain = domainOf(normalizeUrl(url));
    const stored = this.#stored(domain).settings;
    const given = withSecrets({ ...fromSeedConfig(seed), ...settings }, stored);
    const merged = Object.fromEntries(
      Object.entries({ ...stored, ...given }).filter(([, value]) => value !== null && value !== undefined),
    );
    const config = checkedSettings(merged);
    // Only what differs is kept: a default that a later version betters is bettered here too.
    this.#store(domain, Object.fromEntries(changedSettings(config).map((name) => [name, config[name]])));
    return this.get(url);
  }

  /** Settings that were saved for the URL's domain, without the defaults. */
  saved(url: string): Record<string, unknown> {
    return this.#stored(domainOf(normalizeUrl(url))).settings;
  }

  /** The settings of a new crawl: defaults, then the domain's own, then what is given. */
  resolve(url: string, given: Partial<SiteConfig> = {}): SiteConfig {
    const saved = this.saved(url);
    return checkedSettings({ ...saved, ...withSecrets(given, saved) });
  }

  remove(domain: string): void {
    this.#options.db().prepare("DELETE FROM configs WHERE domain = ?").run(domain);
  }

  async testRules({ start, urls, settings, askRobots }: RulesQuestion): Promise<TestedUrl[]> {
    const { testRules } = await import("./rule-test.ts");
    const { clock, permits } = this.#options;
    return testRules({ start, urls, config: this.resolve(start, settings), askRobots, clock, permits });
  }

  async testRobots(question: RobotsQuestion): Promise<RobotsVerdict[]> {
    const { testRobots } = await import("./rule-test.ts");
    return testRobots(question);
  }

  #stored(domain: string): StoredConfig {
    const row = this.#options
      .db()
      .prepare("SELECT settings, created_at AS createdAt, updated_at AS updatedAt FROM configs WHERE domain = ?")
      .get(domain) as { settings: string; createdAt: number; updatedAt: number } | undefined;
    if (row === undefined) return { settings: {}, createdAt: null, updatedAt: null };
    const settings = JSON.parse(row.settings) as Record<string, unknown>;
    // A setting that this version does not know must not keep the domain from being crawled.
    const known = SETTINGS.filter(({ name }) => name in settings).map(({ name }) => [name, settings[name]]);
    return { ...row, settings: Object.fromEntries(known) };
  }

  #store(domain: string, settings: Record<string, unknown>): void {
    const now = this.#options.clock.now();
    this.#options
      .db()
      .prepare(
        `INSERT INTO configs VALUES (?, ?, ?, ?)
         ON CONFLICT (domain) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`,
      )
      .run(domain, JSON.stringify(settings), now, now);
  }
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
