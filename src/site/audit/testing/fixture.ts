/** A fixture: a small site of its own for a rule, on which it fires, and one on which it does not. */
import type { FieldFacts, PageRow, RenderedRow } from "../../facts/fact-rows.ts";

/** HTML, or an answer in parts. A header that is null is left out, although a healthy server sends it. */
export type Answer = string | AnswerParts;

export interface AnswerParts {
  status?: number;
  type?: string | null;
  headers?: Record<string, string | null>;
  body?: string | Buffer;
  /** Cuts the connection instead of answering. */
  cut?: true;
  /** Sent as it is, without compression. */
  plain?: true;
}

/**
 * Answers by path; `/` alone may be given by itself. In texts, `{origin}`, `{url}` and `{path}` stand for the request's own
 * address, `{http}` for the same host without encryption, `{out}` for a host outside the site, and `{gone}` for one that does not exist.
 */
export type Site = Answer | Record<`/${string}` | `out/${string}` | `http/${string}`, Answer>;

export interface Fixture {
  fires: Site;
  silent: Site;
  /** The address of the finding; by default the start page. */
  at?: string;
  /**
   * Facts that a small site cannot have, such as a time: they are written into the crawl's database before the audit.
   */
  facts?: { fires: Partial<PageRow>; silent: Partial<PageRow> };
  /** As above, for what a browser would have found. */
  rendered?: { fires: Partial<RenderedRow>; silent: Partial<RenderedRow> };
  /** As above, for what a service would have measured. */
  field?: { fires: Partial<FieldFacts>; silent: Partial<FieldFacts> };
  /** A statement that stores what only a browser could find out about the page that fires, with its id. */
  sql?: string;
  /**
   * A statement that stores what the previous crawl knew about the page that fires, with its id; everything else was as
   * it is now.
   */
  earlier?: string;
}

export type Fixtures = Record<string, Fixture>;

export const answersOf = (site: Site): Record<string, Answer> =>
  typeof site === "string" || !Object.keys(site).some((key) => /^(out|http)?\//.test(key))
    ? { "/": site as Answer }
    : (site as Record<string, Answer>);
