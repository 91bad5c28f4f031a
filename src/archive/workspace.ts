/** A workspace: the folder of one archive, with its config, its seeds, and the paths of everything in it. */

import { existsSync, globSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { TrawlError } from "../errors.ts";
import { PRIVATE_FILE } from "../kernel/sqlite/private-files.ts";
import { naming } from "../settings/problems.ts";
import { readYaml } from "../settings/yaml.ts";
import { createFile } from "../storage/durable.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";
import { type FileLock, isFileLocked, lockFile } from "../storage/file-lock.ts";
import type { ArchiveConfig } from "./config/archive-config.ts";
import { type ArchiveSettings, parseArchiveConfig } from "./config/parse-archive-config.ts";
import {
  CONFIG_FILE,
  configTemplate,
  readSeeds,
  SEEDS_FILE,
  seedsTemplate,
  type TemplateChoices,
} from "./config/template.ts";
import { type LedgerPaths, ledgerPaths } from "./ledger/ledger-files.ts";
import { isProfileFile, loadProfile } from "./profile/load-profile.ts";
import { sumsPath } from "./store/metadata-sums.ts";

export interface WorkspacePaths {
  ledger: LedgerPaths;
  discoverLedger: LedgerPaths;
  scrapeLedger: LedgerPaths;
  requisiteLedger: LedgerPaths;
  metadata: string;
  htmlStore: string;
  /** The store's folder as recorded in the metadata: relative to the folder that holds the workspace. */
  recordedStore: string;
  /** The words of the stored pages, next to the store; can be rebuilt from it. */
  searchIndex: string;
  pagesCsv: string;
  warc: string;
  /** Whether WARCs are written. */
  warcChoice: string;
  /** Whether what the pages need is fetched. */
  requisitesChoice: string;
  metricsCsv: string;
  /** Counts of `scrape`, which may run at the same time. */
  scraperMetricsCsv: string;
  edgesCsv: string;
  /** What runs did and ran into, for people. */
  crawlerLog: string;
  /** The log of `scrape`, which may run at the same time. */
  scraperLog: string;
  spool: string;
  /** The sums of the lines as they were written. */
  spoolSums: string;
  bookmark: string;
  /** Lines of the spool that were damaged or refused. */
  spoolProblems: string;
}

export interface Workspace {
  readonly root: string;
  readonly configFile: string;
  readonly settings: ArchiveSettings;
  readonly paths: WorkspacePaths;
}

/** For the ledger's files that the config does not name, and for what repairs leave. */
const STATE = "state";

/** Reads the config of a workspace. `overrides` are settings given as flags, section by section. */
export function openWorkspace(
  folder: string,
  now: number,
  configFile = join(folder, CONFIG_FILE),
  overrides: Record<string, unknown> = {},
): Workspace {
  const root = resolve(folder);
  if (!existsSync(configFile)) {
    throw new TrawlError("NO_WORKSPACE", `${configFile} does not exist, so ${root} is not an archive workspace.`);
  }
  const settings = readSettings(configFile, overrides);
  return { root, configFile, settings, paths: workspacePaths(root, settings.config, now) };
}

/** The settings of a config file. Errors name the file. */
export function readSettings(configFile: string, overrides: Record<string, unknown> = {}): ArchiveSettings {
  const written = merge(readYaml(configFile, "user_agent: ..."), overrides);
  return naming(configFile, () => parseArchiveConfig(written, profilePath(dirname(configFile), ".")));
}

/** The path of a profile is relative to one of these folders: the first in which the file exists. */
export const profilePath =
  (...folders: string[]) =>
  (path: string): string => {
    const places = [...new Set(folders.map((folder) => resolve(folder, path)))];
    const found = places.find((place) => existsSync(place));
    if (found === undefined) throw new TrawlError("BAD_CONFIG", `profile: there is no file ${places.join(" and no ")}`);
    return found;
  };

function merge(file: Record<string, unknown>, overrides: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...file };
  for (const [name, value] of Object.entries(overrides)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function workspacePaths(root: string, config: ArchiveConfig, now: number): WorkspacePaths {
  const runId = config.run_id ?? runIdAt(now);
  const named = (path: string) => path.replaceAll("{run_id}", runId);
  const at = (path: string) => join(root, named(path));
  const { storage, metrics, trajectory, log, spool } = config;
  return {
    ledger: {
      frontier: at(storage.frontier_file),
      fetched: at(storage.fetched_urls_file),
      robots: at(storage.robots_cache_file),
      refused: at(`${STATE}/refused.jsonl`),
      commits: at(`${STATE}/commits.jsonl`),
      seal: at(`${STATE}/seal.json`),
    },
    discoverLedger: ledgerPaths(at(`${STATE}/discover`)),
    scrapeLedger: ledgerPaths(at(`${STATE}/scrape`)),
    requisiteLedger: ledgerPaths(at(`${STATE}/requisites`)),
    metadata: at(storage.metadata_file),
    htmlStore: at(storage.html_store_root),
    recordedStore: `${basename(root)}/${named(storage.html_store_root)}`,
    searchIndex: `${at(storage.html_store_root)}-search.sqlite`,
    pagesCsv: at(storage.pages_csv),
    warc: at(storage.warc_dir),
    warcChoice: at(`${STATE}/warc.json`),
    requisitesChoice: at(`${STATE}/requisites.json`),
    metricsCsv: at(metrics.csv_path),
    scraperMetricsCsv: at(scraperMetrics(metrics.csv_path)),
    edgesCsv: at(trajectory.csv_path),
    crawlerLog: at(log.path),
    scraperLog: at(scraperLog(log.path)),
    spool: at(spool.discoveries_dir),
    spoolSums: at(`${STATE}/spool`),
    bookmark: at(spool.bookmark_file),
    spoolProblems: at(`${STATE}/spool_problems.jsonl`),
  };
}

const scraperMetrics = (csvPath: string): string => join(dirname(csvPath), "scraper_metrics-{run_id}.csv");
const scraperLog = (logPath: string): string => join(dirname(logPath), "scraper.log");

/** `2025-01-09T15-30Z`: sorts by time, and is a valid file name everywhere. */
export const runIdAt = (now: number): string => `${new Date(now).toISOString().slice(0, 16).replace(":", "-")}Z`;

export interface Configured {
  created: string[];
  /** Files that existed already, and were left unchanged. */
  kept: string[];
}

/** `trawl archive configure`: creates what is missing, and changes nothing that exists. */
export async function configureWorkspace(folder: string, choices: TemplateChoices): Promise<Configured> {
  const root = resolve(folder);
  // Paths as typed are relative to the current folder, but the workspace may be used from another folder.
  const find = profilePath(".", root);
  const named = isProfileFile(choices.profile) ? { ...choices, profile: find(choices.profile) } : choices;
  const profile = loadProfile(named.profile, find);
  const result: Configured = { created: [], kept: [] };
  for (const name of [STATE, "metadata", "store/html", "logs", "spool/discoveries"]) {
    ensureFolder(join(root, name));
  }
  const files = [
    [CONFIG_FILE, configTemplate(named, profile)],
    [SEEDS_FILE, seedsTemplate(profile, choices.hosts)],
  ] as const;
  for (const [name, text] of files) {
    // The settings may come to hold passwords of proxies.
    const isNew = await createFile(join(root, name), text, PRIVATE_FILE);
    (isNew ? result.created : result.kept).push(name);
  }
  return result;
}

/** The seeds of a workspace, as written. */
export async function workspaceSeeds(root: string, file = join(root, SEEDS_FILE)): Promise<string[]> {
  try {
    return readSeeds(await readFile(file, "utf8"));
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${file} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * `trawl archive reset`: removes everything that was archived; config, seeds and folders stay. Returns what was
 * removed. Only what the config names is removed, so a workspace in a home folder does not take anything else with it.
 */
export async function resetWorkspace({ root, settings, paths }: Workspace): Promise<string[]> {
  const { ledger, metadata, bookmark } = paths;
  const { storage, metrics, trajectory, log } = settings.config;
  const removed: string[] = [];
  const remove = async (path: string): Promise<void> => {
    if (!existsSync(path)) return;
    await rm(path, { recursive: true });
    removed.push(relative(root, path));
  };
  for (const folder of [join(root, STATE), paths.htmlStore, paths.warc, paths.spool]) {
    for (const name of await readdir(folder).catch(() => [])) await remove(join(folder, name));
  }
  const index = [paths.searchIndex, `${paths.searchIndex}-journal`];
  const files = [...Object.values(ledger), metadata, sumsPath(metadata), bookmark, ...index];
  for (const file of files) await remove(file);
  // Those of all runs.
  const tables = [storage.pages_csv, metrics.csv_path, scraperMetrics(metrics.csv_path), trajectory.csv_path];
  const texts = [log.path, scraperLog(log.path)].flatMap((path) => [path, `${path}.[0-9]*`]);
  const logs = [...tables, ...texts];
  for (const file of globSync(
    logs.map((path) => path.replaceAll("{run_id}", "*")),
    { cwd: root },
  )) {
    await remove(join(root, file));
  }
  return removed;
}

/**
 * Which processes work in a workspace. It has two halves, each for one process: the crawl (queue, spool, logs) and the
 * store (pages, metadata). `run` takes both; `run --discover` and `scrape` take one each, so they can run side by side.
 */
export const HALVES = ["crawl", "store"] as const;
export type Half = (typeof HALVES)[number];

/** `status` holds a lock for a moment to ask: wait for it instead of giving up. */
const PATIENCE_MS = 250;

/** Outside what `reset` deletes, because a lock whose file is gone keeps nobody out. */
const lockPath = (root: string, half: Half): string => join(root, `.${half}.lock`);

/** Takes all of these halves, or throws and takes none. */
export function lockWorkspace(root: string, halves: readonly Half[]): FileLock {
  ensureFolder(root);
  const locks: FileLock[] = [];
  const release = (): void => {
    for (const lock of locks.splice(0)) lock.release();
  };
  for (const half of halves) {
    const lock = lockFile(lockPath(root, half), PATIENCE_MS);
    if (lock === null) {
      release();
      throw new TrawlError("WORKSPACE_BUSY", `Another process is working in ${root}.`);
    }
    locks.push(lock);
  }
  return { release };
}

/** The halves that a process is using. */
export const lockedHalves = (root: string): Half[] => HALVES.filter((half) => isFileLocked(lockPath(root, half)));
