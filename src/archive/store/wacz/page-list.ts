/** `pages/pages.jsonl` of a package: the pages a person can open, with the last capture of each. */

import { decodeHtml } from "../../../web/charset.ts";
import { decodeText, scanHtml } from "../../../web/html/index.ts";
import { cdxjTime, parseCdxj, REVISIT_MIME } from "../warc/cdxj.ts";
import { warcDate } from "../warc/warc-record.ts";

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
    // A revisit is listed only where the page has no capture of its own: it sends the reader elsewhere.
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
