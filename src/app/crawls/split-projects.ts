/**
 * The migration from projects by registrable domain, where github.io and all ports of a host were one, to projects by
 * the scope of their crawls. Nothing is deleted: a project that held several sites becomes several projects, and each
 * gets its settings. Secrets go only to the origins they were used for; docs/data.md says what that means.
 */
import type { DatabaseSync } from "node:sqlite";
import { getDomain } from "tldts";
import { joinSecrets, splitSecrets } from "../../site/credentials/secrets.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { originOf } from "../../web/url.ts";
import { normalizeUrl, projectHost, projectName } from "../url-input.ts";

type Settings = Partial<SiteConfig>;

interface OldProject {
  id: number;
  url: string;
  domain: string;
}

interface OldCrawl {
  id: number;
  start: string;
  settings: Settings;
  createdAt: number;
}

interface OldConfig {
  settings: Settings;
  createdAt: number;
  updatedAt: number;
}

export function splitProjects(db: DatabaseSync): void {
  const configs = readConfigs(db);
  const projects = db.prepare("SELECT id, url, domain FROM projects ORDER BY id").all() as unknown as OldProject[];
  for (const project of projects) {
    const crawls = readCrawls(db, project.id);
    splitProject(db, project, crawls);
    const config = configs.get(project.domain);
    if (config !== undefined) splitConfig(db, project.domain, config, crawls);
    configs.delete(project.domain);
  }
  for (const [domain, config] of configs) splitConfig(db, domain, config, []);
}

function readConfigs(db: DatabaseSync): Map<string, OldConfig> {
  const rows = db
    .prepare("SELECT domain, settings, created_at AS createdAt, updated_at AS updatedAt FROM configs")
    .all();
  return new Map(
    rows.map(({ domain, settings, ...times }) => [
      domain as string,
      { ...times, settings: JSON.parse(settings as string) } as unknown as OldConfig,
    ]),
  );
}

/** Oldest first. */
function readCrawls(db: DatabaseSync, projectId: number): OldCrawl[] {
  const rows = db
    .prepare(
      "SELECT id, start_urls AS startUrls, settings, created_at AS createdAt FROM crawls WHERE project_id = ? ORDER BY id",
    )
    .all(projectId) as unknown as { id: number; startUrls: string; settings: string; createdAt: number }[];
  return rows.map(({ startUrls, settings, ...crawl }) => ({
    ...crawl,
    start: (JSON.parse(startUrls) as string[])[0] ?? "",
    settings: JSON.parse(settings) as Settings,
  }));
}

/**
 * The project itself, with its schedule and icon, stays that of its own URL, because that is what its schedule crawls.
 */
function splitProject(db: DatabaseSync, { id, url }: OldProject, crawls: OldCrawl[]): void {
  const byName = Map.groupBy(crawls, ({ start, settings }) => projectName(start, settings));
  const own = crawls.find(({ start }) => projectHost(start) === projectHost(url)) ?? crawls.at(-1);
  const kept = own === undefined ? projectName(url, {}) : projectName(own.start, own.settings);
  const keptUrl = own === undefined || projectName(url, own.settings) === kept ? url : own.start;
  db.prepare("UPDATE projects SET domain = ?, url = ? WHERE id = ?").run(kept, keptUrl, id);
  byName.delete(kept);
  for (const [name, [first, ...more]] of byName) {
    const { lastInsertRowid } = db
      .prepare("INSERT INTO projects (url, domain, created_at, updated_at) VALUES (?, ?, ?, ?)")
      .run(first!.start, name, first!.createdAt, (more.at(-1) ?? first!).createdAt);
    const move = db.prepare("UPDATE crawls SET project_id = ? WHERE id = ?");
    for (const crawl of [first!, ...more]) move.run(lastInsertRowid, crawl.id);
  }
}

function splitConfig(db: DatabaseSync, domain: string, { settings, ...times }: OldConfig, crawls: OldCrawl[]): void {
  const { plain, secret } = splitSecrets(settings);
  const setPlain = db.prepare("INSERT OR REPLACE INTO configs VALUES (?, ?, ?, ?)");
  for (const name of new Set([domain, ...crawls.map(({ start }) => projectName(start, settings))])) {
    setPlain.run(name, JSON.stringify(plain), times.createdAt, times.updatedAt);
  }
  const granted = grantSecrets(domain, eachSecret(secret), crawls);
  const setSecret = db.prepare("INSERT OR REPLACE INTO secrets VALUES (?, ?, ?, ?)");
  for (const [origin, owned] of granted) setSecret.run(origin, JSON.stringify(owned), times.createdAt, times.updatedAt);
  for (const crawl of crawls) keepFromStrangers(db, crawl, granted);
}

/** `auth` and each header by itself: they may have been used for different origins. */
const eachSecret = ({ auth, headers = {} }: Settings): Settings[] => [
  ...(auth ? [{ auth }] : []),
  ...Object.entries(headers).map(([name, value]) => ({ headers: { [name]: value } })),
];

const uses = ({ settings }: OldCrawl, { auth, headers = {} }: Settings): boolean =>
  auth ? settings.auth === auth : Object.entries(headers).every(([name, value]) => settings.headers?.[name] === value);

/** Which origin gets which secrets. */
function grantSecrets(domain: string, secrets: Settings[], crawls: OldCrawl[]): Map<string, Settings> {
  const granted = new Map<string, Settings>();
  for (const secret of secrets) {
    const starts = crawls.filter((crawl) => uses(crawl, secret)).map(({ start }) => start);
    for (const origin of ownersOf(domain, starts, crawls)) {
      granted.set(origin, joinSecrets({ plain: granted.get(origin) ?? {}, secret }));
    }
  }
  return granted;
}

/**
 * The origins that a secret was used for, restricted to the site that used it first. Others under the same domain may
 * be strangers who got it by mistake. A secret that was used for https is not kept for http.
 */
function ownersOf(domain: string, usedFor: string[], crawls: OldCrawl[]): string[] {
  const all = new Set(crawls.map(({ start }) => originOf(start)));
  // It was never used. If there is only one origin, the secret can only be meant for that; otherwise the name it was
  // saved under decides.
  if (usedFor.length === 0) return all.size === 1 ? [...all] : [originOf(normalizeUrl(domain))];
  const site = siteOf(usedFor[0]!);
  const origins = new Set(usedFor.filter((start) => siteOf(start) === site).map(originOf));
  return [...origins].filter(
    (origin) => !origins.has(origin.replace(/^http:/, "https:")) || origin.startsWith("https:"),
  );
}

/** What one owner may hold: a domain below a public or private suffix, on one port. */
function siteOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}:${port}`;
}

/** A crawl that was started with an untrusted party's secrets must not send them again when it is resumed or repeated. */
function keepFromStrangers(db: DatabaseSync, crawl: OldCrawl, granted: Map<string, Settings>): void {
  const usedOf = (owned: Settings = {}) => eachSecret(owned).filter((secret) => uses(crawl, secret));
  const own = JSON.stringify(usedOf(granted.get(originOf(crawl.start))));
  const isForeign = (secret: Settings) => !own.includes(JSON.stringify(secret));
  const owners = [...granted].filter(([, owned]) => usedOf(owned).some(isForeign)).map(([origin]) => origin);
  if (owners.length === 0) return;
  const settings = { ...crawl.settings, credentialOrigins: owners };
  db.prepare("UPDATE crawls SET settings = ? WHERE id = ?").run(JSON.stringify(settings), crawl.id);
}
