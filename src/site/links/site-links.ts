/** Links with their canonical targets, and how they are offered to the crawl and packed for the store. */
import type { Offer } from "../../kernel/product.ts";
import type { Found, Task } from "../../kernel/task.ts";
import {
  CONTEXT,
  CONTEXT_END,
  CONTEXT_START,
  DECODED,
  FLAGS,
  HREF_END,
  HREF_START,
  PAGE_LINK_STRIDE,
  PATH,
  POSITION,
  STORED_LINK_STRIDE,
  TARGET,
  TEXT,
  TEXT_END,
  TEXT_START,
  TYPE,
} from "../../web/html/link-rows.ts";
import type { BaseUrl } from "../../web/url.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED } from "../page/link-types.ts";
import type { PageLinks } from "../page/page-content.ts";
import { LINK_POSITIONS, type LinkPosition } from "../page/page-content.ts";
import type { TextDictionary } from "../text-dictionary.ts";
import { type FragmentLink, FragmentLinks } from "./fragment-links.ts";
import {
  EXTERNAL,
  GUESSED,
  KINDS,
  type Kind,
  kindNumber,
  kindOf,
  metaOf,
  NOFOLLOW,
  ON_NOINDEX,
  type SiteMeta,
  siteMeta,
  viaNumber,
  viaOfKind,
} from "./link-kinds.ts";
import type { LinkTarget, LinkTargets } from "./link-targets.ts";

/** Links in the order of the page, as numbers and bytes. */
export interface FoundLinks {
  readonly targets: readonly LinkTarget[];
  /** `PAGE_LINK_STRIDE` numbers per link: see `web/html/link-rows.ts`. */
  readonly rows: Int32Array;
  readonly texts: Buffer;
  readonly paths: readonly string[];
  /** Hrefs that are not web addresses (mailto:, tel:, javascript:), as written; long ones are cut. */
  readonly others: readonly string[];
  /** The places in pages that its anchors lead to, without duplicates. */
  readonly fragments: readonly FragmentLink[];
}

/** One link as an object, for callers that build links from something other than a page, or look at them one by one. */
export interface LinkObject {
  target: LinkTarget;
  kind: Kind;
  position: LinkPosition;
  /** The link's own `LINK_` bits. */
  flags: number;
  text: string;
  context: string;
  path: string;
}

const SITEMAP = kindNumber("sitemap");
const STYLESHEET = kindNumber("stylesheet");
const LAST_HYPERLINK = kindNumber("area");
const VIA_OF_KIND = Uint8Array.from(KINDS, (kind) => viaNumber(viaOfKind(kind)));

export const NO_LINKS: FoundLinks = {
  targets: [],
  rows: new Int32Array(0),
  texts: Buffer.alloc(0),
  paths: [],
  others: [],
  fragments: [],
};

/** How many characters of a non-web address are kept. */
const MOST_OTHER = 300;

/** Resolves a page's links. */
export function resolveLinks(links: PageLinks, base: BaseUrl, targets: LinkTargets, rendered: boolean): FoundLinks {
  const { source, hrefs, texts, paths } = links;
  const found: LinkTarget[] = [];
  const others: string[] = [];
  const fragments = new FragmentLinks(links);
  const rows = links.rows.slice();
  let to = 0;
  for (let from = 0; from < rows.length; from += PAGE_LINK_STRIDE) {
    const start = rows[from + HREF_START]!;
    const end = rows[from + HREF_END]!;
    const target = end === DECODED ? targets.of(hrefs[start]!, base) : targets.at(source, start, end, base);
    if (target === null) {
      others.push((end === DECODED ? hrefs[start]! : source.text(start, end)).slice(0, MOST_OTHER));
      continue;
    }
    if (to !== from) rows.copyWithin(to, from, from + PAGE_LINK_STRIDE);
    if (rows[from + TYPE]! <= LAST_HYPERLINK) fragments.note(target, start, end);
    if (rendered) rows[to + FLAGS]! |= LINK_RENDERED;
    rows[to + TARGET] = found.push(target) - 1;
    to += PAGE_LINK_STRIDE;
  }
  return { targets: found, rows: rows.subarray(0, to), texts, paths, others, fragments: fragments.found };
}

/** For finds that are not links in a document: an entry in a sitemap, a request by a script, a URL in a style sheet. */
export const plainLink = (target: LinkTarget, kind: Kind, flags = 0): LinkObject => ({
  ...{ target, kind, flags },
  ...{ position: "content", text: "", context: "", path: "" },
});

export function linkObjects({ targets, rows, texts, paths }: FoundLinks): LinkObject[] {
  return targets.map((target, index) => {
    const row = rows.subarray(index * PAGE_LINK_STRIDE, (index + 1) * PAGE_LINK_STRIDE);
    return {
      target,
      kind: kindOf(row[TYPE]!),
      position: LINK_POSITIONS[row[POSITION]!]!,
      flags: row[FLAGS]!,
      text: texts.toString("utf8", row[TEXT_START], row[TEXT_END]),
      context: texts.toString("utf8", row[CONTEXT_START], row[CONTEXT_END]),
      path: paths[row[PATH]!]!,
    };
  });
}

export function foundLinks(
  links: readonly LinkObject[],
  { others, fragments }: Pick<FoundLinks, "others" | "fragments"> = NO_LINKS,
): FoundLinks {
  const rows = new Int32Array(links.length * PAGE_LINK_STRIDE);
  const texts: Buffer[] = [];
  let length = 0;
  const put = (text: string): number => {
    const bytes = Buffer.from(text);
    texts.push(bytes);
    length += bytes.length;
    return length;
  };
  links.forEach((link, index) => {
    const at = index * PAGE_LINK_STRIDE;
    rows[at + TARGET] = index;
    rows[at + TYPE] = kindNumber(link.kind);
    rows[at + POSITION] = LINK_POSITIONS.indexOf(link.position);
    rows[at + FLAGS] = link.flags;
    rows[at + TEXT_START] = length;
    rows[at + TEXT_END] = put(link.text);
    rows[at + CONTEXT_START] = length;
    rows[at + CONTEXT_END] = put(link.context);
    rows[at + PATH] = index;
  });
  return {
    targets: links.map(({ target }) => target),
    rows,
    texts: Buffer.concat(texts),
    paths: links.map(({ path }) => path),
    others,
    fragments,
  };
}

export const firstLinks = (links: FoundLinks, most: number): FoundLinks => ({
  ...links,
  targets: links.targets.slice(0, most),
  rows: links.rows.subarray(0, most * PAGE_LINK_STRIDE),
});

/** The same for all links with the same target and kind. */
export const linkKey = ({ kind, target }: LinkObject): string => `${kind} ${target.url}`;

/** Links that the page has only after its scripts ran. */
export function renderedOnly(raw: readonly LinkObject[], rendered: readonly LinkObject[]): LinkObject[] {
  const known = new Set(raw.map(linkKey));
  return rendered.filter((link) => !known.has(linkKey(link)));
}

export interface LinkSource {
  task: Task<SiteMeta>;
  /** The whole page is marked nofollow or noindex. */
  nofollow: boolean;
  noindex: boolean;
}

/** Offers every link to the crawl, in order, and packs the stored part with the ids of its target and texts. */
export function offerLinks(
  links: FoundLinks,
  source: LinkSource,
  offer: Offer<SiteMeta>,
  texts: TextDictionary,
): Int32Array {
  const { targets, rows, texts: bytes, paths } = links;
  const stored = new Int32Array(targets.length * STORED_LINK_STRIDE);
  const pathIds = new Int32Array(paths.length).fill(-1);
  const { task } = source;
  const isInSheet = task.meta.kind === "stylesheet";
  const pageFlags = (source.nofollow ? NOFOLLOW : 0) | (source.noindex ? ON_NOINDEX : 0);
  // One shared object: the crawl copies it when the URL is new, and most are not.
  const found: Found<SiteMeta> = { key: "", depth: 0, parent: task.id, hops: 0, meta: task.meta };
  let lastStart = 0;
  let lastEnd = 0;
  let lastContext = 0;
  let to = 0;
  for (let from = 0; from < rows.length; from += PAGE_LINK_STRIDE) {
    const { url, internal } = targets[rows[from + TARGET]!]!;
    const kind = rows[from + TYPE]!;
    const flags = rows[from + FLAGS]!;
    const nofollow = source.nofollow || (flags & LINK_NOFOLLOW) !== 0;
    const isSitemap = kind === SITEMAP;
    found.key = url;
    found.depth = isSitemap ? task.depth : task.depth + 1;
    const where = internal ? 0 : EXTERNAL;
    found.meta = metaOf(VIA_OF_KIND[kind]! | pageFlags | (nofollow ? NOFOLLOW : 0) | where, kind);
    // A sitemap in an index counts as one hop, and so does a style sheet imported by another, so that such chains end.
    found.hops = isSitemap || (isInSheet && kind === STYLESHEET) ? task.hops + 1 : 0;
    stored[to + TARGET] = offer(found);
    stored[to + TYPE] = kind;
    stored[to + POSITION] = rows[from + POSITION]!;
    stored[to + FLAGS] = flags | (nofollow ? LINK_NOFOLLOW : 0) | (internal ? LINK_INTERNAL : 0);
    stored[to + TEXT] = texts.idOf(bytes, rows[from + TEXT_START]!, rows[from + TEXT_END]!);
    const contextStart = rows[from + CONTEXT_START]!;
    const contextEnd = rows[from + CONTEXT_END]!;
    // Links on one line share their context.
    if (contextStart !== lastStart || contextEnd !== lastEnd) {
      lastStart = contextStart;
      lastEnd = contextEnd;
      lastContext = texts.idOf(bytes, contextStart, contextEnd);
    }
    stored[to + CONTEXT] = lastContext;
    const path = rows[from + PATH]!;
    if (pathIds[path] === -1) pathIds[path] = texts.id(paths[path]!);
    stored[to + PATH] = pathIds[path]!;
    to += STORED_LINK_STRIDE;
  }
  return stored;
}

/** What a redirect leads to: as deep as what it redirects from, and of the same kind. */
export const offerRedirect = (url: string, internal: boolean, task: Task<SiteMeta>, offer: Offer<SiteMeta>): number =>
  offer({
    key: url,
    depth: task.depth,
    parent: task.id,
    hops: task.hops + 1,
    meta: siteMeta("redirect", task.meta.kind, (internal ? 0 : EXTERNAL) | (task.meta.isGuess ? GUESSED : 0)),
  });
