/** The facts that stand in tags: title, meta, base, canonical, alternates, pagination. */

import type { Attributes } from "../../web/html/index.ts";
import { srcsetUrls } from "../../web/srcset.ts";
import type { LinkCollector } from "./link-collector.ts";
import type { LinkType } from "./page-content.ts";
import { refreshUrl } from "./refresh.ts";
import { ALTERNATE, CANONICAL, CONNECT, ICON, MANIFEST, NEXT, PRELOAD, PREV, relBits, STYLESHEET } from "./rel.ts";
import { collapse, trimUrl } from "./trim.ts";

export class HeadFacts {
  title: string | null = null;
  titleCount = 0;
  metaDescription: string | null = null;
  metaRobots: string[] = [];
  canonical: string | null = null;
  canonicalCount = 0;
  baseHref: string | null = null;
  metaRefresh: string | null = null;
  hreflang: { lang: string; href: string }[] = [];
  next: string | null = null;
  prev: string | null = null;
  readonly #robotsToken: string;
  readonly #links: LinkCollector;

  constructor(robotsToken: string, links: LinkCollector) {
    this.#robotsToken = robotsToken.toLowerCase();
    this.#links = links;
  }

  /** A `<title>` begins; the first one counts even when it is empty. */
  openTitle(): void {
    this.titleCount++;
    this.title ??= "";
  }

  /** The text of the `<title>` that is open. */
  titleText(text: string): void {
    if (this.titleCount === 1) this.title = collapse(text);
  }

  base(attributes: Attributes): void {
    const href = attributes.get("href");
    if (href !== null) this.baseHref ??= trimUrl(href);
  }

  meta(attributes: Attributes): void {
    const content = attributes.get("content");
    if (content === null) return;
    const name = attributes.get("name")?.trim().toLowerCase();
    if (name === "description") this.metaDescription ??= collapse(content);
    else if (name === "robots" || name === this.#robotsToken) this.metaRobots.push(content.toLowerCase());
    if (attributes.get("http-equiv")?.trim().toLowerCase() !== "refresh") return;
    const url = refreshUrl(content);
    if (url === null) return;
    this.metaRefresh ??= url;
    this.#links.add(url, "refresh");
  }

  /** `<link>`. One that names only a host to connect to is no link. */
  link(attributes: Attributes): void {
    const rel = relBits(attributes.get("rel"));
    const href = attributes.get("href");
    if (href !== null) {
      const url = trimUrl(href);
      if ((rel & CANONICAL) !== 0) {
        this.canonicalCount++;
        this.canonical ??= url;
      }
      if ((rel & NEXT) !== 0) this.next ??= url;
      if ((rel & PREV) !== 0) this.prev ??= url;
      if ((rel & (ALTERNATE | STYLESHEET)) === ALTERNATE) {
        const lang = attributes.get("hreflang");
        if (lang !== null) this.hreflang.push({ lang: lang.trim(), href: url });
      }
    }
    const type = linkType(rel);
    if (type === null) return;
    this.#links.add(href, type, null, rel);
    const candidates = attributes.get("imagesrcset");
    if (candidates !== null) for (const url of srcsetUrls(candidates)) if (url !== href) this.#links.add(url, type);
  }
}

function linkType(rel: number): LinkType | null {
  if ((rel & STYLESHEET) !== 0) return "stylesheet";
  if ((rel & CANONICAL) !== 0) return "canonical";
  if ((rel & ICON) !== 0) return "icon";
  if ((rel & ALTERNATE) !== 0) return "alternate";
  if ((rel & NEXT) !== 0) return "next";
  if ((rel & PREV) !== 0) return "prev";
  if ((rel & MANIFEST) !== 0) return "manifest";
  if ((rel & PRELOAD) !== 0) return "preload";
  return (rel & CONNECT) !== 0 ? null : "other";
}
