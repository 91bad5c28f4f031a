/** Bad lines on their way to a file of their own: nothing that somebody may still want to read is thrown away. */
import { basename, join } from "node:path";
import { AppendFile } from "../../storage/append-file.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import type { Line } from "../../storage/read-lines.ts";

/** Written when so much has gathered: a file may be bad from end to end. */
const BLOCK_BYTES = 1 << 20;

export interface DamagedLine {
  file: string;
  line: number;
}

export class DamagedLines {
  readonly path: string;
  readonly found: DamagedLine[] = [];
  readonly #bytes: Buffer[] = [];
  readonly #fs: FileSystem | undefined;
  #size = 0;

  constructor(stateFolder: string, now: number, fs?: FileSystem) {
    this.#fs = fs;
    this.path = join(stateFolder, `damaged-${Math.floor(now / 1_000)}.txt`);
  }

  async add(path: string, { number, bytes }: Pick<Line, "number" | "bytes">): Promise<void> {
    this.found.push({ file: basename(path), line: number });
    this.#bytes.push(Buffer.concat([bytes, Buffer.from("\n")]));
    this.#size += bytes.length;
    if (this.#size >= BLOCK_BYTES) await this.flush();
  }

  /** Adds to what is there: the metadata's own repair may write to the same file. */
  async flush(): Promise<void> {
    if (this.#bytes.length === 0) return;
    const file = await AppendFile.open(this.path, this.#fs);
    try {
      await file.append(Buffer.concat(this.#bytes.splice(0)));
      this.#size = 0;
    } finally {
      await file.close();
    }
  }
}
