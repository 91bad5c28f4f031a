/** What makes a running archive pause, stop or reload: files in its workspace, a full disk, a full spool, and signals. */

import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { DiskSpace, type FreeBytes } from "../../storage/disk-space.ts";
import { isMissing } from "../../storage/durable.ts";

const LOOK_MS = 1_000;
/** Enough for a page and its lines. */
const LEAST_AFTER_FULL = 1_000_000;

export interface WatchOptions {
  workspace: string;
  pauses: Pauses;
  /** Less free space than this counts as almost full; 0 disables the check. */
  minFreeBytes: number;
  stop: () => void;
  clock: Clock;
  freeBytes?: FreeBytes;
  /** Files meant for another process end like this, for example `.scraper`. */
  othersSuffix?: string;
  /** Whether the spool has no room. */
  isSpoolFull?: () => Promise<boolean>;
}

/** Checks the files and the disk once a second. */
export class ControlWatch {
  readonly #options: WatchOptions;
  readonly #disk: DiskSpace;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#disk = new DiskSpace(options.workspace, options.minFreeBytes, options.freeBytes);
  }

  setMinFreeBytes(bytes: number): void {
    this.#disk.leastBytes = bytes;
  }

  /** A write failed for lack of space: even without a reserve, the archive waits until there is some. */
  diskFull(): Promise<void> {
    this.#disk.leastBytes = Math.max(this.#disk.leastBytes, LEAST_AFTER_FULL);
    return this.look();
  }

  start(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      this.look().then(
        () => this.#again(),
        () => this.#again(),
      );
    });
  }

  /** Checks now. */
  async look(): Promise<void> {
    const { workspace, pauses, stop, othersSuffix } = this.#options;
    const flags = await readFlags(workspace, othersSuffix);
    if (this.#closed) return;
    if (flags.stop.length > 0) {
      await clearStop(workspace, othersSuffix);
      stop();
      return;
    }
    pauses.set("file", flags.pause.length > 0);
    const isFull = await this.#disk.isAlmostFull();
    const isSpoolFull = (await this.#options.isSpoolFull?.()) ?? false;
    if (this.#closed) return;
    pauses.set("disk", isFull);
    pauses.set("spool", isSpoolFull);
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #again(): void {
    if (!this.#closed) this.start();
  }
}

export const PAUSE_FILE = "pause.archive";
export const STOP_FILE = "stop.archive";

/** In names of files that only `scrape` or only `run --discover` obeys; `run` obeys both. */
export const SCRAPER_SUFFIX = ".scraper";
export const CRAWLER_SUFFIX = ".crawler";

/** `pause.<anything>` in the workspace makes the archive pause, `stop.<anything>` ends it. */
export interface Flags {
  pause: string[];
  stop: string[];
}

/** `othersSuffix`: files that end like this are for another process. */
export async function readFlags(workspace: string, othersSuffix?: string): Promise<Flags> {
  const all = await readdir(workspace).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = all.filter((name) => othersSuffix === undefined || !name.endsWith(othersSuffix));
  return {
    pause: names.filter((name) => name.startsWith("pause.")),
    stop: names.filter((name) => name.startsWith("stop.")),
  };
}

/** `trawl archive pause`. */
export const requestPause = (workspace: string): Promise<void> => writeFile(join(workspace, PAUSE_FILE), "");

/** `trawl archive unpause`: removes every pause, whoever asked for it. */
export async function withdrawPause(workspace: string): Promise<string[]> {
  const { pause } = await readFlags(workspace);
  for (const name of pause) await rm(join(workspace, name), { force: true });
  return pause;
}

/** `trawl archive stop`. */
export const requestStop = (workspace: string): Promise<void> => writeFile(join(workspace, STOP_FILE), "");

/** A stop that was obeyed, or left over from an earlier run, must not end the next run. */
export async function clearStop(workspace: string, othersSuffix?: string): Promise<string[]> {
  const { stop } = await readFlags(workspace, othersSuffix);
  for (const name of stop) await rm(join(workspace, name), { force: true });
  return stop;
}

/** SIGINT and SIGTERM, which end an archive, are handled by the command line. */
export interface SignalActions {
  /** SIGHUP: the config is read again. */
  reload: () => void;
  /** SIGUSR1: progress is reported. */
  status: () => void;
}

/** Where signals come from: `process`, or a stand-in in tests. */
export interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

/** Returns a function that stops listening. */
export function listenToSignals(source: SignalSource, { reload, status }: SignalActions): () => void {
  const listeners: [signal: string, listener: () => void][] = [
    ["SIGHUP", reload],
    ["SIGUSR1", status],
  ];
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
}

/** Why the archive is paused. It continues when the last reason is gone. */
export type PauseReason = "person" | "file" | "disk" | "spool";

export interface Pausable {
  pause(): Promise<void>;
  resume(): void;
}

export class Pauses {
  readonly #reasons = new Set<PauseReason>();
  readonly #target: Pausable;
  readonly #onChange: (reasons: PauseReason[]) => void;

  constructor(target: Pausable, onChange: (reasons: PauseReason[]) => void) {
    this.#target = target;
    this.#onChange = onChange;
  }

  get reasons(): PauseReason[] {
    return [...this.#reasons];
  }

  /** Resolves when what was under way has finished and is durable. */
  add(reason: PauseReason): Promise<void> {
    if (!this.#reasons.has(reason)) {
      this.#reasons.add(reason);
      this.#onChange(this.reasons);
    }
    return this.#target.pause();
  }

  remove(reason: PauseReason): void {
    if (!this.#reasons.delete(reason)) return;
    this.#onChange(this.reasons);
    if (this.#reasons.size === 0) this.#target.resume();
  }

  set(reason: PauseReason, on: boolean): void {
    if (on) this.add(reason).catch(() => {});
    else this.remove(reason);
  }
}
