/**
 * The index of a package as replay tools read it piece by piece: `index.cdx.gz`, gzip members of some lines each, and
 * `index.idx`, which names the first key of every member and where the member is.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { digestOf } from "../warc/warc-record.ts";

export const INDEX_NAME = "index.cdx.gz";

/** Lines a member: those of cdxj-indexer. A reader fetches one member for a URL, some tens of KB. */
const LINES = 1024;

const compress = promisify(gzip);

export class CompressedIndex {
  readonly #data: (bytes: Buffer) => Promise<unknown>;
  readonly #index: (text: string) => Promise<unknown>;
  #lines: string[] = [];
  #offset = 0;

  constructor(data: (bytes: Buffer) => Promise<unknown>, index: (text: string) => Promise<unknown>) {
    this.#data = data;
    this.#index = index;
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line);
    if (this.#lines.length === LINES) await this.#flush();
  }

  async finish(): Promise<void> {
    if (this.#lines.length > 0) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#offset === 0) {
      await this.#index(`!meta 0 ${JSON.stringify({ format: "cdxj-gzip-1.0", filename: INDEX_NAME })}\n`);
    }
    const first = this.#lines[0]!;
    const member = await compress(`${this.#lines.join("\n")}\n`);
    const place = { offset: this.#offset, length: member.length, digest: digestOf(member), filename: INDEX_NAME };
    await this.#index(`${first.slice(0, first.indexOf("{")).trim()} ${JSON.stringify(place)}\n`);
    await this.#data(member);
    this.#offset += member.length;
    this.#lines = [];
  }
}
