/**
 * `seal.json`: up to which commit everything must be there, and whether the ledger was closed after it. Without it,
 * commits that are missing at the end would look like a crash. It is replaced as a whole when a ledger is opened and
 * when it is closed; in between, a line is added after each commit. These lines are not synced: a power cut may lose or
 * damage them, and then the seal vouches for less. `kill -9` does neither.
 */
import { readFile } from "node:fs/promises";
import { missingAsNull, replaceFile } from "../../storage/durable.ts";
import { type FileSystem, isDiskFull, type OpenFile, realFileSystem } from "../../storage/file-system.ts";
import { addSum, follows, readSum } from "../../storage/line-sums.ts";

export interface Seal {
  commit: number;
  /** It was the last commit, and nothing was written after it to any file. */
  closed: boolean;
}

const encode = ({ commit, closed }: Seal): Buffer => addSum(JSON.stringify({ commit, closed }), 0).line;

/** Null when the line is not intact. `line` ends with its newline. */
function decode(line: Buffer): Seal | null {
  const sum = readSum(line.subarray(0, -1));
  if (sum === null || !follows(sum, 0)) return null;
  const seal = JSON.parse(`${sum.text}}`) as Seal;
  return encode(seal).equals(line) ? seal : null;
}

/** `missing` and `damaged` are told apart: a ledger from before there were seals has none. */
export type StoredSeal = Seal | "missing" | "damaged";

export async function readSeal(path: string): Promise<StoredSeal> {
  const bytes = await readFile(path).catch(missingAsNull(path));
  if (bytes === null) return "missing";
  const end = bytes.indexOf("\n") + 1;
  const first = decode(bytes.subarray(0, end));
  // A ledger that was closed has nothing after the first line.
  if (first === null || (first.closed && end < bytes.length)) return "damaged";
  let { commit } = first;
  for (let at = end; at < bytes.length; ) {
    const next = bytes.indexOf("\n", at) + 1 || bytes.length;
    const seal = decode(bytes.subarray(at, next));
    if (seal !== null && (seal.closed || seal.commit <= commit)) return "damaged";
    commit = seal?.commit ?? commit;
    at = next;
  }
  return { commit, closed: first.closed };
}

/**
 * The seal for commits that were read after it. `before`: as it was then. Another process may work on the ledger meanwhile: what it has
 * committed since is not missing, and what it has added to a ledger that it found closed is no damage.
 */
export async function sealSince(path: string, before: StoredSeal): Promise<StoredSeal> {
  if (before === "damaged" || (before !== "missing" && !before.closed)) return before;
  const now = await readSeal(path);
  if (now === "missing" || now === "damaged") return now;
  const { commit } = before === "missing" ? { commit: -1 } : before;
  return { commit, closed: now.closed && now.commit === commit };
}

export const writeSeal = (path: string, seal: Seal, fs?: FileSystem): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(encode(seal)), { fs });

/** A longer file is replaced by its last line. */
const MOST_BYTES = 1 << 16;

/** The seal of a ledger in use. */
export class OpenSeal {
  readonly #path: string;
  readonly #fs: FileSystem;
  #handle: OpenFile;
  #length = 0;

  private constructor(path: string, handle: OpenFile, fs: FileSystem) {
    this.#path = path;
    this.#handle = handle;
    this.#fs = fs;
  }

  static async open(path: string, commit: number, fs = realFileSystem): Promise<OpenSeal> {
    await writeSeal(path, { commit, closed: false }, fs);
    return new OpenSeal(path, await fs.open(path, "a"), fs);
  }

  /** The commit is durable. */
  async advance(commit: number): Promise<void> {
    const seal = { commit, closed: false };
    const line = encode(seal);
    try {
      if (this.#length < MOST_BYTES) await this.#handle.writeFile(line);
      else {
        await writeSeal(this.#path, seal, this.#fs);
        await this.#handle.close();
        this.#handle = await this.#fs.open(this.#path, "a");
        this.#length = 0;
      }
      this.#length += line.length;
    } catch (error) {
      // The commit counts even though the seal lags behind.
      if (!isDiskFull(error)) throw error;
    }
  }

  /** Nothing was written to any file after this commit. */
  whenClosed(commit: number): Promise<void> {
    return writeSeal(this.#path, { commit, closed: true }, this.#fs);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
