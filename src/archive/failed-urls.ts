/**
 * `failed_urls.jsonl`: the URLs whose last fetch failed. Updated during a run, and rebuilt from the metadata at its
 * end.
 */
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import { replaceFile } from "../storage/durable.ts";
import { failedUrls } from "./ledger/check.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { type MetadataRecord, readMetadata } from "./store/metadata-record.ts";
import type { WorkspacePaths } from "./workspace.ts";

export interface Failure {
  url: string;
  /** 0 when there was no answer. */
  http_status: number;
  /** What went wrong, when the status does not say it. */
  error: string | null;
  page_type: string;
  depth: number;
  retries: number;
  /** Unix time in seconds; 0 when the fetch has no line in the metadata. */
  timestamp: number;
}

/** The status is null when nobody recorded it, as in `run --discover`. */
export type ListedFailure = Omit<Failure, "http_status"> & { http_status: number | null };

export interface Failures {
  count: number;
  /** The first few. */
  first: ListedFailure[];
  /** The file that lists them all; null when there are none. */
  file: string | null;
}

export const NO_FAILURES: Failures = { count: 0, first: [], file: null };

const SHOWN = 5;

/** An answer, not a failure: the page does not exist, and the metadata says so. Every code host has dead links. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

export const isGone = (status: number): boolean => GONE.has(status);

type Outcome = Pick<MetadataRecord, "http_status" | "content_sha256" | "metadata">;

/** Whether a fetch yielded neither a page nor a redirect, nor the answer that the page does not exist. */
export function isFailure({ http_status, content_sha256, metadata }: Outcome): boolean {
  if (typeof metadata["error"] === "string") return true;
  if (http_status >= 200 && http_status < 300) return false;
  return !isGone(http_status) && content_sha256 === "" && !("redirect_to" in metadata);
}

export const failureOf = (record: MetadataRecord): Failure => {
  const { url, http_status, page_type, depth, retries, timestamp, metadata } = record;
  const { error } = metadata;
  return { url, http_status, error: typeof error === "string" ? error : null, page_type, depth, retries, timestamp };
};

/** The URLs whose last line is chosen, by default those that failed, in the order in which they first appeared. */
export async function readFailures(
  metadataPath: string,
  isChosen: (record: MetadataRecord) => boolean = isFailure,
): Promise<Failure[]> {
  const failures = new Map<string, Failure>();
  for await (const { record } of readMetadata(metadataPath, () => {})) {
    if (isChosen(record)) failures.set(record.url, failureOf(record));
    else failures.delete(record.url);
  }
  return [...failures.values()];
}

/** The URLs that a ledger without records gave up on. */
async function readFailedUrls(ledger: LedgerPaths): Promise<ListedFailure[]> {
  const failures: ListedFailure[] = [];
  const unknown = { http_status: null, error: null, page_type: "", depth: 0, retries: 0, timestamp: 0 };
  for await (const url of failedUrls(ledger)) failures.push({ url, ...unknown });
  return failures;
}

export const failuresPath = ({ fetched }: LedgerPaths): string => join(dirname(fetched), "failed_urls.jsonl");

/** Writes the list, or removes it when nothing has failed. */
async function writeFailures(file: string, failures: readonly ListedFailure[]): Promise<Failures> {
  if (failures.length === 0) {
    await rm(file, { force: true });
    return NO_FAILURES;
  }
  await replaceFile(file, async (handle) => {
    await handle.writeFile(Buffer.from(failures.map((failure) => `${JSON.stringify(failure)}\n`).join("")));
  });
  return { count: failures.length, first: failures.slice(0, SHOWN), file };
}

/** Writes what is left at the end of a run: from the metadata, or from the ledger of a run that records nothing. */
export async function listFailures(of: Pick<WorkspacePaths, "ledger" | "metadata"> | LedgerPaths): Promise<Failures> {
  return "metadata" in of
    ? writeFailures(failuresPath(of.ledger), await readFailures(of.metadata))
    : writeFailures(failuresPath(of), await readFailedUrls(of));
}

/** Changes are written together. */
const WRITE_MS = 1_000;

/** Keeps the list up to date while pages are fetched. */
export class FailureList {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failure>();
  #cancel: (() => void) | null = null;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  static async open(file: string, clock: Clock): Promise<FailureList> {
    const list = new FailureList(file, clock);
    for (const line of (await readFile(file, "utf8").catch(() => "")).split("\n")) {
      try {
        const failure = JSON.parse(line) as Failure;
        list.#failures.set(failure.url, failure);
      } catch {
        // An empty or damaged line: at the end of the run the list is rebuilt from the metadata.
      }
    }
    return list;
  }

  settled(record: MetadataRecord): void {
    const hasFailed = isFailure(record);
    if (hasFailed) this.#failures.set(record.url, failureOf(record));
    else if (!this.#failures.delete(record.url)) return;
    this.#cancel ??= this.#clock.after(WRITE_MS, () => {
      this.#cancel = null;
      this.#writing = this.#writing
        .then(() => writeFailures(this.#file, [...this.#failures.values()]))
        // Whatever writes pages notices a full disk.
        .catch(() => {});
    });
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#writing;
  }
}
