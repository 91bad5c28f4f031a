/**
 * What a page needs to look as it did: the style sheets, images, fonts and scripts in its markup, and what a style
 * sheet needs in turn. Modules that a script imports, and data that it fetches, cannot be found this way.
 */
import { cssUrls } from "../../web/css.ts";
import { type AttributeName, type Attributes, scanHtml, type Tag } from "../../web/html/index.ts";
import { srcsetUrls } from "../../web/srcset.ts";
import { type BaseUrl, type Canonicalize, createCanonicalizer, prepareBase } from "../../web/url.ts";

export const REQUISITE_KINDS = ["style", "image", "font", "script"] as const;
export type RequisiteKind = (typeof REQUISITE_KINDS)[number];

/** The whole query stays, because a replay looks for the URL that the page has. */
export const canonicalRequisite: Canonicalize = createCanonicalizer({
  stripParams: [],
  sortQuery: false,
  stripAllQuery: false,
  keepFragments: false,
  maxLength: 4_096,
});

export interface Wanted {
  kinds: ReadonlySet<RequisiteKind>;
  /** How many to return, in the order of the page; 0 for all. */
  most: number;
}

interface Candidate {
  kind: RequisiteKind;
  href: string;
}

/** Canonical, without duplicates, in the order of the page. `page` is UTF-8. */
export function pageRequisites(page: Buffer | string, url: string, wanted: Wanted): string[] {
  const candidates: Candidate[] = [];
  let baseHref: string | undefined;
  let isStyle = false;
  scanHtml(page, {
    open(tag, attributes) {
      if (tag.name === "base") baseHref ??= attributes.get("href") ?? undefined;
      if (tag.name === "style") isStyle = true;
      candidates.push(...ofTag(tag, attributes), ...ofCss(attributes.get("style")));
    },
    close(tag) {
      if (tag.name === "style") isStyle = false;
    },
    text(source, start, end) {
      if (isStyle) candidates.push(...ofCss(source.text(start, end)));
    },
  });
  return chosen(candidates, prepareBase(url, baseHref), wanted);
}

export const styleRequisites = (css: string, url: string, wanted: Wanted): string[] =>
  chosen(ofCss(css), prepareBase(url), wanted);

function chosen(candidates: readonly Candidate[], base: BaseUrl, { kinds, most }: Wanted): string[] {
  const urls = new Set<string>();
  for (const { kind, href } of candidates) {
    if (!kinds.has(kind) || (most > 0 && urls.size >= most)) continue;
    const url = canonicalRequisite(href, base);
    if (typeof url === "string") urls.add(url);
  }
  return [...urls];
}

const ofCss = (css: string | null): Candidate[] =>
  css === null ? [] : cssUrls(css).map(({ url, kind }) => ({ href: url, kind: kind === "import" ? "style" : kind }));

/** The attributes of elements that load something. */
function ofTag({ name }: Tag, attributes: Attributes): Candidate[] {
  const list = (kind: RequisiteKind, ...names: AttributeName[]): Candidate[] =>
    names.flatMap((attribute) => {
      const href = attributes.get(attribute)?.trim() ?? "";
      return href === "" || href.startsWith("#") ? [] : [{ kind, href }];
    });
  const srcset = (attribute: AttributeName): Candidate[] =>
    srcsetUrls(attributes.get(attribute) ?? "").map((href) => ({ kind: "image", href }));
  switch (name) {
    case "link":
      return ofLink(attributes, list, srcset);
    case "script":
      return list("script", "src");
    case "img":
    case "source":
      // A source with `src` belongs to a video or an audio.
      return [...(name === "img" ? list("image", "src") : []), ...srcset("srcset")];
    case "input":
      return attributes.get("type")?.toLowerCase() === "image" ? list("image", "src") : [];
    case "video":
      return list("image", "poster");
    case "image":
    case "use":
    case "feimage":
      return list("image", "href", "xlink:href");
    default:
      return list("image", "background");
  }
}

/** What a file is by its name; for a preload, the markup states it elsewhere. */
const BY_NAME: readonly [RequisiteKind, RegExp][] = [
  ["style", /\.css(?:[?#]|$)/i],
  ["font", /\.(?:woff2?|ttf|otf)(?:[?#]|$)/i],
  ["script", /\.m?js(?:[?#]|$)/i],
  ["image", /\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i],
];

function ofLink(
  attributes: Attributes,
  list: (kind: RequisiteKind, ...names: AttributeName[]) => Candidate[],
  srcset: (attribute: AttributeName) => Candidate[],
): Candidate[] {
  const rel = new Set((attributes.get("rel") ?? "").toLowerCase().split(/\s+/));
  if (rel.has("stylesheet")) return list("style", "href");
  if (rel.has("modulepreload")) return list("script", "href");
  if (rel.has("icon") || rel.has("apple-touch-icon")) return list("image", "href");
  if (!rel.has("preload")) return [];
  const preloaded = BY_NAME.find(([, name]) => name.test(attributes.get("href") ?? ""));
  return [...(preloaded === undefined ? [] : list(preloaded[0], "href")), ...srcset("imagesrcset")];
}
