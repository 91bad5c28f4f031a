/** Links with their canonical targets, and how they are offered to the crawl and packed for the store. */
import type { Offer } from "../kernel/product.ts";
import type { Found, Task } from "../kernel/task.ts";
import * as page from "../web/html/link-rows.ts";
import type { BaseUrl } from "../web/url.ts";
import {
  isResource,
  KINDS,
  type Kind,
  kindNumber,
  kindOf,
  NOFOLLOW,
  ON_NOINDEX,
  type Via,
  viaNumber,
  viaOf,
} from "./link-kinds.ts";
import type { LinkTarget, LinkTargets } from "./link-targets.ts";
import { LINK_POSITIONS, type LinkPosition } from "./page/page-content.ts";
import type { PageLinks } from "./page/page-links.ts";
import * as rel from "./page/rel.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED, LINK_SPONSORED, LINK_STRIDE, LINK_UGC } from "./site-record.ts";
import type { TextDictionary } from "./text-dictionary.ts";

/** The numbers of one link, by their place in its row; the starts and ends of its texts count in `texts`. */
const KIND = 0;
const VIA = 1;
const POSITION = 2;
const FLAGS = 3;
const TEXT_START = 4;
const TEXT_END = 5;
const CONTEXT_START = 6;
const CONTEXT_END = 7;
const PATH = 8;
const STRIDE = 9;

/** Links in the order in which they were met, as numbers and bytes: see `web/html/link-rows.ts`. */
export interface FoundLinks {
  readonly targets: readonly LinkTarget[];
  readonly rows: Int32Array;
  readonly texts: Buffer;
  readonly paths: readonly string[];
}

/** One link as an object, for who makes links of something else than a page, or looks at them one by one. */
export interface LinkObject {
  target: LinkTarget;
  kind: Kind;
  via: Via;
  position: LinkPosition;
  /** The `LINK_` bits that a link brings itself. */
  flags: number;
  text: string;
  context: string;
  path: string;
}

const SITEMAP = kindNumber("sitemap");
const RESOURCE = viaNumber("resource");
const SPIDER = viaNumber("spider");
/** Kinds of links have the same numbers as their types. */
const VIA_OF_KIND = Uint8Array.from(KINDS, (kind) => (isResource(kind) ? RESOURCE : SPIDER));

export const NO_LINKS: FoundLinks = { targets: [], rows: new Int32Array(0), texts: Buffer.alloc(0), paths: [] };

/** Resolves a page's links; what is no http(s) URL (mailto:, javascript:) is left out. */
export function resolveLinks(links: PageLinks, base: BaseUrl, targets: LinkTargets, rendered: boolean): FoundLinks {
  const { source, hrefs } = links;
  const found: LinkTarget[] = [];
  const rows = new Int32Array(links.length * STRIDE);
  let to = 0;
  for (let from = 0; from < links.rows.length; from += page.PAGE_LINK_STRIDE) {
    const start = links.rows[from + page.HREF_START]!;
    const end = links.rows[from + page.HREF_END]!;
    const target = end === page.DECODED ? targets.of(hrefs[start]!, base) : targets.at(source, start, end, base);
    if (target === null) continue;
    found.push(target);
    const kind = links.rows[from + page.TYPE]!;
    rows[to + KIND] = kind;
    rows[to + VIA] = VIA_OF_KIND[kind]!;
    rows[to + POSITION] = links.rows[from + page.POSITION]!;
    rows[to + FLAGS] = flagsOf(links.rows[from + page.REL]!) | (rendered ? LINK_RENDERED : 0);
    rows[to + TEXT_START] = links.rows[from + page.TEXT_START]!;
    rows[to + TEXT_END] = links.rows[from + page.TEXT_END]!;
    rows[to + CONTEXT_START] = links.rows[from + page.CONTEXT_START]!;
    rows[to + CONTEXT_END] = links.rows[from + page.CONTEXT_END]!;
    rows[to + PATH] = links.rows[from + page.PATH]!;
    to += STRIDE;
  }
  return { targets: found, rows, texts: links.texts, paths: links.paths };
}

const flagsOf = (bits: number): number =>
  bits === 0
    ? 0
    : ((bits & rel.NOFOLLOW) !== 0 ? LINK_NOFOLLOW : 0) |
      ((bits & rel.SPONSORED) !== 0 ? LINK_SPONSORED : 0) |
      ((bits & rel.UGC) !== 0 ? LINK_UGC : 0);

/** What is no link in a document: an entry of a sitemap, a request of a script, a URL in a style sheet. */
export const plainLink = (target: LinkTarget, kind: Kind, via: Via, flags = 0): LinkObject => ({
  ...{ target, kind, via, flags },
  ...{ position: "content", text: "", context: "", path: "" },
});

export function linkObjects({ targets, rows, texts, paths }: FoundLinks): LinkObject[] {
  return targets.map((target, index) => {
    const row = rows.subarray(index * STRIDE, (index + 1) * STRIDE);
    return {
      target,
      kind: kindOf(row[KIND]!),
      via: viaOf(row[VIA]!),
      position: LINK_POSITIONS[row[POSITION]!]!,
      flags: row[FLAGS]!,
      text: texts.toString("utf8", row[TEXT_START], row[TEXT_END]),
      context: texts.toString("utf8", row[CONTEXT_START], row[CONTEXT_END]),
      path: paths[row[PATH]!]!,
    };
  });
}

export function foundLinks(links: readonly LinkObject[]): FoundLinks {
  const rows = new Int32Array(links.length * STRIDE);
  const texts: Buffer[] = [];
  let length = 0;
  const put = (text: string): number => {
    const bytes = Buffer.from(text);
    texts.push(bytes);
    length += bytes.length;
    return length;
  };
  links.forEach((link, index) => {
    const at = index * STRIDE;
    rows[at + KIND] = kindNumber(link.kind);
    rows[at + VIA] = viaNumber(link.via);
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
  };
}

/** Links that the page has only after its scripts ran. */
export function renderedOnly(raw: readonly LinkObject[], rendered: readonly LinkObject[]): LinkObject[] {
  const known = new Set(raw.map(({ kind, target }) => `${kind} ${target.url}`));
  return rendered.filter(({ kind, target }) => !known.has(`${kind} ${target.url}`));
}

export interface LinkSource {
  task: Task;
  /** The page as a whole says nofollow, or noindex. */
  nofollow: boolean;
  noindex: boolean;
}

/** Offers every link to the crawl, in order, and packs them with the ids that their targets have. */
export function settleLinks(links: FoundLinks, source: LinkSource, offer: Offer, texts: TextDictionary): Int32Array {
  const { targets, rows, texts: bytes, paths } = links;
  const packed = new Int32Array(targets.length * LINK_STRIDE);
  const pathIds = new Int32Array(paths.length).fill(-1);
  const { task } = source;
  const pageFlags = (source.nofollow ? NOFOLLOW : 0) | (source.noindex ? ON_NOINDEX : 0);
  // One object for all: the crawl copies it when the URL is new, which most are not.
  const found: Found = { key: "", depth: 0, parent: task.id, via: 0, kind: 0, hops: 0 };
  let lastStart = 0;
  let lastEnd = 0;
  let lastContext = 0;
  let to = 0;
  for (let index = 0; index < targets.length; index++) {
    const { url, internal } = targets[index]!;
    const from = index * STRIDE;
    const kind = rows[from + KIND]!;
    const nofollow = source.nofollow || (rows[from + FLAGS]! & LINK_NOFOLLOW) !== 0;
    const isSitemap = kind === SITEMAP;
    found.key = url;
    found.depth = isSitemap ? task.depth : task.depth + 1;
    found.via = rows[from + VIA]! | pageFlags | (nofollow ? NOFOLLOW : 0);
    found.kind = kind;
    // A sitemap in a sitemap index counts as one hop, so that indexes of indexes come to an end.
    found.hops = isSitemap ? task.hops + 1 : 0;
    packed[to++] = offer(found);
    packed[to++] = kind;
    packed[to++] = rows[from + POSITION]!;
    packed[to++] = rows[from + FLAGS]! | (nofollow ? LINK_NOFOLLOW : 0) | (internal ? LINK_INTERNAL : 0);
    packed[to++] = texts.idOf(bytes, rows[from + TEXT_START]!, rows[from + TEXT_END]!);
    const contextStart = rows[from + CONTEXT_START]!;
    const contextEnd = rows[from + CONTEXT_END]!;
    // Links of one line have one context.
    if (contextStart !== lastStart || contextEnd !== lastEnd) {
      lastStart = contextStart;
      lastEnd = contextEnd;
      lastContext = texts.idOf(bytes, contextStart, contextEnd);
    }
    packed[to++] = lastContext;
    const path = rows[from + PATH]!;
    if (pathIds[path] === -1) pathIds[path] = texts.id(paths[path]!);
    packed[to++] = pathIds[path]!;
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
