/** The files of a catalogue: a manifest that names its runs and the segments they cover, logs of writers, names of other DIDs. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { TrawlError } from "../../errors.ts";
import { replaceFile } from "../../storage/durable.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { keyOf, keyText } from "./catalogue-record.ts";

export interface Manifest {
  version: 1;
  /** The oldest first. */
  runs: { file: string; count: number }[];
  /** The segments whose blocks are all in the catalogue, by number, with the size of their files. */
  segments: Record<string, number>;
}

const MANIFEST = "manifest.json";
const LOG = /^log-[0-9a-f]{32}$/;
const RUN = /^run-[0-9a-f]{32}$/;
/** Names of DIDs other than did:plc, one per line. */
export const NAMES = "names.txt";
export const MANIFEST_LOCK = "manifest.lock";
export const MERGE_LOCK = "merge.lock";
const LOCK_POLL_MS = 20;

export const newRunName = (): string => `run-${randomBytes(16).toString("hex")}`;
export const newLogName = (): string => `log-${randomBytes(16).toString("hex")}`;

export const logNames = (folder: string): string[] => namesLike(folder, LOG);
export const runNames = (folder: string): string[] => namesLike(folder, RUN);
const namesLike = (folder: string, pattern: RegExp): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : [];

/** Null when there is none yet. */
export function readManifest(folder: string): Manifest | null {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return null;
  try {
    const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
    if (manifest.version === 1) return manifest;
  } catch {
    // Told below.
  }
  throw new TrawlError(
    "FILE_NOT_READABLE",
    `${path} is not the manifest of a catalogue; \`trawl atproto index --rebuild\` rebuilds it.`,
  );
}

export const emptyManifest = (): Manifest => ({ version: 1, runs: [], segments: {} });

export const saveManifest = (folder: string, manifest: Manifest, fs: FileSystem): Promise<void> =>
  replaceFile(join(folder, MANIFEST), (file) => file.writeFile(JSON.stringify(manifest)), { fs });

/** Waits for its turn, because others hold it only for a moment. */
export async function takeLock(folder: string, name: string): Promise<FileLock> {
  for (;;) {
    const lock = lockFile(join(folder, name), 0);
    if (lock !== null) return lock;
    await setTimeout(LOCK_POLL_MS);
  }
}

/** DIDs by the text of their keys. A line that a crash tore has a key that no record has. */
export function readNames(folder: string): Map<string, string> {
  const path = join(folder, NAMES);
  const names = new Map<string, string>();
  if (!existsSync(path)) return names;
  for (const did of readFileSync(path, "utf8").split("\n")) if (did !== "") names.set(keyText(keyOf(did)), did);
  return names;
}
