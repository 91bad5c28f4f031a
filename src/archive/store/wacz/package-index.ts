/**
 * The index of a WACZ package, in the form that replay tools read piece by piece, and the list of pages that a person
 * can open.
 */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Line, readLines } from "../../../storage/read-lines.ts";
import { decodeHtml } from "../../../web/charset.ts";
import { decodeText, scanHtml } from "../../../web/html/index.ts";
import { cdxjTime, parseCdxj, REVISIT_MIME } from "../warc/cdxj.ts";
import { digestOf, warcDate } from "../warc/warc-record.ts";

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

/**
 * Merges files of sorted lines into one sorted stream, holding one line of each file in memory. Equal lines are
 * returned once. Code units are compared: the keys are ASCII, so that is also the order of their bytes.
 */
export async function* mergeLines(paths: readonly string[]): AsyncGenerator<string> {
  let sources: Source[] = [];
  for (const path of paths) {
    const source = { line: "", rest: readLines(path) };
    if (await advance(source)) sources.push(source);
  }
  let previous: string | null = null;
  try {
    while (sources.length > 0) {
      // There are as many sources as gigabytes, and searching all of them is cheap compared to reading a line.
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

/** `pages/pages.jsonl` of a package: the pages a person can open, with the last capture of each. */
const HTML = new Set(["text/html", "application/xhtml+xml"]);

/** The title of a page by its payload digest; null when it has none, or the page is not available. */
export type TitleOf = (digest: string) => Promise<string | null>;

export const PAGES_HEADER = '{"format":"json-pages-1.0","id":"pages","title":"All Pages"}\n';

/** Takes sorted index lines. All captures of a URL come together, mixed with those of URLs that differ only in case. */
export class PageList {
  readonly #write: (text: string) => Promise<unknown>;
  readonly #titleOf: TitleOf;
  #key: string | null = null;
  /** URL → its last capture, for one key. */
  #pages = new Map<string, { timestamp: string; digest: string }>();
  count = 0;

  constructor(write: (text: string) => Promise<unknown>, titleOf: TitleOf) {
    this.#write = write;
    this.#titleOf = titleOf;
  }

  async add(line: string): Promise<void> {
    const parsed = parseCdxj(line);
    if (parsed === null) return;
    const { key, timestamp, entry } = parsed;
    if (key !== this.#key) await this.#flush();
    this.#key = key;
    const { url, mime, status, digest } = entry;
    if (status !== "200") return;
    // A revisit is listed only where the page has no capture of its own, because it sends the reader elsewhere.
    if (mime === REVISIT_MIME ? !this.#pages.has(url) : HTML.has(mime)) this.#pages.set(url, { timestamp, digest });
  }

  async finish(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    for (const [url, { timestamp, digest }] of this.#pages) {
      const title = await this.#titleOf(digest);
      const page = {
        id: `page-${++this.count}`,
        url,
        ts: warcDate(cdxjTime(timestamp)),
        ...(title !== null && { title }),
      };
      await this.#write(`${JSON.stringify(page)}\n`);
    }
    this.#pages = new Map();
  }
}

/** A title comes near the beginning; the rest of a large page need not be read. */
const HEAD_BYTES = 256 << 10;

/** Longer titles do not help in a list. */
const MAX_TITLE = 500;

/** The title of a stored page; null when it has none. */
export function pageTitle(page: Buffer): string | null {
  let title = "";
  let state: "before" | "inside" | "done" = "before";
  let svg = 0;
  scanHtml(decodeHtml(page.subarray(0, HEAD_BYTES), null).utf8, {
    open(tag, _attributes, empty) {
      if (tag.name === "svg" && !empty) svg++;
      // Drawings (SVG) have titles of their own.
      else if (tag.name === "title" && state === "before" && svg === 0) state = "inside";
    },
    close(tag) {
      if (tag.name === "svg") svg--;
      else if (tag.name === "title" && state === "inside") state = "done";
    },
    text(source, start, end, references) {
      if (state !== "inside" || title.length > MAX_TITLE) return;
      const raw = source.text(start, end);
      title += references ? decodeText(raw) : raw;
    },
  });
  return title.replace(/\s+/g, " ").trim().slice(0, MAX_TITLE) || null;
}
