/** A page's text as Markdown, and its HTML, either stored by a crawl or fetched now by the crawl's rules. */
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import { parseConfig } from "../../site/site-config.ts";

import { readHtml } from "../../site/store/bodies.ts";
import { findUrl } from "../../site/store/link-queries.ts";
import { originOf } from "../../web/url.ts";
import { type Caller, OWNER } from "../caller.ts";
import type { Crawls } from "../crawls/crawls.ts";
import { checkStartAddresses } from "../crawls/start-addresses.ts";
import type { PageTextAnswer } from "../operations/urls.ts";
import type { Readers } from "./readers.ts";

export interface PageTextParts {
  crawls: Crawls;
  readers: Readers;
  clock: Clock;
  permits?: FetchPermits;
}

export class PageText {
  readonly #parts: PageTextParts;

  constructor(parts: PageTextParts) {
    this.#parts = parts;
  }

  /** `fetch`: fetch the page now if the crawl did not store its HTML. Not for callers who may not crawl there. */
  async get(
    { id, url, fetch }: { id: number; url: string; fetch: boolean },
    caller: Caller = OWNER,
  ): Promise<PageTextAnswer> {
    const found = this.#find(id, url);
    if (found.html === null && !fetch) throw notStored(found.url);
    const page = found.html === null ? await this.#fetch(id, found.url, caller) : { url: found.url, html: found.html };
    const { htmlToMarkdown } = await import("../../site/page/markdown/markdown.ts");
    const markdown = htmlToMarkdown(page.html, { url: page.url });
    const source = found.html === null ? "fetched now" : "stored";
    return { url: found.url, source, markdown, characters: markdown.length };
  }

  /** The HTML that the crawl stored. */
  source({ id, url }: { id: number; url: string }): { url: string; html: string } {
    const { url: canonical, html } = this.#find(id, url);
    if (html === null) throw notStored(canonical);
    return { url: canonical, html };
  }

  #find(id: number, typed: string): { url: string; html: string | null } {
    const { crawls, readers } = this.#parts;
    const canonical = crawls.canonical(id, typed);
    const reader = readers.get(id);
    const { id: urlId, url } = findUrl(reader, canonical);
    return { url, html: readHtml(reader, urlId) };
  }

  /** With the crawl's settings: its headers, its limits, its robots.txt, and no private address except its own. */
  async #fetch(id: number, url: string, caller: Caller): Promise<{ url: string; html: string }> {
    const { crawls, readers, clock, permits } = this.#parts;
    const { settings, startUrls } = crawls.get(id);
    const [{ OutsideClient, outsideNotes }, { decodeHtml }] = await Promise.all([
      import("../../site/client/outside-client.ts"),
      import("../../web/charset.ts"),
    ]);
    const config = parseConfig(settings);
    const hostNotes = await checkStartAddresses([url], config, caller);
    const notes = [...outsideNotes(readers.get(id), originOf(url)), ...hostNotes];
    const client = new OutsideClient({ config, startUrls, clock, permits, notes });
    try {
      const response = await client.get(url);
      const type = response.header("content-type");
      if (response.status >= 400) throw new TrawlError("PAGE_NOT_FETCHED", `${url} answered ${response.status}.`);
      if (type !== null && !/html/i.test(type))
        throw new TrawlError("PAGE_NOT_FETCHED", `${url} is ${type}, not HTML.`);
      return { url: response.url, html: decodeHtml(response.body, type).utf8.toString() };
    } finally {
      await client.close();
    }
  }
}

const notStored = (url: string): TrawlError =>
  new TrawlError("PAGE_NOT_STORED", `This crawl did not store the HTML of ${url}.`);
