/** Whether the package registry has a newer version: checked with npm, which knows its registry, at most once a day. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import type { UpdateInfo } from "./operations/about.ts";

/** Runs npm with these arguments and returns its output. */
export type RunNpm = (args: string[]) => Promise<string>;

export interface UpdatesOptions {
  packageName: string;
  version: string;
  isOff: boolean;
  /** The data folder, for the last answer. */
  root: string;
  clock: Clock;
  runNpm?: RunNpm;
}

/** New versions are rare, and the registry is a shared resource. */
const KEPT_MS = 24 * 60 * 60_000;
/** After a failure: short enough for a laptop that comes back online. */
const RETRY_MS = 60 * 60_000;
/** npm itself gives up only after minutes, which is too long. */
const NPM_MS = 10_000;

interface StoredAnswer {
  askedAt: number;
  latest: string | null;
  problem: string | null;
}

export class Updates {
  readonly #options: UpdatesOptions;
  #asking: Promise<StoredAnswer> | null = null;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  async check(): Promise<UpdateInfo> {
    const { version: current, isOff } = this.#options;
    if (isOff) return { current, latest: null, isNewer: false, isOff, problem: null };
    const { latest, problem } = this.#stored() ?? (await this.#ask());
    return { current, latest, isNewer: latest !== null && (await isNewer(latest, current)), isOff, problem };
  }

  #ask(): Promise<StoredAnswer> {
    this.#asking ??= this.#askNpm().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askNpm(): Promise<StoredAnswer> {
    const { packageName, clock, runNpm = npm } = this.#options;
    let answer: Omit<StoredAnswer, "askedAt">;
    try {
      const printed: unknown = JSON.parse(await runNpm(["view", packageName, "version", "--json"]));
      const latest = typeof printed === "string" && /^\d+\.\d+\.\d+/.test(printed) ? printed : null;
      answer = { latest, problem: latest === null ? "The package registry returned no version." : null };
    } catch (error) {
      answer = { latest: null, problem: `The package registry could not be reached: ${firstLine(error)}` };
    }
    const stored = { askedAt: clock.now(), ...answer };
    this.#keep(stored);
    return stored;
  }

  #stored(): StoredAnswer | null {
    try {
      const answer = JSON.parse(readFileSync(this.#path(), "utf8")) as StoredAnswer;
      const age = this.#options.clock.now() - answer.askedAt;
      const isFresh = age >= 0 && age < (answer.latest === null ? RETRY_MS : KEPT_MS);
      return isFresh ? answer : null;
    } catch {
      // There is no stored answer, or only part of one: npm is asked again.
      return null;
    }
  }

  #keep(answer: StoredAnswer): void {
    try {
      writeFileSync(this.#path(), JSON.stringify(answer));
    } catch {
      // The answer is returned even if it cannot be stored.
    }
  }

  #path(): string {
    return join(this.#options.root, "update-check.json");
  }
}

/** Whether `other` comes after `current`, as semantic versioning orders them. Text that is not a version is never newer. */
export async function isNewer(other: string, current: string): Promise<boolean> {
  // Loaded here: few commands compare versions.
  const { default: semver } = await import("semver");
  return semver.valid(other) !== null && semver.valid(current) !== null && semver.gt(other, current);
}

const firstLine = (error: unknown): string => (error as Error).message.split("\n", 1)[0]!.slice(0, 200);

/** On Windows npm is a script, which only a shell can start; the arguments are constants. */
const npm: RunNpm = async (args) => {
  // Loaded here: most commands check nothing, and Node takes its time to load it.
  const { execFile } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const isWindows = process.platform === "win32";
    execFile("npm", args, { timeout: NPM_MS, shell: isWindows, windowsHide: true }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.killed) reject(new Error(`npm did not answer in ${NPM_MS / 1000} seconds`));
      else reject(new Error(npmProblem(stdout) ?? error.message));
    });
  });
};

/** With --json, npm prints errors to standard output. */
function npmProblem(printed: string): string | null {
  try {
    const { summary, code } = (JSON.parse(printed) as { error: { summary?: string; code?: string } }).error;
    return summary?.trim() || code || null;
  } catch {
    return null;
  }
}
