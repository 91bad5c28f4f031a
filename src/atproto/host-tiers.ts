/**
 * Tiers that the operator has assigned to hosts: a text file next to the segments, one host and its tier per line. A crawl reads it again when
 * it changes.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import type { Clock } from "../kernel/clock.ts";
import { isMissing, replaceFile } from "../storage/durable.ts";
import { endpointOfHost } from "./identity/did.ts";
import { HOST_TIERS, isTierName, TIER_NAMES, type TierName } from "./lane-policy.ts";

export const TIERS_FILE = "hosts.txt";

const WATCH_MS = 2_000;

type Tiers = Map<string, TierName>;

export class HostTiers {
  readonly #path: string;
  readonly #onNotice: (text: string) => void;
  #tiers: Tiers = new Map();
  /** Size and time of the file that was read. */
  #mark = "";
  #cancel = (): void => {};

  constructor(folder: string, onNotice: (text: string) => void = () => {}) {
    this.#path = join(folder, TIERS_FILE);
    this.#onNotice = onNotice;
    this.refresh();
  }

  /** By its name and port, as in the file. */
  of(origin: string): TierName | null {
    return this.#tiers.get(nameOf(origin)) ?? null;
  }

  /** The most accounts to take from a host's list: its tier's, otherwise `usual`. */
  accounts(origin: string, usual: number | null): number | null {
    const tier = this.of(origin);
    return tier === null ? usual : (HOST_TIERS[tier].accounts ?? usual);
  }

  /** Looks for changes every few seconds, until it is closed. */
  watch(clock: Clock, onChange: (origin: string) => void): void {
    this.#cancel = clock.after(WATCH_MS, () => {
      for (const origin of this.refresh()) onChange(origin);
      this.watch(clock, onChange);
    });
  }

  close(): void {
    this.#cancel();
  }

  /** The hosts whose tier has changed since the last time. A file that cannot be read changes nothing. */
  refresh(): string[] {
    try {
      const mark = markOf(this.#path);
      if (mark === this.#mark) return [];
      this.#mark = mark;
      const before = this.#tiers;
      this.#tiers = this.#read();
      const names = new Set([...before.keys(), ...this.#tiers.keys()]);
      return [...names].filter((name) => before.get(name) !== this.#tiers.get(name)).flatMap(originsOf);
    } catch (error) {
      this.#onNotice(`${this.#path} cannot be read: ${(error as Error).message}.`);
      return [];
    }
  }

  #read(): Tiers {
    const tiers: Tiers = new Map();
    for (const [index, line] of linesOf(this.#path).entries()) {
      const [name = "", tier = "", ...rest] = wordsOf(line);
      if (name === "") continue;
      if (isTierName(tier) && rest.length === 0) tiers.set(name.toLowerCase(), tier);
      else
        this.#onNotice(
          `${this.#path}, line ${index + 1}, is not a host and one of ${TIER_NAMES.join(", ")}: it is ignored.`,
        );
    }
    return tiers;
  }
}

/** Running crawls apply it within seconds. With null, the host's size decides again. Returns the host as it is in the file. */
export async function assignTier(folder: string, host: string, tier: TierName | null): Promise<string> {
  const name = hostName(host);
  const path = join(folder, TIERS_FILE);
  // What was written by hand stays as it is.
  const others = linesOf(path).filter((line) => line !== "" && wordsOf(line)[0]?.toLowerCase() !== name);
  const lines = tier === null ? others : [...others, `${name} ${tier}`];
  await replaceFile(path, async (file) => void (await file.writeFile(lines.map((line) => `${line}\n`).join(""))));
  return name;
}

function hostName(written: string): string {
  const bare = written.replace(/^https?:\/\//i, "").replace(/\/$/, "");
  const { origin, refused } = endpointOfHost(bare, true);
  if (origin !== null && !/[\s#]/.test(bare)) return nameOf(origin);
  throw new TrawlError(
    "BAD_USAGE",
    `${JSON.stringify(written)} is not a host, such as pds.example.com: ${refused ?? "it has spaces"}.`,
  );
}

/** None when there is no file. */
function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const wordsOf = (line: string): string[] => line.replace(/#.*/, "").trim().split(/\s+/);

function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

const nameOf = (origin: string): string => origin.slice(origin.indexOf("://") + 3);
const originsOf = (name: string): string[] => [`https://${name}`, `http://${name}`];
