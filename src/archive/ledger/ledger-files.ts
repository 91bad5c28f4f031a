/** The files of a ledger while it is open: appended to, and now and then replaced by a shorter one. */
import { AppendFile } from "../../storage/append-file.ts";
import { replaceFile } from "../../storage/durable.ts";
import { type FileSystem, type OpenFile, realFileSystem } from "../../storage/file-system.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import type { LedgerPaths } from "./ledger-paths.ts";

const NAMES = ["frontier", "fetched", "robots", "refused", "commits"] as const satisfies (keyof LedgerPaths)[];
type Name = (typeof NAMES)[number];

/** Written at once when a file is rewritten. */
const BLOCK_BYTES = 1 << 20;
const NEWLINE = Buffer.from("\n");

export class LedgerFiles {
  readonly fs: FileSystem;
  readonly #files: Record<Name, AppendFile>;

  private constructor(files: Record<Name, AppendFile>, fs: FileSystem) {
    this.#files = files;
    this.fs = fs;
  }

  /** Makes those that are not there. */
  static async open(paths: LedgerPaths, fs = realFileSystem): Promise<LedgerFiles> {
    const files: Partial<Record<Name, AppendFile>> = {};
    try {
      for (const name of NAMES) files[name] = await AppendFile.open(paths[name], fs);
    } catch (error) {
      await Promise.all(Object.values(files).map((file) => file.close()));
      throw error;
    }
    return new LedgerFiles(files as Record<Name, AppendFile>, fs);
  }

  get frontier(): AppendFile {
    return this.#files.frontier;
  }

  get fetched(): AppendFile {
    return this.#files.fetched;
  }

  get robots(): AppendFile {
    return this.#files.robots;
  }

  get refused(): AppendFile {
    return this.#files.refused;
  }

  get commits(): AppendFile {
    return this.#files.commits;
  }

  all(): AppendFile[] {
    return Object.values(this.#files);
  }

  /** Replaces a file by the lines of it that `keep` gives back, changed or not, and by `end`; whole or not at all. */
  async rewrite(name: Name, keep: (line: Line) => Buffer | null, end = ""): Promise<void> {
    const old = this.#files[name];
    const write = async (handle: OpenFile): Promise<void> => {
      let block: Buffer[] = [];
      let size = 0;
      const flush = async (): Promise<void> => {
        await handle.writeFile(Buffer.concat(block));
        [block, size] = [[], 0];
      };
      for await (const line of readLines(old.path)) {
        const kept = keep(line);
        if (kept === null) continue;
        block.push(kept, NEWLINE);
        size += kept.length + 1;
        if (size >= BLOCK_BYTES) await flush();
      }
      block.push(Buffer.from(end));
      await flush();
    };
    await replaceFile(old.path, write, { fs: this.fs });
    // The old file has lost its name; what was open is of no use any more.
    this.#files[name] = await AppendFile.open(old.path, this.fs);
    await old.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((file) => file.close()));
  }
}
