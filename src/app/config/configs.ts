/**
 * The settings that crawls of a project start with, and checks of settings before a crawl. Saved secrets belong to one
 * origin, other settings to the project.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../kernel/clock.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import type { Lookup } from "../../net/http-types.ts";
import { badConfig } from "../../settings/problems.ts";
import { changedSettings } from "../../site/changed-settings.ts";
import {
  checkOrigins,
  joinSecrets,
  splitSecrets,
  usesSecrets,
  withoutSecrets,
  withSecrets,
} from "../../site/credentials/secrets.ts";
import { SETTINGS, type SiteConfig, type SiteOptions, withinCeilings } from "../../site/site-config.ts";
import { originOf } from "../../web/url.ts";
import { type Caller, OWNER } from "../caller.ts";
import { checkStartAddresses } from "../crawls/start-addresses.ts";
import type {
  ConfigInfo,
  ConfigUpdate,
  RobotsQuestion,
  RobotsVerdict,
  RulesQuestion,
  SeedConfig,
  SettingsCheck,
  TestedUrl,
} from "../operations/config.ts";
import { isoTimeOrNull } from "../operations/time.ts";
import type { Reading } from "../reading/reading.ts";
import { normalizeUrl, projectHost, projectName } from "../url-input.ts";
import { checkOwnerReach, checkOwnerSettings } from "./owner-settings.ts";
import { checkedSettings, listsOf, parsedSettings } from "./setting-checks.ts";

interface StoredConfig {
  settings: Record<string, unknown>;
  createdAt: number | null;
  updatedAt: number | null;
}

interface SavedRow {
  settings: Partial<SiteConfig>;
  createdAt: number;
  updatedAt: number;
}

export interface ConfigsOptions {
  /** Opened on first use: some calls do not need saved settings. */
  db: () => DatabaseSync;
  clock: Clock;
  permits?: FetchPermits;
  reading: Pick<Reading, "rules" | "robots" | "settings">;
  lookup?: Lookup;
}

export class Configs {
  readonly #options: ConfigsOptions;

  constructor(options: ConfigsOptions) {
    this.#options = options;
  }

  get(url: string): ConfigInfo {
    const { settings, createdAt, updatedAt } = this.#stored(url);
    // Patterns were compiled before they were saved.
    const config = parsedSettings(settings);
    return {
      ...toSeedConfig(config),
      domain: projectName(url, config),
      settings: withoutSecrets(config),
      changed: changedSettings(config),
      createdAt: isoTimeOrNull(createdAt),
      updatedAt: isoTimeOrNull(updatedAt),
    };
  }

  /** Omitted settings stay as they are; null in `settings` means the default. */
  update(update: ConfigUpdate, caller = OWNER, check = checkedSettings): ConfigInfo {
    const { url } = update;
    const { stored, merged } = this.#merged(update, caller);
    const config = check(merged);
    checkOrigins(config, stored, [normalizeUrl(url)]);
    // If includeSubdomains changed, they would be saved for other hosts.
    checkOwnerReach(config, projectName(url, stored), [url], caller);
    // Only differences are stored: if a later version improves a default, it applies here too.
    this.#store(url, Object.fromEntries(changedSettings(config).map((name) => [name, config[name]])));
    return this.get(url);
  }

  /** The same on a server, which must not block while many patterns are compiled. */
  async save(update: ConfigUpdate, caller = OWNER): Promise<ConfigInfo> {
    await this.requireUsable(parsedSettings(this.#merged(update, caller).merged));
    return this.update(update, caller, parsedSettings);
  }

  /** Settings that were saved for the URL's project and origin, without the defaults. */
  saved(url: string): Record<string, unknown> {
    return this.#stored(url).settings;
  }

  /** The settings of a new crawl: the defaults, then the saved settings, then those given. */
  resolve(url: string, given: Partial<SiteConfig> = {}, caller = OWNER, check = checkedSettings): SiteConfig {
    const saved = this.saved(url);
    const meant = withSecrets(given, saved);
    checkOwnerSettings(meant, saved, caller);
    const config = check({ ...saved, ...meant });
    checkOrigins(config, saved, [normalizeUrl(url)]);
    return config;
  }

  /**
   * The same for a list whose first URL this is: secrets saved for its origin are not meant for the list's other
   * origins.
   */
  resolveForList(
    firstUrl: string,
    given: Partial<SiteConfig> = {},
    caller = OWNER,
    check = checkedSettings,
  ): SiteConfig {
    const config = this.resolve(firstUrl, given, caller, check);
    if (config.credentialOrigins.length > 0 || !usesSecrets(config, this.saved(firstUrl))) return config;
    return { ...config, credentialOrigins: [originOf(normalizeUrl(firstUrl))] };
  }

  /** Everything that was saved for a project, including the secrets of all its origins. */
  remove(domain: string): void {
    const db = this.#options.db();
    const origins = db.prepare("SELECT origin FROM secrets").all() as unknown as { origin: string }[];
    const isOwn = ({ origin }: { origin: string }) =>
      projectName(origin, parsedSettings(this.saved(origin))) === domain || projectHost(origin) === domain;
    const remove = db.prepare("DELETE FROM secrets WHERE origin = ?");
    for (const { origin } of origins.filter(isOwn)) remove.run(origin);
    db.prepare("DELETE FROM configs WHERE domain = ?").run(domain);
  }

  async testRules({ start, urls, settings, askRobots }: RulesQuestion, caller = OWNER): Promise<TestedUrl[]> {
    const { testRules } = await import("./rule-test.ts");
    const { clock, permits, reading, lookup } = this.#options;
    const config = this.resolve(start, settings, caller, parsedSettings);
    const notes = askRobots ? await checkStartAddresses([normalizeUrl(start)], config, caller, lookup) : [];
    const net = { clock, permits, lookup, notes };
    return testRules({ start, urls, config, askRobots, decide: (task) => reading.rules(task), ...net });
  }

  /** Settings as given: the complete settings, or all problems. */
  check(settings: Record<string, unknown>): Promise<SettingsCheck> {
    return this.#options.reading.settings(settings);
  }

  /** Throws BAD_CONFIG for unusable settings, such as patterns. A server tries them in another process. */
  async requireUsable(config: SiteConfig): Promise<void> {
    const { problems } = await this.check(listsOf(config));
    if (problems.length > 0) throw badConfig(problems);
  }

  async testRobots(question: RobotsQuestion, caller = OWNER): Promise<RobotsVerdict[]> {
    const { reading, lookup } = this.#options;
    const reach = { allowPrivate: false, proxy: null };
    const isFetched = question.text === null;
    const notes = isFetched ? await checkStartAddresses(question.urls.map(normalizeUrl), reach, caller, lookup) : [];
    const { testRobots } = await import("./rule-test.ts");
    return testRobots({ question, decide: (task) => reading.robots(task), notes, lookup });
  }

  /** What was saved, and what it becomes with an update. */
  #merged({ url, settings = {}, ...seed }: ConfigUpdate, caller: Caller) {
    const stored = this.#stored(url).settings;
    const given = withSecrets({ ...fromSeedConfig(seed), ...settings }, stored);
    checkOwnerSettings(given, stored, caller);
    const all = Object.entries({ ...stored, ...given });
    return { stored, merged: Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined)) };
  }

  #stored(url: string): StoredConfig {
    const plain = this.#plain(url);
    const secret = this.#row("secrets", "origin", originOf(normalizeUrl(url)));
    const settings = joinSecrets({ plain: plain?.settings ?? {}, secret: secret?.settings ?? {} });
    // A setting that this version does not know must not keep the host from being crawled.
    const known = SETTINGS.filter(({ name }) => name in settings).map(({ name }) => [name, settings[name]]);
    return {
      settings: Object.fromEntries(known),
      createdAt: plain?.createdAt ?? null,
      updatedAt: plain?.updatedAt ?? null,
    };
  }

  /** The host's own settings, or those of its domain if their scope includes subdomains. */
  #plain(url: string): SavedRow | null {
    const own = this.#row("configs", "domain", projectHost(url));
    if (own !== null) return own;
    const shared = this.#row("configs", "domain", projectName(url, {}));
    return shared?.settings.includeSubdomains === false ? null : shared;
  }

  #row(table: string, key: string, value: string): SavedRow | null {
    const row = this.#options
      .db()
      .prepare(`SELECT settings, created_at AS createdAt, updated_at AS updatedAt FROM ${table} WHERE ${key} = ?`)
      .get(value);
    if (row === undefined) return null;
    return {
      ...row,
      settings: withinCeilings(JSON.parse(row["settings"] as string) as SiteOptions),
    } as unknown as SavedRow;
  }

  #store(url: string, settings: Partial<SiteConfig>): void {
    const { plain, secret } = splitSecrets(settings);
    const db = this.#options.db();
    db.exec("BEGIN IMMEDIATE");
    try {
      const [host, name] = [projectHost(url), projectName(url, plain)];
      if (name !== host) db.prepare("DELETE FROM configs WHERE domain = ?").run(host);
      this.#write(db, "configs", "domain", name, plain);
      this.#write(db, "secrets", "origin", originOf(normalizeUrl(url)), secret);
      db.exec("COMMIT");
    } catch (error) {
      // If the disk is full, SQLite has already rolled back.
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }

  #write(db: DatabaseSync, table: string, key: string, value: string, settings: Partial<SiteConfig>): void {
    const now = this.#options.clock.now();
    db.prepare(
      `INSERT INTO ${table} VALUES (?, ?, ?, ?)
       ON CONFLICT (${key}) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`,
    ).run(value, JSON.stringify(settings), now, now);
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

/** Translates the short names of the REST API into setting names; not validated yet. */
export const fromSeedConfig = (given: Partial<SeedConfig>): Record<string, unknown> =>
  Object.fromEntries(PAIRS.filter(([seed]) => given[seed] !== undefined).map(([seed, own]) => [own, given[seed]]));
