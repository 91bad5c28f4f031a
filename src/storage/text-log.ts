/**
 * A log for people: one line per event, written at once, so that what a process said before it was killed is there. At a given
 * size the file is renamed to `.1`, the one before it to `.2`, and so on. It never ends what it reports on: a line that cannot
 * be written is lost.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export interface TextLogOptions {
  path: string;
  rotateBytes: number;
  /** How many older files are kept. */
  keep: number;
}

export class TextLog {
  readonly #options: TextLogOptions;
  /** Null when it could not be opened, or is closed. */
  #file: number | null = null;
  #bytes = 0;
  /** The last line has no end: a crash or a full disk cut it short. */
  #isTorn = false;

  constructor(options: TextLogOptions) {
    this.#options = options;
    this.#open();
  }

  write(line: string): void {
    const { rotateBytes } = this.#options;
    const text = Buffer.from(`${this.#isTorn ? "\n" : ""}${oneLine(line)}\n`);
    try {
      if (this.#bytes > 0 && this.#bytes + text.length > rotateBytes) this.#rotate();
      if (this.#file === null) return;
      const written = writeSync(this.#file, text);
      this.#bytes += written;
      this.#isTorn = written < text.length;
    } catch {
      // What is written may be part of a line.
      this.#isTorn = this.#bytes > 0;
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #open(): void {
    const { path } = this.#options;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#file = openSync(path, "a+", 0o644);
      this.#bytes = fstatSync(this.#file).size;
      const last = Buffer.alloc(1);
      this.#isTorn = this.#bytes > 0 && readSync(this.#file, last, 0, 1, this.#bytes - 1) === 1 && last[0] !== NEWLINE;
    } catch {
      this.#file = null;
    }
  }

  #rotate(): void {
    const { path, keep } = this.#options;
    this.close();
    rmSync(`${path}.${keep}`, { force: true });
    for (let number = keep - 1; number >= 1; number--) rename(`${path}.${number}`, `${path}.${number + 1}`);
    if (keep > 0) rename(path, `${path}.1`);
    else rmSync(path, { force: true });
    this.#open();
  }
}

const NEWLINE = 0x0a;

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // There are not that many yet.
  }
}

/** What a server sent must not forge a line, nor colour the terminal of whoever reads the file. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
