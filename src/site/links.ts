/** Links of a page with their canonical targets, and how they are offered to the crawl and packed for the store. */
import type { Offer } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import { type BaseUrl, type Canonicalize, prepareBase } from "../web/url.ts";
import { isResource, type Kind, kindNumber, kindOf, NOFOLLOW, ON_NOINDEX, type Via, viaNumber } from "./finds.ts";
import { LINK_POSITIONS, type PageLink } from "./page/page-content.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED, LINK_SPONSORED, LINK_STRIDE, LINK_UGC } from "./record.ts";
import type { TextDictionary } from "./text-dictionary.ts";

export interface ResolvedLink {
  url: string;
  kind: Kind;
  via: Via;
  /** Null for what is no link in a document: a sitemap's entry, a request of a script. */
  link: PageLink | null;
  rendered: boolean;
}

const positions = new Map<string, number>(LINK_POSITIONS.map((position, index) => [position, index]));
const CONTENT = positions.get("content")!;

/** Resolves a page's links; what is no http(s) URL (mailto:, javascript:) is left out. */
export function resolveLinks(
  links: PageLink[],
  base: BaseUrl,
  canonicalize: Canonicalize,
  rendered: boolean,
): ResolvedLink[] {
  const resolved: ResolvedLink[] = [];
  for (const link of links) {
    const url = canonicalize(link.href, base);
    if (typeof url !== "string") continue;
    resolved.push({ url, kind: link.type, via: isResource(link.type) ? "resource" : "spider", link, rendered });
  }
  return resolved;
}

/** The address that a page's links are relative to: its own, unless it names another. */
export const baseOf = (url: string, baseHref: string | null): BaseUrl => prepareBase(url, baseHref ?? undefined);

/** Links that the page has only after its scripts ran. */
export function renderedOnly(raw: ResolvedLink[], rendered: ResolvedLink[]): ResolvedLink[] {
  const known = new Set(raw.map((link) => `${link.kind} ${link.url}`));
  return rendered.filter((link) => !known.has(`${link.kind} ${link.url}`));
}

export interface LinkSource {
  task: Task;
  /** The page as a whole says nofollow, or noindex. */
  nofollow: boolean;
  noindex: boolean;
  isInternal: (url: string) => boolean;
}

/** Offers every link to the crawl, in order, and packs them with the ids that their targets have. */
export function settleLinks(
  links: ResolvedLink[],
  source: LinkSource,
  offer: Offer,
  texts: TextDictionary,
): Int32Array {
  const packed = new Int32Array(links.length * LINK_STRIDE);
  const { task } = source;
  let at = 0;
  for (const { url, kind, via, link, rendered } of links) {
    const nofollow = source.nofollow || (link?.nofollow ?? false);
    const flags = (nofollow ? NOFOLLOW : 0) | (source.noindex ? ON_NOINDEX : 0);
    const number = kindNumber(kind);
    packed[at++] = offer({
      key: url,
      depth: kind === "sitemap" ? task.depth : task.depth + 1,
      parent: task.id,
      via: viaNumber(via, flags),
      kind: number,
      // A sitemap in a sitemap index counts as one hop, so that indexes of indexes come to an end.
      hops: kind === "sitemap" ? task.hops + 1 : 0,
    });
    packed[at++] = number;
    packed[at++] = link === null ? CONTENT : positions.get(link.position)!;
    packed[at++] =
      (nofollow ? LINK_NOFOLLOW : 0) |
      (link?.sponsored ? LINK_SPONSORED : 0) |
      (link?.ugc ? LINK_UGC : 0) |
      (source.isInternal(url) ? LINK_INTERNAL : 0) |
      (rendered ? LINK_RENDERED : 0);
    packed[at++] = texts.id(link?.text ?? "");
    packed[at++] = texts.id(link?.context ?? "");
    packed[at++] = texts.id(link?.domPath ?? "");
  }
  return packed;
}

/** What a redirect leads to: as deep as what it redirects from, and of the same kind. */
export const offerRedirect = (url: string, task: Task, offer: Offer): number =>
  offer({
    key: url,
    depth: task.depth,
    parent: task.id,
    via: viaNumber("redirect"),
    kind: kindNumber(kindOf(task.kind)),
    hops: task.hops + 1,
  });
