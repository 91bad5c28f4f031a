/**
 * The index of a package in the form that replay tools read piece by piece: `index.cdx.gz`, gzip members of some lines
 * each, and `index.idx`, which lists the first key and the offset of every member.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Line, readLines } from "../../../storage/read-lines.ts";
import { digestOf } from "../warc/warc-record.ts";

export const INDEX_NAME = "index.cdx.gz";

/** Lines per member, as in cdxj-indexer. A reader fetches one member for a URL, a few tens of KB. */
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

interface Source {
  line: string;
  rest: AsyncGenerator<Line>;
}

/** Merges files of sorted lines into one sorted stream, with one line of each file in memory. Equal lines come once. Code units are compared: the keys are ASCII, for which that is the order of their bytes. */
export async function* mergeLines(paths: readonly string[]): AsyncGenerator<string> {
  let sources: Source[] = [];
  for (const path of paths) {
    const source = { line: "", rest: readLines(path) };
    if (await advance(source)) sources.push(source);
  }
  let previous: string | null = null;
  try {
    while (sources.length > 0) {
      // There are as many sources as gigabytes: searching all of them is cheap compared to reading a line.
      const least = sources.reduce((best, source) => (source.line < best.line ? source : best));
      if (least.line !== previous) yield least.line;
      previous = least.line;
      if (!(await advance(least))) sources = sources.filter((source) => source !== least);
    }
  } finally {
    for (const { rest } of sources) await rest.return(undefined);
  }
}

async function advance(source: Source): Promise<boolean> {
  const { value, done } = await source.rest.next();
  if (done || value.flaw !== null) return false;
  source.line = value.bytes.toString();
  return true;
}
