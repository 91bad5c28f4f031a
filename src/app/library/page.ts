/** A fetched page, as callers of the library receive it. */
import type { Task } from "../../kernel/task.ts";
import type { FetchError } from "../../net/fetch-errors.ts";
import type { HeaderPairs } from "../../net/headers.ts";
import { truthOf } from "../../site/facts/field-names.ts";
import type { SiteMeta } from "../../site/links/link-kinds.ts";
import { linkObjects } from "../../site/links/site-links.ts";
import { LINK_NOFOLLOW } from "../../site/page/link-types.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import type { Visit } from "../../site/visit/site-visit.ts";
import { STORED_LINK_STRIDE, TARGET } from "../../web/html/link-rows.ts";

export interface PageLink {
  url: string;
  type: string;
  text: string;
  /** The text around it. */
  context: string;
  position: string;
  internal: boolean;
  nofollow: boolean;
  /** What had been decided about its URL by then: a URL linked only with nofollow may be linked without it later. */
  action: UrlAction;
}

export interface Page {
  url: string;
  status: number;
  title: string | null;
  description: string | null;
  h1: string | null;
  language: string | null;
  wordCount: number;
  contentType: string | null;
  /** Names in lower case. Values of a repeated header are joined by commas, those of `set-cookie` by line breaks. */
  headers: Record<string, string>;
  /** The URL on which it was first found; null for a start URL and for what a sitemap or `run.add` named first. */
  foundOn: string | null;
  /** Null when content is not hashed. */
  contentHash: string | null;
  /** Null when the question does not apply. */
  indexable: boolean | null;
  indexability: string | null;
  canonical: string | null;
  depth: number;
  /** Time from the request to the last byte of the answer, in ms. */
  timeMs: number;
  /** The page as sent, decoded; or after rendering. */
  html: string;
  /** The text that a reader sees. */
  text: string;
  links: PageLink[];
}

export interface Resource {
  url: string;
  /** How it was linked: image, script, stylesheet, anchor, and so on. */
  kind: string;
  /** Null when there was no answer. */
  status: number | null;
  contentType: string | null;
  /** Bytes of the body, decompressed; null when there was no answer. */
  size: number | null;
  /** From the answer, as for pages; null when there was no answer. */
  headers: Record<string, string> | null;
  /** The URL on which it was first found; null for a start URL and for what a sitemap or `run.add` named first. */
  foundOn: string | null;
  /** Where it redirects to; null when it does not. */
  redirectTo: string | null;
  /** A code of the fetch error table. */
  error: string | null;
}

/** What was decided about each URL, by its id: one byte each, because there may be millions of them. */
export class UrlActions {
  static readonly #ACTIONS: readonly UrlAction[] = ["skip", "record", "crawl"];
  #bytes = new Uint8Array(1 << 12);

  set(id: number, action: UrlAction): void {
    if (id >= this.#bytes.length) {
      const grown = new Uint8Array(Math.max(id + 1, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[id] = UrlActions.#ACTIONS.indexOf(action);
  }

  get(id: number): UrlAction {
    return UrlActions.#ACTIONS[this.#bytes[id] ?? 0]!;
  }
}

export function pageOf(
  task: Task<SiteMeta>,
  visit: Visit,
  record: SiteRecord,
  actions: UrlActions,
  foundOn: string | null,
): Page {
  const { facts, links, textBytes } = visit.rendered?.content ?? visit.content!;
  const { page } = record;
  return {
    url: task.key,
    status: visit.response.status,
    title: facts.title,
    description: facts.description,
    h1: facts.h1,
    language: facts.language,
    wordCount: facts.word_count,
    contentType: visit.contentType,
    headers: headersOf(visit.response.headers),
    foundOn,
    contentHash: facts.content_hash,
    indexable: truthOf(page.indexable),
    indexability: page.indexability,
    canonical: visit.canonical,
    depth: task.depth,
    timeMs: visit.response.timings.total,
    html: visit.rendered?.result.html ?? visit.html!.toString(),
    text: links.texts.toString("utf8", 0, textBytes).trim(),
    links: linkObjects(visit.links).map(({ target, kind, text, context, position, flags }, index) => ({
      url: target.url,
      type: kind,
      text,
      context,
      position,
      internal: target.internal,
      nofollow: (flags & LINK_NOFOLLOW) !== 0,
      action: actions.get(record.links[index * STORED_LINK_STRIDE + TARGET]!),
    })),
  };
}

function headersOf(pairs: HeaderPairs): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}${name === "set-cookie" ? "\n" : ", "}${value}`);
  }
  return Object.fromEntries(headers);
}

/** With `error`, there was no answer, so `visit` and `record` are missing. */
export const resourceOf = (
  task: Task<SiteMeta>,
  answer: { visit: Visit; record: SiteRecord } | null,
  error: FetchError | null,
  foundOn: string | null,
): Resource => ({
  url: task.key,
  kind: task.meta.kind,
  status: answer?.visit.response.status ?? null,
  contentType: answer?.record.page.content_type ?? null,
  size: answer?.record.page.size ?? null,
  headers: answer === null ? null : headersOf(answer.visit.response.headers),
  foundOn,
  redirectTo: answer?.visit.redirect ?? null,
  error: error?.code ?? null,
});
