/** What makes a running archive pause, stop or reload: files in its workspace, a full disk, and signals. */

import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { isMissing } from "../../storage/durable.ts";
import { freeBytes as freeBytesOnDisk } from "../../storage/file-system.ts";

const LOOK_MS = 1_000;
/** The pause ends only with this much more space than started it; otherwise it would start and end with every page. */
const ROOM_AGAIN = 1.1;

export interface WatchOptions {
  workspace: string;
  pauses: Pauses;
  /** Less than this counts as almost full; 0 disables the check. */
  minFreeBytes: number;
  stop: () => void;
  clock: Clock;
  freeBytes?: (folder: string) => Promise<number>;
}

/** Looks at the files and the disk once a second. */
export class ControlWatch {
  readonly #options: WatchOptions;
  #minFreeBytes: number;
  #isFull = false;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#minFreeBytes = options.minFreeBytes;
  }

  setMinFreeBytes(bytes: number): void {
    this.#minFreeBytes = bytes;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      this.look().then(
        () => this.#again(),
        () => this.#again(),
      );
    });
  }

  /** Checks now: a write failed for lack of space, or the archive is starting. */
  async look(): Promise<void> {
    const { workspace, pauses, stop, freeBytes = freeBytesOnDisk } = this.#options;
    const flags = await readFlags(workspace);
    if (this.#closed) return;
    if (flags.stop.length > 0) {
      await clearStop(workspace);
      stop();
      return;
    }
    pauses.set("file", flags.pause.length > 0);
    const free = await freeBytes(workspace);
    if (this.#closed) return;
    this.#isFull = free < this.#minFreeBytes * (this.#isFull ? ROOM_AGAIN : 1);
    pauses.set("disk", this.#isFull);
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

/** `pause.<anything>` in the workspace makes the archive pause, `stop.<anything>` ends it. */
export interface Flags {
  pause: string[];
  stop: string[];
}

export async function readFlags(workspace: string): Promise<Flags> {
  const names = await readdir(workspace).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
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

/** A stop that was obeyed, or left by an earlier run, must not end the next one. */
export async function clearStop(workspace: string): Promise<string[]> {
  const { stop } = await readFlags(workspace);
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
export type PauseReason = "person" | "file" | "disk";

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
