/** Runs a program and waits for it to end. Its output is shown as it comes, or returned. */
import { spawn } from "node:child_process";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..");

export interface Finished {
  /** 0 is success; 1 also when the program could not be started. */
  exitCode: number;
  output: string;
}

export interface CommandOptions {
  /** Return the output instead of showing it. */
  quiet?: boolean;
  env?: NodeJS.ProcessEnv;
}

export function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  const [program, ...parameters] = command;
  const stream = options.quiet ? "pipe" : "inherit";
  return new Promise((resolve) => {
    const child = spawn(program!, parameters, {
      cwd: ROOT,
      env: { ...process.env, ...options.env },
      // No standard input: nothing here may wait for a user.
      stdio: ["ignore", stream, stream],
    });
    let output = "";
    const keep = (text: string): void => {
      output += text;
    };
    child.stdout?.setEncoding("utf8").on("data", keep);
    child.stderr?.setEncoding("utf8").on("data", keep);
    child.on("error", (error) => resolve({ exitCode: 1, output: `${output}${error.message}\n` }));
    child.on("close", (code) => resolve({ exitCode: code ?? 1, output }));
  });
}

/** One of our own scripts, by its path in the repository. */
export const script = (path: string, ...parameters: string[]): string[] => [process.execPath, path, ...parameters];

// By their files: the entries of node_modules/.bin are shell scripts on Windows.
export const TSC = script("node_modules/typescript/bin/tsc");
export const BIOME = script("node_modules/@biomejs/biome/bin/biome");
