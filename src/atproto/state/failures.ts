/** What failed in an archive, repo by repo and host by host, from its state file; and choosing some to try again. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import type { LaneState } from "../../kernel/lane.ts";
import { hasTable } from "../../kernel/sqlite/schema.ts";
import { lockFile } from "../../storage/file-lock.ts";
import { STATE_FILE } from "../folder-files.ts";
import { HostTiers } from "../host-tiers.ts";

export interface FailureFilter {
  class?: string | undefined;
  /** The address of a host, or a part of it. */
  host?: string | undefined;
  /** Failed at this time or later, in Unix ms. */
  since?: number | undefined;
}

export interface FailedRepo {
  did: string;
  /** Null when no host was asked. */
  host: string | null;
  class: string;
  detail: string | null;
  /** Unix ms. */
  failedAt: number;
  /** When this host may be asked again; 0 for the next crawl. */
  retryAt: number;
}

export interface HostReport {
  host: string;
  /** Requests so far, in all crawls. */
  requests: number;
  /** Share of its full rate. */
  pace: number;
  failuresInARow: number;
  /** As it was assigned; null when its size decides. */
  tier: string | null;
  /** Unix ms; null when it is not left alone. */
  blockedUntil: number | null;
  /** What it said, or did, when it was last in trouble. */
  why: string | null;
  /** Repos that failed there, by class. */
  failed: Record<string, number>;
}

/** A folder in which nothing was crawled has no failures, which must not read as if nothing had failed. */
export function requireState(folder: string): void {
  if (existsSync(join(folder, STATE_FILE))) return;
  throw new TrawlError("NO_SEGMENTS", `${folder} has no state of a crawl.`);
}

/** Works while a crawl runs. */
export function* failedRepos(folder: string, filter: FailureFilter, limit: number): Generator<FailedRepo> {
  using db = openToRead(folder);
  if (db === null) return;
  const { where, values } = condition(filter);
  const rows = db.prepare(`SELECT * FROM failures WHERE ${where} ORDER BY failed_at DESC, did LIMIT ?`);
  for (const row of rows.iterate(...values, limit)) {
    yield {
      did: row["did"] as string,
      host: (row["host"] as string) || null,
      class: row["class"] as string,
      detail: row["detail"] as string | null,
      failedAt: row["failed_at"] as number,
      retryAt: row["retry_at"] as number,
    };
  }
}

export function countFailures(folder: string, filter: FailureFilter): number {
  using db = openToRead(folder);
  if (db === null) return 0;
  const { where, values } = condition(filter);
  return db.prepare(`SELECT count(*) AS many FROM failures WHERE ${where}`).get(...values)!["many"] as number;
}

/** Servers with the most failed repos first. */
export function hostReports(folder: string, filter: FailureFilter = {}): HostReport[] {
  using db = openToRead(folder);
  if (db === null) return [];
  const hosts = new Map<string, HostReport>();
  const of = (host: string): HostReport => {
    const found = hosts.get(host) ?? emptyReport(host);
    hosts.set(host, found);
    return found;
  };
  if (filter.class === undefined && filter.since === undefined) {
    for (const { key, state } of db.prepare("SELECT key, state FROM lanes").all() as { key: string; state: string }[]) {
      if (filter.host === undefined || key.includes(filter.host)) describe(of(key), JSON.parse(state) as LaneState);
    }
  }
  const { where, values } = condition(filter);
  const counts = db.prepare(`SELECT host, class, count(*) AS many FROM failures WHERE ${where} GROUP BY host, class`);
  for (const row of counts.all(...values))
    of(row["host"] as string).failed[row["class"] as string] = row["many"] as number;
  hosts.delete("");
  const tiers = new HostTiers(folder);
  for (const report of hosts.values()) report.tier = tiers.of(report.host);
  return [...hosts.values()].sort((a, b) => sum(b.failed) - sum(a.failed) || (a.host < b.host ? -1 : 1));
}

/** The next crawl asks for them again, whatever their schedule says. Refuses while a crawl runs. Returns how many. */
export function retryFailures(folder: string, filter: FailureFilter): number {
  const path = join(folder, STATE_FILE);
  if (!existsSync(path)) return 0;
  const lock = lockFile(`${path}.lock`, 250);
  if (lock === null) throw new TrawlError("STATE_BUSY", `Another process is crawling with ${path}.`);
  try {
    using db = new DatabaseSync(path);
    if (!hasTable(db, "failures")) return 0;
    const { where, values } = condition(filter);
    db.exec("BEGIN IMMEDIATE");
    db.prepare(
      `UPDATE dids SET final = 0 WHERE failure IS NOT NULL AND did IN (SELECT did FROM failures WHERE ${where})`,
    ).run(...values);
    const { changes } = db.prepare(`UPDATE failures SET retry_at = 0 WHERE ${where}`).run(...values);
    db.exec("COMMIT");
    return Number(changes);
  } finally {
    lock.release();
  }
}

function openToRead(folder: string): DatabaseSync | null {
  const path = join(folder, STATE_FILE);
  if (!existsSync(path)) return null;
  const db = new DatabaseSync(path, { readOnly: true });
  db.exec("PRAGMA busy_timeout = 5000");
  if (hasTable(db, "failures")) return db;
  db.close();
  return null;
}

function condition({ class: name, host, since }: FailureFilter): { where: string; values: (string | number)[] } {
  const parts: [string, string | number][] = [];
  if (name !== undefined) parts.push(["class = ?", name]);
  if (host !== undefined) parts.push(["instr(host, ?) > 0", host]);
  if (since !== undefined) parts.push(["failed_at >= ?", Math.floor(since)]);
  return {
    where: parts.length === 0 ? "1" : parts.map(([text]) => text).join(" AND "),
    values: parts.map(([, value]) => value),
  };
}

const emptyReport = (host: string): HostReport => ({
  host,
  requests: 0,
  pace: 1,
  failuresInARow: 0,
  tier: null,
  blockedUntil: null,
  why: null,
  failed: {},
});

function describe(report: HostReport, { spent, pace, streak, blocks, blockedUntil, why }: LaneState): void {
  report.requests = spent;
  report.pace = pace;
  report.failuresInARow = streak;
  report.blockedUntil = blocks > 0 ? blockedUntil : null;
  report.why = why ?? null;
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, many) => total + many, 0);
