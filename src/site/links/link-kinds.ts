/** The meta of a find: how it was found, and what it is expected to be. */
import type { MetaCodec } from "../../kernel/ledger.ts";
import { KINDS, type Kind } from "../page/link-types.ts";

export { KINDS, type Kind };

/** How a URL was first found. */
export const VIAS = ["initial", "list", "spider", "sitemap", "resource", "network", "redirect", "llms"] as const;
export type Via = (typeof VIAS)[number];

/** How a URL was found, as stored: its place in `VIAS`, and these bits. */
const VIA_MASK = 0x0f;
/** The link, or its page, is marked nofollow. */
export const NOFOLLOW = 0x10;
/** The link is on a page marked noindex. */
export const ON_NOINDEX = 0x20;
/** Its host is not part of the site. */
export const EXTERNAL = 0x40;
/** Nothing names it: it was requested at the usual place. */
export const GUESSED = 0x80;
/** A sitemap that the config or robots.txt names. Crawls of older versions marked neither these nor guesses. */
export const NAMED = 0x100;
/** It was found on another variant of its path, in its own folder, or on its own host: see `traps/`. */
export const SAME_PATH = 0x200;
export const SAME_FOLDER = 0x400;
export const SAME_HOST = 0x800;

export const viaNumber = (via: Via, flags = 0): number => VIAS.indexOf(via) | flags;
export const viaOf = (number: number): Via => VIAS[number & VIA_MASK]!;

const numbers = new Map<Kind, number>(KINDS.map((kind, index) => [kind, index]));
export const kindNumber = (kind: Kind): number => numbers.get(kind)!;
export const kindOf = (number: number): Kind => KINDS[number]!;

export interface SiteMeta {
  readonly via: Via;
  readonly kind: Kind;
  /** The link, or its page, is marked nofollow. */
  readonly isNofollow: boolean;
  /** The link is on a page marked noindex. */
  readonly isOnNoindex: boolean;
  /** Nobody named it. */
  readonly isGuess: boolean;
  /** As stored. */
  readonly viaNumber: number;
  readonly kindNumber: number;
}

/** A few hundred at most exist, and a page offers thousands of links, so each is created once and shared. */
const metas: SiteMeta[] = [];

/** From the numbers as stored. */
export const metaOf = (via: number, kind: number): SiteMeta => {
  const at = via * KINDS.length + kind;
  return (metas[at] ??= {
    via: viaOf(via),
    kind: kindOf(kind),
    isNofollow: (via & NOFOLLOW) !== 0,
    isOnNoindex: (via & ON_NOINDEX) !== 0,
    isGuess: (via & GUESSED) !== 0,
    viaNumber: via,
    kindNumber: kind,
  });
};

export const siteMeta = (via: Via, kind: Kind, flags = 0): SiteMeta => metaOf(viaNumber(via, flags), kindNumber(kind));

export const SITE_META: MetaCodec<SiteMeta> = {
  viaOf: (meta) => meta.viaNumber,
  kindOf: (meta) => meta.kindNumber,
  metaOf,
};

/** The parts of a page, as people choose them. */
export const RESOURCE_TYPES = ["image", "script", "style", "font", "media", "other"] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

const RESOURCE_KINDS: ReadonlyMap<Kind, ResourceType> = new Map<Kind, ResourceType>([
  ["image", "image"],
  ["icon", "image"],
  ["script", "script"],
  ["stylesheet", "style"],
  ["font", "font"],
  ["media", "media"],
  ["manifest", "other"],
  ["object", "other"],
]);

/**
 * A resource is part of a page; everything else is a page or leads to one. A prefetch is most often the next page (a
 * preloaded font or script is found again where it is used), and so is what a `<link rel="help">` names.
 */
export const isResource = (kind: Kind): boolean => RESOURCE_KINDS.has(kind);

/** A file that lists pages: it is neither a page nor a part of one. */
export const isListing = (kind: Kind): boolean => kind === "sitemap" || kind === "llms";

/** Null for a URL that is not a resource. */
export const resourceTypeOf = (kind: Kind): ResourceType | null => RESOURCE_KINDS.get(kind) ?? null;

/** How a URL of this kind is found on a page. */
export function viaOfKind(kind: Kind): Via {
  if (kind === "sitemap" || kind === "sitemap-entry") return "sitemap";
  if (kind === "request") return "network";
  if (kind === "llms" || kind === "llms-entry") return "llms";
  return isResource(kind) ? "resource" : "spider";
}
