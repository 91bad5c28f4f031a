/** Helpers for tests of archives: a workspace in a temporary folder, an archive of the code host, and its results. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { stringify } from "yaml";
import { ArchiveCrawl, type ArchiveCrawlOptions } from "../../src/archive/archive-crawl.ts";
import type { LedgerPaths } from "../../src/archive/ledger/ledger-files.ts";
import { writeSeal } from "../../src/archive/ledger/seal.ts";
import type { MetadataRecord } from "../../src/archive/store/metadata-record.ts";
import { configureWorkspace, openWorkspace, type Workspace } from "../../src/archive/workspace.ts";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { type Certificate, makeCertificate } from "../../src/net/testing/certificate.ts";
import { type CodeHost, type CodeHostOptions, codeHost } from "../servers/code-host.ts";

let certificate: Promise<Certificate> | null = null;
after(() => {
  certificate = null;
});

/** The host, closed with the test. */
export async function startHost(t: TestContext, options: Omit<CodeHostOptions, "certificate"> = {}): Promise<CodeHost> {
  certificate ??= makeCertificate("github.com");
  const host = await codeHost({ certificate: await certificate, ...options });
  t.after(() => host.close());
  return host;
}

export const AGENT = "trawl-test/1.0 (+https://example.com/contact)";

/** Fast, and without caps, so that unrelated settings do not get in the way of a test. */
const QUICK = {
  user_agent: AGENT,
  limits: {
    req_per_sec: 10_000,
    global_concurrency: 8,
    per_host_concurrency: 8,
    backoff_base_ms: 1,
    backoff_cap_ms: 5,
  },
  caps: { per_repo_max_pages: 0, per_repo_max_issues: 0, per_repo_max_prs: 0, max_depth: 0 },
  storage: { min_free_mb: 0 },
};

type Settings = Record<string, Record<string, unknown> | string>;

export function writeConfig(folder: string, settings: Settings = {}): void {
  const merged: Record<string, unknown> = { ...QUICK };
  for (const [name, value] of Object.entries(settings)) {
    merged[name] = typeof value === "string" ? value : { ...(merged[name] as object), ...value };
  }
  writeFileSync(join(folder, "archive.yaml"), stringify(merged));
}

/** A workspace with fast settings, plus these. */
export async function makeWorkspace(t: TestContext, settings: Settings = {}): Promise<Workspace> {
  const folder = join(mkdtempSync(join(tmpdir(), "trawl-archive-")), "workspace");
  t.after(() => rmSync(join(folder, ".."), { recursive: true, force: true }));
  await configureWorkspace(folder, { profile: "github", userAgent: AGENT });
  writeConfig(folder, settings);
  return openWorkspace(folder, Date.now());
}

/** So many times as fast as the real one. */
export function quickClock(factor: number): Clock {
  const start = Date.now();
  const began = performance.now();
  return {
    now: () => start + (performance.now() - began) * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
  };
}

/** Deadlines that a quick clock does not reach. */
export const PATIENT = { connect_timeout_ms: 30_000_000, read_timeout_ms: 30_000_000, total_timeout_ms: 60_000_000 };

export const SEEDS = ["https://github.com/topics"];

export async function archive(
  workspace: Workspace,
  host: CodeHost,
  options: Partial<ArchiveCrawlOptions> = {},
): Promise<{ crawl: ArchiveCrawl; notices: string[] }> {
  const notices: string[] = [];
  const events = { onNotice: (text: string) => notices.push(text), ...options.events };
  const crawl = await ArchiveCrawl.start({ workspace, seeds: SEEDS, reach: host.reach, ...options, events });
  return { crawl, notices };
}

/** Archives to the end. */
export async function archiveAll(
  workspace: Workspace,
  host: CodeHost,
  options: Partial<ArchiveCrawlOptions> = {},
): Promise<ArchiveCrawl> {
  const { crawl } = await archive(workspace, host, options);
  const { error } = await crawl.ended;
  if (error !== null) throw error;
  return crawl;
}

export function metadataOf({ paths }: Workspace): MetadataRecord[] {
  return linesOf(paths.metadata).map((line) => JSON.parse(line) as MetadataRecord);
}

export function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

export const pathOf = (url: string): string => url.slice("https://github.com".length);

/** Paths of pages with a stored blob, sorted. */
export const storedPaths = (workspace: Workspace): string[] =>
  metadataOf(workspace)
    .filter((record) => record.content_sha256 !== "")
    .map((record) => pathOf(record.url))
    .sort();

/** Makes a ledger that was closed look like one whose process was killed. */
export async function asIfKilled({ seal }: LedgerPaths): Promise<void> {
  const { commit } = JSON.parse(readFileSync(seal, "utf8")) as { commit: number };
  await writeSeal(seal, { commit, closed: false });
}
