/** The interface of a contender: a program that can be installed, run and measured. */
import type { Command } from "./measure.ts";

export interface Job {
  url: string;
  /** Stop after this many pages. */
  pages: number;
  parallelism: number;
  /** An empty folder for its output. */
  folder: string;
}

export interface Outcome {
  pages: number;
  /** As reported by the contender, without its start. */
  seconds: number;
  /** Outgoing links stored, if it reports them. */
  links?: number;
}

export interface Contender {
  name: string;
  /** Installs what is missing and returns the version; rejects when it cannot be installed. */
  prepare(): Promise<string>;
  command(job: Job): Command;
  outcome(stdout: string): Outcome;
}

/** Every program prints its figures as JSON on the last line. */
export function lastJsonLine(stdout: string): Record<string, unknown> {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (cause) {
    throw new Error(`the last line is not JSON: ${line.slice(0, 200)}`, { cause });
  }
}
