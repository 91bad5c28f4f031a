/** Runs the real command line in a separate process, with a temporary data folder. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const PROGRAM = fileURLToPath(new URL("../../bin/trawl.js", import.meta.url));

/** Settings that end the demo site's traps soon. */
export const TRAP_LIMITS = ["--max-urls-per-pattern", "30", "--max-query-variants", "30"];

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** One line of JSON output. */
export type Line = Record<string, unknown> & { event?: string };

export class Trawl {
  readonly folder = mkdtempSync(join(tmpdir(), "trawl-cli-"));
  readonly #program: string;

  constructor(program = PROGRAM) {
    this.#program = program;
  }

  start(...typed: string[]): ChildProcessWithoutNullStreams {
    return this.#startIn({}, typed);
  }

  #startIn(variables: Record<string, string>, typed: string[]): ChildProcessWithoutNullStreams {
    const env = {
      ...process.env,
      ...variables,
      TRAWL_HOME: join(this.folder, "home"),
      NO_COLOR: "1",
      TRAWL_DEBUG: "",
      npm_command: "",
    };
    return spawn(process.execPath, [this.#program, ...typed], { cwd: this.folder, env });
  }

  async run(...typed: string[]): Promise<Finished> {
    return this.runWith("", ...typed);
  }

  /** Runs with these variables in the environment. */
  async runIn(variables: Record<string, string>, ...typed: string[]): Promise<Finished> {
    const child = this.#startIn(variables, typed);
    child.stdin.end();
    return finished(child);
  }

  async runWith(input: string, ...typed: string[]): Promise<Finished> {
    const child = this.start(...typed);
    child.stdin.end(input);
    return finished(child);
  }

  /** Runs with --json and reads every line. */
  async json(...typed: string[]): Promise<{ code: number | null; lines: Line[] }> {
    const { code, stdout } = await this.run(...typed, "--json");
    return { code, lines: jsonLines(stdout) };
  }

  remove(): void {
    // A browser whose Trawl was killed may still write to its profile.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

export const jsonLines = (output: string): Line[] =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

/** The JSON lines of a running command, as they come. */
export async function* linesOf(child: ChildProcessWithoutNullStreams): AsyncGenerator<Line> {
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Line;
}
