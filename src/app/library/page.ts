/** A fetched page as the library gives it to its user. */
import type { Task } from "../../kernel/task.ts";
import type { FetchError } from "../../net/fetch-errors.ts";
import type { SiteMeta } from "../../site/link-kinds.ts";
import { LINK_NOFOLLOW } from "../../site/page/link-types.ts";
import { linkObjects } from "../../site/site-links.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import type { Visit } from "../../site/site-visit.ts";

export interface PageLink {
  url: string;
  type: string;
  text: string;
  position: string;
  internal: boolean;
  nofollow: boolean;
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
  /** Null when content is not hashed. */
  contentHash: string | null;
  indexable: "Yes" | "No" | "-";
  indexability: string | null;
  canonical: string | null;
  depth: number;
  /** Ms from the request to the last byte of the answer. */
  timeMs: number;
  /** The page as it was sent, decoded; after rendering, as it was then. */
  html: string;
  links: PageLink[];
}

export interface Resource {
  url: string;
  /** How it was linked: image, script, stylesheet, anchor, and so on. */
  kind: string;
  /** Null when there was no answer. */
  status: number | null;
  contentType: string | null;
  size: number | null;
  /** A code of the fetch error table. */
  error: string | null;
}

export function pageOf(task: Task<SiteMeta>, visit: Visit, { page }: SiteRecord): Page {
  const { facts } = visit.rendered?.content ?? visit.content!;
  return {
    url: task.key,
    status: visit.response.status,
    title: facts.title,
    description: facts.description,
    h1: facts.h1,
    language: facts.language,
    wordCount: facts.word_count,
    contentType: visit.contentType,
    contentHash: facts.content_hash,
    indexable: page.indexable,
    indexability: page.indexability,
    canonical: visit.canonical,
    depth: task.depth,
    timeMs: visit.response.timings.total,
    html: visit.rendered?.result.html ?? visit.html!.toString(),
    links: linkObjects(visit.links).map(({ target, kind, text, position, flags }) => ({
      url: target.url,
      type: kind,
      text,
      position,
      internal: target.internal,
      nofollow: (flags & LINK_NOFOLLOW) !== 0,
    })),
  };
}

export const resourceOf = (
  task: Task<SiteMeta>,
  status: number | null,
  record: SiteRecord | null,
  error: FetchError | null,
): Resource => ({
  url: task.key,
  kind: task.meta.kind,
  status,
  contentType: record?.page.content_type ?? null,
  size: record?.page.size ?? null,
  error: error?.code ?? null,
});
