/** The facts in the head: title, meta, base, canonical, alternates; and its links. */
import type { Attributes } from "../../web/html/index.ts";
import { srcsetUrls } from "../../web/srcset.ts";
import { MOST_TEXT, NamedFactReader } from "../facts/fact-reading.ts";
import type { LinkCollector } from "./link-collector.ts";
import {
  ALTERNATE,
  CANONICAL,
  CONNECT,
  ICON,
  MANIFEST,
  MODULE,
  NEXT,
  PRELOAD,
  PREV,
  relBits,
  relFlags,
  SERVICE,
  STYLESHEET,
} from "./link-types.ts";
import type { MarkupFacts } from "./markup-facts.ts";
import type { LinkType } from "./page-content.ts";
import { parseRefresh } from "./refresh.ts";
import { collapse, trimUrl } from "./trim.ts";

const WRONG_ON_CANONICAL: ReadonlySet<string> = new Set(["hreflang", "lang", "media", "type"]);

export class HeadFacts {
  title: string | null = null;
  secondTitle: string | null = null;
  titleCount = 0;
  metaRobots: string[] = [];
  /** What it says to Google alone. */
  readonly googlebot: string[] = [];
  /** The content of the refresh that counts: the first one, ignoring those for browsers without scripts. */
  refresh: string | null = null;
  canonical: string | null = null;
  canonicalCount = 0;
  /** Canonicals whose address differs from the first. */
  canonicalConflicts = 0;
  /** Attributes of a canonical that make search engines ignore it. */
  canonicalAttributes: string | null = null;
  descriptionCount = 0;
  secondDescription: string | null = null;
  keywordsCount = 0;
  /** The html element is marked as an AMP page. */
  isAmp = false;
  baseHref: string | null = null;
  /** What belongs in the head but is in the body. */
  readonly outside: string[] = [];
  hreflang: [lang: string, href: string][] = [];
  /** The alternates exceed the limit for a text. */
  isHreflangCut = false;
  /** Facts that are found by name. */
  readonly named = new NamedFactReader();
  readonly #robotsToken: string;
  readonly #links: LinkCollector;
  readonly #markup: MarkupFacts;
  #hreflangLength = 0;

  constructor(robotsToken: string, links: LinkCollector, markup: MarkupFacts) {
    this.#markup = markup;
    this.#robotsToken = robotsToken.toLowerCase();
    this.#links = links;
  }

  /** A `<title>` begins; the first one counts even when it is empty. */
  openTitle(): void {
    this.titleCount++;
    if (this.titleCount === 2) this.secondTitle = "";
    this.title ??= "";
    this.#place("title");
  }

  /** The text of the `<title>` that is open. */
  titleText(text: string): void {
    if (this.titleCount === 1) this.title = collapse(text);
    else if (this.titleCount === 2) this.secondTitle = collapse(text);
  }

  html(attributes: Attributes): void {
    this.named.html(attributes);
    this.isAmp ||= attributes.entries().some(([name]) => name === "amp" || name === "⚡");
  }

  base(attributes: Attributes): void {
    const href = attributes.get("href");
    if (href !== null) this.baseHref ??= trimUrl(href);
  }

  meta(attributes: Attributes): void {
    if (this.isAmp) this.#markup.meta(attributes);
    if (!attributes.has("content")) return;
    const name = attributes.get("name")?.trim().toLowerCase();
    if (name === "googlebot") {
      this.#place("robots");
      this.googlebot.push(collapse(attributes.get("content") ?? "").toLowerCase());
    }
    if (name === "robots" || name === this.#robotsToken) {
      this.#place("robots");
      this.#robots(attributes.get("content"));
    } else {
      this.named.meta(name, attributes);
      if (name === "description") {
        this.descriptionCount++;
        if (this.descriptionCount === 2) this.secondDescription = collapse(attributes.text("content") ?? "");
        this.#place("description");
      } else if (name === "keywords") this.keywordsCount++;
    }
    if (attributes.get("http-equiv")?.trim().toLowerCase() !== "refresh") return;
    const content = attributes.get("content") ?? "";
    const refresh = parseRefresh(content);
    if (refresh === null) return;
    if (!this.#links.isWithoutScripts) this.refresh ??= collapse(content);
    if (refresh.url !== null) this.#links.add(refresh.url, "refresh");
  }

  /** `<link>`. A preconnect or dns-prefetch is not a link. */
  link(attributes: Attributes): void {
    const words = attributes.get("rel");
    const rel = relBits(words);
    const href = attributes.get("href");
    if (href !== null) {
      if (words !== null) this.named.link(words, href);
      if ((rel & (ALTERNATE | STYLESHEET)) === STYLESHEET) this.#markup.styleSheet(attributes, this.#links.isInHead);
      // Search engines run scripts, and ignore both outside the head: anyone who can write a comment could put them into the body.
      const isThere = !this.#links.isWithoutScripts;
      if (isThere && (rel & CANONICAL) !== 0 && this.#place("canonical")) {
        this.canonicalCount++;
        this.#canonical(trimUrl(href), attributes);
      }
      if (isThere && (rel & (ALTERNATE | STYLESHEET)) === ALTERNATE) this.#alternate(attributes.get("hreflang"), href);
    }
    const type = linkType(rel, attributes);
    if (type === null) return;
    this.#links.add(href, type, null, relFlags(words));
    const candidates = attributes.get("imagesrcset");
    if (candidates !== null) for (const url of srcsetUrls(candidates)) if (url !== href) this.#links.add(url, type);
  }

  /** Whether the current element is in the head; if it isn't, that is noted. */
  #place(what: string): boolean {
    if (this.#links.isInHead) return true;
    this.outside.push(what);
    return false;
  }

  #canonical(href: string, attributes: Attributes): void {
    this.canonical ??= href;
    if (href !== this.canonical) this.canonicalConflicts++;
    const wrong = attributes.entries().flatMap(([name]) => (WRONG_ON_CANONICAL.has(name) ? [name] : []));
    if (wrong.length > 0) this.canonicalAttributes ??= wrong.join(", ");
  }

  #robots(content: string | null): void {
    if (content !== null) this.metaRobots.push(content.toLowerCase());
  }

  #alternate(lang: string | null, href: string): void {
    if (lang === null || !this.#place("hreflang")) return;
    const pair: [string, string] = [lang.trim(), trimUrl(href)];
    this.#hreflangLength += JSON.stringify(pair).length + 1;
    // A cut list is valid JSON only if it ends between two pairs.
    if (this.#hreflangLength < MOST_TEXT) this.hreflang.push(pair);
    else this.isHreflangCut = true;
  }
}

/** What browsers load ahead, by its `as`. If `as` is missing, it is most often the next page. */
const PRELOADED: Readonly<Record<string, LinkType>> = {
  audio: "media",
  embed: "object",
  font: "font",
  image: "image",
  object: "object",
  script: "script",
  style: "stylesheet",
  track: "media",
  video: "media",
  worker: "script",
};

function preloadType(rel: number, attributes: Attributes): LinkType {
  const as = attributes.entries().find(([name]) => name === "as")?.[1];
  return PRELOADED[as?.trim().toLowerCase() ?? ""] ?? ((rel & MODULE) !== 0 ? "script" : "preload");
}

function linkType(rel: number, attributes: Attributes): LinkType | null {
  if ((rel & STYLESHEET) !== 0) return "stylesheet";
  if ((rel & CANONICAL) !== 0) return "canonical";
  if ((rel & ICON) !== 0) return "icon";
  if ((rel & ALTERNATE) !== 0) return "alternate";
  if ((rel & NEXT) !== 0) return "next";
  if ((rel & PREV) !== 0) return "prev";
  if ((rel & MANIFEST) !== 0) return "manifest";
  if ((rel & PRELOAD) !== 0) return preloadType(rel, attributes);
  if ((rel & SERVICE) !== 0) return "service";
  return (rel & CONNECT) !== 0 ? null : "other";
}
