/** `pages/pages.jsonl` of a package: the pages a person may open, the last capture of each. */
import { cdxjTime, parseCdxj, REVISIT_MIME } from "../warc/cdxj.ts";
import { warcDate } from "../warc/warc-record.ts";

const HTML = new Set(["text/html", "application/xhtml+xml"]);

/** The title of a page by its payload digest; null when it has none, or the page is not at hand. */
export type TitleOf = (digest: string) => Promise<string | null>;

export const PAGES_HEADER = '{"format":"json-pages-1.0","id":"pages","title":"All Pages"}\n';

/** Reads sorted index lines: all captures of a URL come together (those of URLs that differ in case come mixed). */
export class PageList {
  readonly #write: (text: string) => Promise<unknown>;
  readonly #titleOf: TitleOf;
  #key: string | null = null;
  /** URL → its last capture, of one key. */
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
    // A revisit stands for the page only where there is no capture of its own: it sends the reader elsewhere.
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
