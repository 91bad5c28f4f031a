/** Decides where a read happens: here if it is quick or nobody else waits, or else in a process of the pool. */
import { existsSync, statSync } from "node:fs";
import { TrawlError } from "../../errors.ts";
import type { Acceptance } from "../../site/audit/acceptances.ts";
import type { AuditRun } from "../../site/audit/run-audit.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import type { SiteReader } from "../../site/store/reader.ts";
import type { QueryAnswer } from "../../site/store/sql/guarded-query.ts";
import { SQL_LIMITS, type SqlOptions, type SqlResult } from "../../site/store/sql/sql.ts";
import { listSize } from "../../web/filter.ts";
import type { RobotsVerdict as RobotsTest } from "../../web/robots/robots.ts";
import type { ArchiveReadingAnswer, ArchiveReadingArgs, ArchiveReadingName } from "../archive/readings.ts";
import type { Workspace } from "../archive/workspace.ts";
import type { ArchivePlace, RepoReadingAnswer, RepoReadingArgs, RepoReadingName } from "../atproto/readings.ts";
import type { RobotsTask, RulesTask } from "../config/rule-decisions.ts";
import type { SettingsCheck, TestedUrl } from "../operations/config.ts";
import { POOL_DEFAULTS, ProcessPool } from "./process-pool.ts";
import type { ReadingAnswer, ReadingArgs, ReadingName } from "./readings.ts";
import type { CompareTask, ComparisonReading, ExportTask } from "./tasks.ts";

export interface ReadingOptions {
  /**
   * This process reads databases up to this size, because their answers take milliseconds. Infinity for a command,
   * which has nobody else to answer.
   */
  ownBytes: number;
  /** The same for the patterns of settings: how large their regular expressions are together. */
  ownPatterns: number;
}

/** For a server. Reading 8 MB takes some 10 ms, and compiling patterns of this size 5 ms. */
export const SERVER_READING: ReadingOptions = { ownBytes: 8_000_000, ownPatterns: 1_000 };
export const COMMAND_READING: ReadingOptions = {
  ownBytes: Number.POSITIVE_INFINITY,
  ownPatterns: Number.POSITIVE_INFINITY,
};

/** No list, graph or overview of the largest crawls takes this long. */
const READING_MS = 60_000;
const RULES_MS = 20_000;
/** Comparing a URL with rules takes some ten times as long per byte as reading them from a database. */
const ROBOTS_SHARE = 8;
/** 400,000 pages with 16 million links take a minute. */
const AUDIT_MS = 30 * 60_000;

export class Reading {
  readonly #options: ReadingOptions;
  readonly #pool: ProcessPool;

  constructor(options: ReadingOptions) {
    this.#options = options;
    // .ts in a checkout, .js in a published package.
    const module = new URL(`./reading-process${import.meta.url.slice(-3)}`, import.meta.url);
    this.#pool = new ProcessPool({ ...POOL_DEFAULTS, module });
  }

  /** Processes that exist now. */
  get processes(): number {
    return this.#pool.size;
  }

  isOwn(path: string): boolean {
    const { ownBytes } = this.#options;
    return ownBytes === Number.POSITIVE_INFINITY || sizeOf(path) + sizeOf(`${path}-wal`) <= ownBytes;
  }

  /** Whether this process reads it: the crawl is small, and so are the expressions in the question. */
  isQuick(path: string, args: unknown): boolean {
    return this.isOwn(path) && this.#areQuick(expressionsIn(args));
  }

  async read<Name extends ReadingName>(
    name: Name,
    { path, open }: { path: string; open: () => SiteReader },
    args: ReadingArgs<Name>,
    signal?: AbortSignal,
  ): Promise<ReadingAnswer<Name>> {
    if (this.isQuick(path, args)) {
      const { READINGS } = await import("./readings.ts");
      return (READINGS[name] as (reader: SiteReader, args: unknown) => ReadingAnswer<Name>)(open(), args);
    }
    const task = { name: "read", args: { name, path, args }, ms: READING_MS, isSlow: false, signal, stopped: tooLong };
    return (await this.#pool.run(task)) as ReadingAnswer<Name>;
  }

  /** Always in a process: the caller compares small crawls itself. */
  async compare(args: CompareTask, signal?: AbortSignal): Promise<ComparisonReading> {
    const task = { name: "compare", args, ms: READING_MS, isSlow: false, signal, stopped: tooLong };
    return (await this.#pool.run(task)) as ComparisonReading;
  }

  /** `verify` reads everything, and so does a first search; only the other reads are quick in a small archive. */
  async archive<Name extends ArchiveReadingName>(
    workspace: Workspace,
    name: Name,
    args: ArchiveReadingArgs<Name>,
    signal?: AbortSignal,
  ): Promise<ArchiveReadingAnswer<Name>> {
    const { root, configFile, paths } = workspace;
    const isLong = name === "verify" || name === "search";
    const isCommand = this.#options.ownBytes === Number.POSITIVE_INFINITY;
    if (isCommand || (!isLong && this.isOwn(paths.metadata))) {
      const { ARCHIVE_READINGS } = await import("../archive/readings.ts");
      const read = ARCHIVE_READINGS[name] as (...given: unknown[]) => Promise<ArchiveReadingAnswer<Name>>;
      return read(workspace, args, signal);
    }
    const task = { root, configFile, name, args };
    const ms = isLong ? 0 : READING_MS;
    return (await this.#pool.run({
      name: "archive",
      args: task,
      ms,
      isSlow: isLong,
      signal,
      stopped: tooLong,
    })) as ArchiveReadingAnswer<Name>;
  }

  /** Always in a process: an archive of the network may take any time to read. */
  async repoArchive<Name extends RepoReadingName>(
    place: ArchivePlace,
    name: Name,
    args: RepoReadingArgs<Name>,
    signal?: AbortSignal,
  ): Promise<RepoReadingAnswer<Name>> {
    if (this.#options.ownBytes === Number.POSITIVE_INFINITY) {
      const { REPO_READINGS } = await import("../atproto/readings.ts");
      const read = REPO_READINGS[name] as (...given: unknown[]) => Promise<RepoReadingAnswer<Name>>;
      return read(place, args, signal);
    }
    const isLong = name === "verify";
    return (await this.#pool.run({
      name: "repoArchive",
      args: { place, name, args },
      ms: isLong ? 0 : READING_MS,
      isSlow: isLong,
      signal,
      stopped: tooLong,
    })) as RepoReadingAnswer<Name>;
  }

  /** Closes what was kept open for the next question, because a file that is about to be removed must not be open. */
  rest(): void {
    this.#pool.endIdle();
  }

  /** Always in a process: a query can take any time and memory. */
  async sql(path: string, sql: string, options: SqlOptions = {}): Promise<SqlResult> {
    if (!existsSync(path)) throw new TrawlError("CRAWL_NOT_FOUND", `The database of this crawl is missing: ${path}`);
    const { rows, timeoutMs, bytes } = SQL_LIMITS;
    const ms = clamp(options.timeoutMs ?? timeoutMs.default, timeoutMs.max);
    const limits = { rows: clamp(options.rows ?? rows.default, rows.max), bytes };
    const started = performance.now();
    const stopped = () =>
      new TrawlError(
        "SQL_STOPPED",
        `The query was stopped: it took longer than ${ms / 1000} seconds, or too much memory.`,
      );
    const task = { name: "sql", args: { path, sql, limits }, ms, isSlow: true, signal: options.signal, stopped };
    const answer = (await this.#pool.run(task)) as QueryAnswer;
    return { ...answer, durationMs: Math.round(performance.now() - started) };
  }

  /** Writes findings: the caller holds the crawl's lock. */
  async audit(path: string, run: AuditRun): Promise<void> {
    if (this.isOwn(path)) {
      const { runAudit } = await import("../../site/audit/run-audit.ts");
      runAudit(path, run);
      return;
    }
    const args = { path, run };
    await this.#pool.run({ name: "audit", args, ms: AUDIT_MS, isSlow: true, stopped: tooLong });
  }

  export(args: ExportTask, onBroken: () => void): Promise<ReadableStream<Uint8Array>> {
    return this.#pool.stream({ name: "export", args, ms: 0, isSlow: true, stopped: tooLong }, onBroken);
  }

  async rules(task: RulesTask): Promise<TestedUrl[]> {
    if (this.#areOwn(task.config)) return (await import("../config/rule-decisions.ts")).decideUrls(task);
    const args = { name: "rules", args: task, ms: RULES_MS, isSlow: false, stopped: slowPatterns };
    return (await this.#pool.run(args)) as TestedUrl[];
  }

  /** What robots.txt says about URLs of its host. */
  async robots(task: RobotsTask): Promise<RobotsTest[]> {
    if (task.urls.length * task.text.length <= this.#options.ownBytes / ROBOTS_SHARE) {
      return (await import("../config/rule-decisions.ts")).decideRobots(task);
    }
    return (await this.#pool.run({
      name: "robots",
      args: task,
      ms: RULES_MS,
      isSlow: false,
      stopped: tooLong,
    })) as RobotsTest[];
  }

  async settings(given: Record<string, unknown>): Promise<SettingsCheck> {
    if (this.#areOwn(given)) return (await import("../config/setting-checks.ts")).checkSettings(given);
    const args = { name: "settings", args: given, ms: RULES_MS, isSlow: false, stopped: slowPatterns };
    return (await this.#pool.run(args)) as SettingsCheck;
  }

  close(): void {
    this.#pool.close();
  }

  #areOwn(settings: Partial<Record<keyof SiteConfig, unknown>>): boolean {
    return [settings.include, settings.exclude].every(
      (list) => !Array.isArray(list) || this.#areQuick(list.map(String)),
    );
  }

  #areQuick(patterns: readonly string[]): boolean {
    return listSize(patterns) <= this.#options.ownPatterns;
  }
}

/** The patterns in the question, in the form of setting patterns. */
function expressionsIn(args: unknown): string[] {
  const { filters = [], queries = [], acceptances = [] } = (args ?? {}) as Partial<Patterns>;
  const all = [...filters, ...queries.flatMap((query) => query.filters)];
  const written = all.filter((filter) => filter.includes("=~")).map((filter) => `/${filter}/`);
  return [...written, ...acceptances.flatMap(({ pattern }) => pattern ?? [])];
}

interface Patterns {
  filters: readonly string[];
  queries: readonly { filters: readonly string[] }[];
  acceptances: readonly Pick<Acceptance, "pattern">[];
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const clamp = (value: number, max: number): number => Math.min(Math.max(1, Math.trunc(value) || 1), max);

const tooLong = (): TrawlError =>
  new TrawlError("SERVER_BUSY", "The answer took too long, or too much memory.", { retryAfterSeconds: 10 });

const slowPatterns = (): TrawlError =>
  new TrawlError("BAD_CONFIG", `Compiling and trying these patterns takes longer than ${RULES_MS / 1_000} seconds.`);
