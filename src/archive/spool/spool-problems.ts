/**
 * Lines of a spool that are not fetched: damaged lines, and lines that the policy refuses. Each is named by its file
 * and line: the first few as they are found, all of them in `state/spool_problems.jsonl`.
 */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { AppendFile } from "../../storage/append-file.ts";
import type { SpoolPlace } from "./spool-files.ts";

export interface SpoolProblem {
  /** In the spool's folder. */
  file: string;
  /** Counted from 1. */
  line: number;
  problem: "damaged" | "refused";
  /** Null when the line has none. */
  url: string | null;
  why: string;
}

export interface SpoolProblems {
  damaged: number;
  refused: number;
  /** The first few. */
  first: SpoolProblem[];
  /** The file that holds all of them, including those of earlier runs; null when this run has none. */
  file: string | null;
}

const SHOWN = 5;

export class SpoolProblemLog {
  readonly #folder: string;
  readonly #path: string;
  readonly #onNotice: (text: string) => void;
  /** How many lines precede an offset, for the last place in each file that was asked for. */
  readonly #counted = new Map<string, { offset: number; lines: number }>();
  readonly #found: SpoolProblems = { damaged: 0, refused: 0, first: [], file: null };
  #file: AppendFile | null = null;
  /** One at a time, in order. */
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, path: string, onNotice: (text: string) => void) {
    this.#folder = folder;
    this.#path = path;
    this.#onNotice = onNotice;
  }

  get found(): SpoolProblems {
    return this.#found;
  }

  add(place: SpoolPlace, problem: SpoolProblem["problem"], url: string | null, why: string): void {
    this.#found[problem]++;
    this.#found.file = this.#path;
    this.#writing = this.#writing
      .then(() => this.#write(place, problem, url, why))
      .catch((error: Error) => this.#onNotice(error.message));
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
  }

  async #write(place: SpoolPlace, problem: SpoolProblem["problem"], url: string | null, why: string): Promise<void> {
    const found: SpoolProblem = { file: place.file, line: await this.#lineOf(place), problem, url, why };
    if (this.#found.first.length < SHOWN) {
      this.#found.first.push(found);
      this.#onNotice(problemText(found));
    }
    this.#file ??= await AppendFile.open(this.#path);
    await this.#file.append(Buffer.from(`${JSON.stringify(found)}\n`));
  }

  /** The reader knows the offset of a line; its number is counted only on request. */
  async #lineOf({ file, offset }: SpoolPlace): Promise<number> {
    const known = this.#counted.get(file);
    const from = known !== undefined && known.offset <= offset ? known : { offset: 0, lines: 0 };
    let { lines } = from;
    if (offset > from.offset) {
      const parts = createReadStream(join(this.#folder, file), { start: from.offset, end: offset - 1 });
      for await (const part of parts as AsyncIterable<Buffer>) {
        for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) lines++;
      }
    }
    this.#counted.set(file, { offset, lines });
    return lines + 1;
  }
}

const NEWLINE = 10;

export const problemText = ({ file, line, problem, url, why }: SpoolProblem): string =>
  problem === "damaged"
    ? `${file} line ${line} is damaged and was skipped: ${why}.`
    : `${file} line ${line} is refused: ${url} (${why}).`;
