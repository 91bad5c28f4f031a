/** Whether the package registry has a newer version (checked with npm, at most once a day), and how to install it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import type { Clock } from "../kernel/clock.ts";
import { type Installation, PACKAGE_NAME } from "./installation.ts";
import { npm, type RunNpm } from "./npm.ts";
import type { UpdateInfo } from "./operations/about.ts";

export interface UpdatesOptions {
  version: string;
  installation: Installation;
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
/** A slow connection, and a registry that npm tries several times. */
const INSTALL_MS = 15 * 60_000;

interface StoredAnswer {
  askedAt: number;
  latest: string | null;
  problem: string | null;
}

export class Updates {
  readonly #options: UpdatesOptions;
  #asking: Promise<StoredAnswer> | null = null;
  #installing: Promise<string> | null = null;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  get installation(): Installation {
    return this.#options.installation;
  }

  async check(): Promise<UpdateInfo> {
    if (this.#options.isOff) return this.#info({ latest: null, problem: null });
    return this.#info(this.#stored() ?? (await this.#ask()));
  }

  /**
   * Asks npm now, whatever is stored, and even if the check is off: that setting concerns checks that nobody asked for.
   */
  async checkNow(): Promise<UpdateInfo> {
    return { ...(await this.#info(await this.#ask())), isOff: false };
  }

  /** Has npm install the newest version instead of this one. Returns the version that is installed afterwards. */
  install(): Promise<string> {
    // Two windows may ask at once, but two npms would break each other's work.
    this.#installing ??= this.#install().finally(() => {
      this.#installing = null;
    });
    return this.#installing;
  }

  async #install(): Promise<string> {
    const { runNpm = npm, installation, version } = this.#options;
    const { root, npmArguments, command } = installation;
    if (npmArguments === null) {
      const hint = command === null ? "Update it the way you installed it." : `Run \`${command}\`.`;
      throw new TrawlError("BAD_USAGE", "npm cannot update this installation.", { hint });
    }
    try {
      await runNpm(npmArguments, { timeoutMs: INSTALL_MS });
    } catch (error) {
      throw new TrawlError("UPDATE_FAILED", `npm could not install the new version: ${(error as Error).message}`);
    }
    const installed = installedVersion(root);
    if (installed !== null && (await isNewer(installed, version))) return installed;
    const found = installed === null ? "has no readable package.json" : `still has version ${installed}`;
    throw new TrawlError("UPDATE_FAILED", `npm reported success, but ${root} ${found}.`);
  }

  async #info({ latest, problem }: Pick<StoredAnswer, "latest" | "problem">): Promise<UpdateInfo> {
    const { version: current, isOff, installation } = this.#options;
    const { installedBy, command, npmArguments } = installation;
    const hasNewer = latest !== null && (await isNewer(latest, current));
    return {
      current,
      latest,
      isNewer: hasNewer,
      isOff,
      problem,
      installedBy,
      command,
      canInstall: npmArguments !== null,
    };
  }

  #ask(): Promise<StoredAnswer> {
    this.#asking ??= this.#askNpm().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askNpm(): Promise<StoredAnswer> {
    const { clock, runNpm = npm } = this.#options;
    let answer: Omit<StoredAnswer, "askedAt">;
    try {
      const printed: unknown = JSON.parse(await runNpm(["view", PACKAGE_NAME, "version", "--json"]));
      const latest = typeof printed === "string" && /^\d+\.\d+\.\d+/.test(printed) ? printed : null;
      answer = { latest, problem: latest === null ? "The package registry returned no version." : null };
    } catch (error) {
      answer = { latest: null, problem: `npm could not say what the newest version is: ${firstLine(error)}` };
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
      writeFileSync(this.#path(), JSON.stringify(answer), { mode: 0o600 });
    } catch {
      // The answer is returned even if it cannot be stored.
    }
  }

  #path(): string {
    return join(this.#options.root, "update-check.json");
  }
}

/**
 * Whether `other` comes after `current`, as semantic versioning orders them. A text that is not a version is never
 * newer.
 */
export async function isNewer(other: string, current: string): Promise<boolean> {
  // Loaded here, because few commands compare versions.
  const { default: semver } = await import("semver");
  return semver.valid(other) !== null && semver.valid(current) !== null && semver.gt(other, current);
}

const firstLine = (error: unknown): string => (error as Error).message.split("\n", 1)[0]!.slice(0, 200);

function installedVersion(root: string): string | null {
  try {
    return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
  } catch {
    return null;
  }
}
