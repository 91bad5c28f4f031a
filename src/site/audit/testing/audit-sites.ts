/** Crawls the sites of many fixtures at once, each on a host of its own over TLS, and audits the crawl. */
import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { type Certificate, makeCertificate } from "../../../net/testing/certificate.ts";
import { serveHttp, serveHttps } from "../../../net/testing/servers.ts";
import type { SiteConfig } from "../../site-config.ts";
import { parseConfig } from "../../site-config.ts";
import { SiteCrawl } from "../../site-crawl.ts";
import { seedSources } from "../../site-seeds.ts";
import { sqliteSiteStore } from "../../store/site-store.ts";
import { DEFAULT_AUDIT } from "../audit-settings.ts";
import { runAudit } from "../run-audit.ts";
import type { PreviousCrawl } from "../since-last.ts";
import { type Answer, type AnswerParts, answersOf, type Site } from "./fixture.ts";
import { page } from "./healthy-page.ts";

export interface AuditedSite {
  /** The name of its host, before `.audit.test`. */
  name: string;
  site: Site;
  /** The path whose facts are set. */
  at: string;
  facts?: Record<string, string | number | null>;
  rendered?: Record<string, string | number | null>;
  field?: Record<string, string | number | null>;
  /** A statement for what neither of these can express, with the id of the URL. */
  sql?: string;
  earlier?: string;
}

export interface Finding {
  rule: string;
  url: string;
  evidence: string | null;
}

export const originOf = (name: string): string => `https://${name}.audit.test`;
export const outsideOf = (name: string): string => `https://out--${name}.audit.test`;

/** The headers that a good server sends with every page. */
const HEADERS: Record<string, string> = {
  "strict-transport-security": "max-age=31536000",
  "content-security-policy": "default-src 'self'; frame-ancestors 'self'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cache-control": "max-age=3600",
};

/** The files that every site has, unless its fixture says otherwise. */
const COMMON: Record<string, Answer> = {
  "/about": page({
    name: "about {origin}",
    title: "About the shop of quiet mornings {path}",
    links: false,
    body: '<p><a href="/">All about quiet mornings</a></p>',
  }),
  "/icon.png": { type: "image/png", body: "icon" },
  "/card.png": { type: "image/png", body: "card" },
  "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow:\n" },
  "/llms.txt": { type: "text/markdown", body: "# Shop\n\n## Pages\n\n- [Start]({origin}/)\n" },
};

/** One for all crawls, because making it takes longer than most of them. */
let certificate: Promise<Certificate> | null = null;

/** Audits all of them in one crawl; returns what was found. */
export async function auditSites(
  t: TestContext,
  folder: string,
  sites: readonly AuditedSite[],
  settings: Partial<SiteConfig> = {},
): Promise<Finding[]> {
  const answers = new Map<string, Answer>();
  for (const { name, site } of sites) {
    for (const [path, answer] of Object.entries({ ...COMMON, ...answersOf(site) })) {
      const [, where, rest] = /^(out|http)?(\/.*)$/.exec(path)!;
      const host = where === "out" ? `out--${name}` : name;
      answers.set(`${where === "http" ? "http" : "https"}://${host}.audit.test${rest}`, answer);
    }
  }
  certificate ??= makeCertificate("*.audit.test");
  const identity = await certificate;
  const respond = (scheme: string) => (request: IncomingMessage, response: ServerResponse) => {
    const url = `${scheme}://${request.headers.host}${request.url}`;
    send(
      answers.get(url) ?? { status: 404, type: "text/plain", body: `nothing at ${request.url}` },
      url,
      request,
      response,
    );
  };
  const secure = await serveHttps(t, identity, respond("https"));
  const open = await serveHttp(t, respond("http"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, identity.ca);
  const hosts = sites.flatMap(({ name }) => [`${name}.audit.test`, `out--${name}.audit.test`]);
  const startUrls = sites.map(({ name }) => `${originOf(name)}/`);
  const database = join(folder, "crawl.db");
  const config = parseConfig({
    ...{ includeSubdomains: false, checkExternalLinks: true, followInternalNofollow: true, rate: 1_000, retries: 0 },
    discovery: ["spider", "sitemap", "llms"],
    ...{ parallelism: 50, ca, stopTraps: false },
    connectTo: hosts.flatMap((host) => [`${host}:443:127.0.0.1:${secure.port}`, `${host}:80:127.0.0.1:${open.port}`]),
    ...settings,
  });
  async function* batches() {
    yield startUrls;
  }
  const crawl = await SiteCrawl.start({
    store: () => sqliteSiteStore(database),
    config,
    startUrls,
    sources: seedSources({ via: "initial", batches: batches() }),
    lookup: async () => {
      throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
    },
  });
  const { state, error } = await crawl.ended;
  if (state !== "completed") throw error;
  setFacts(database, sites);
  const previous = sites.some(({ earlier }) => earlier !== undefined) ? earlierCrawl(folder, database, sites) : null;
  runAudit(database, { settings: DEFAULT_AUDIT, now: 0, previous });
  return findingsIn(database);
}

function send(answer: Answer, url: string, request: IncomingMessage, response: ServerResponse): void {
  const parts: AnswerParts = typeof answer === "string" ? { body: answer } : answer;
  if (parts.cut) {
    response.destroy();
    return;
  }
  const { status = 200, type = status === 200 ? "text/html; charset=utf-8" : "text/plain", plain } = parts;
  const headers: [string, string][] = Object.entries({ ...HEADERS, ...parts.headers }).flatMap(([name, value]) =>
    value === null ? [] : [[name, filled(value, url)]],
  );
  if (type !== null) headers.push(["content-type", type]);
  const body = typeof parts.body === "string" ? Buffer.from(filled(parts.body, url)) : (parts.body ?? Buffer.alloc(0));
  const isPacked = !plain && /^text|xml|javascript/.test(type ?? "") && body.length > 0;
  if (isPacked) headers.push(["content-encoding", "gzip"]);
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(status).end(request.method === "HEAD" ? undefined : isPacked ? gzipSync(body) : body);
}

/** `{path}` is the address in a few letters. */
function filled(text: string, url: string): string {
  const { origin, host, pathname } = new URL(url);
  const name = host.replace(/^out--/, "").replace(/\.audit\.test.*$/, "");
  return text
    .replaceAll("{origin}", origin)
    .replaceAll("{url}", url)
    .replaceAll("{path}", `${hash("sha1", url).slice(0, 8)}${pathname}`.slice(0, 20))
    .replaceAll("{http}", `http://${host}`)
    .replaceAll("{out}", outsideOf(name))
    .replaceAll("{gone}", `https://gone--${name}.audit.test`);
}

/** Facts that a small site cannot have. */
function setFacts(database: string, sites: readonly AuditedSite[]): void {
  const db = new DatabaseSync(database);
  try {
    for (const { name, at, facts = {}, rendered, field, sql } of sites) {
      if (Object.keys(facts).length === 0 && rendered === undefined && field === undefined) continue;
      const id = db.prepare("SELECT id FROM urls WHERE url = ?").get(`${originOf(name)}${at}`)!["id"]!;
      if (sql !== undefined) db.prepare(sql).run(id);
      for (const [column, value] of Object.entries(facts)) {
        db.prepare(`UPDATE pages SET ${column} = ? WHERE id = ?`).run(value, id);
      }
      for (const [table, row] of Object.entries({ rendered, field_data: field })) {
        if (row === undefined) continue;
        const columns = Object.keys(row);
        db.prepare(
          `INSERT INTO ${table} (id, ${columns.join(", ")}) VALUES (?, ${columns.map(() => "?").join(", ")})`,
        ).run(id, ...Object.values(row));
      }
    }
  } finally {
    db.close();
  }
}

/** A crawl before this one that knew the same, except for what fixtures change. */
function earlierCrawl(folder: string, database: string, sites: readonly AuditedSite[]): PreviousCrawl {
  const path = join(folder, "earlier.db");
  const now = new DatabaseSync(database);
  now.prepare("VACUUM INTO ?").run(path);
  now.close();
  runAudit(path, { settings: DEFAULT_AUDIT, now: 0, previous: null });
  const db = new DatabaseSync(path);
  for (const { name, at, earlier } of sites) {
    if (earlier !== undefined) {
      const { id } = db.prepare("SELECT id FROM urls WHERE url = ?").get(`${originOf(name)}${at}`) as { id: number };
      db.prepare(earlier).run(id);
    }
  }
  db.close();
  return { id: 1, path };
}

function findingsIn(database: string): Finding[] {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return db
      .prepare(
        `SELECT r.rule AS rule, u.url AS url, f.evidence AS evidence FROM findings f JOIN audit_rules r ON r.number = f.rule
         JOIN urls u ON u.id = f.id ORDER BY r.number, u.url`,
      )
      .all() as unknown as Finding[];
  } finally {
    db.close();
  }
}
