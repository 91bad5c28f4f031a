/**
 * Smaller problems in the markup of a page: links that crawlers cannot follow, new windows, pictures, resources in the
 * head, and AMP's requirements.
 */
import type { Attributes, HtmlSource, Tag } from "../../web/html/index.ts";
import {
  DECODED,
  HREF_END,
  HREF_START,
  PAGE_LINK_STRIDE,
  TEXT_END,
  TEXT_START,
  TYPE,
} from "../../web/html/link-rows.ts";
import { LINK_TYPES } from "./link-types.ts";
import { ProblemList } from "./problem-list.ts";

/** The kind of problem, which is the first word of its line. */
type MarkupProblem = "picture_without_img" | "h1_alt_only" | "new_window" | "uncrawlable" | "amp";

const ANCHOR = LINK_TYPES.indexOf("anchor");
const LETTER_J = 0x6a;
/** Scripts that lead elsewhere when something is clicked. */
const LEADS_ELSEWHERE =
  /location(?:\.href)?\s*=[^=]|location\.(?:assign|replace)\s*\(|window\.open\s*\(|\bnavigate\w*\s*\(/i;
const KEEPS_NO_OPENER = /(?:^|\s)(?:noopener|noreferrer)(?:\s|$)/i;
const AMP_RUNTIME = /^https:\/\/cdn\.ampproject\.org\/(?:lts\/)?v0\.m?js$/;

export class MarkupFacts {
  /** Scripts and style sheets in the head that the page waits for. */
  renderBlocking = 0;
  readonly #problems = new ProblemList<MarkupProblem>();
  #openPicture = false;
  #h1Alt: string | null = null;
  #hasAmpRuntime = false;
  #hasAmpStyle = false;
  #hasCharset = false;
  #hasViewport = false;

  /** A `<picture>` begins. If it has no `<img>`, browsers show nothing. */
  picture(): void {
    this.#endPicture();
    this.#openPicture = true;
  }

  image(attributes: Attributes, isInPicture: boolean, isInH1: boolean): void {
    if (isInPicture) this.#openPicture = false;
    if (isInH1) this.#h1Alt ??= attributes.text("alt")?.trim() || null;
  }

  script(attributes: Attributes, isInHead: boolean): void {
    const src = attributes.get("src");
    if (src === null) return;
    if (AMP_RUNTIME.test(src)) this.#hasAmpRuntime = true;
    if (!isInHead || attributes.has("async") || attributes.has("defer")) return;
    const type = attributes.get("type")?.trim().toLowerCase() ?? "";
    if (type === "" || /^(?:text|application)\/(?:java|ecma)script$/.test(type)) this.renderBlocking++;
  }

  styleSheet(attributes: Attributes, isInHead: boolean): void {
    const media = attributes.get("media")?.trim().toLowerCase() ?? "";
    // Browsers do not wait for a print style sheet; pages use that to load others later.
    if (isInHead && media !== "print" && media !== "none") this.renderBlocking++;
  }

  style(css: string): void {
    if (css.includes("-amp-start")) this.#hasAmpStyle = true;
  }

  meta(attributes: Attributes): void {
    if (attributes.get("name")?.trim().toLowerCase() === "viewport") this.#hasViewport = true;
    else if (!this.#hasCharset && !attributes.has("content")) {
      this.#hasCharset = attributes
        .entries()
        .some(([name, value]) => name === "charset" && /^utf-8$/i.test(value ?? ""));
    }
  }

  /** An element with a role, a name, a target, or something to do when it is clicked. */
  noted(tag: Tag, attributes: Attributes): void {
    if (tag.name === "a" && attributes.has("href")) {
      if (attributes.has("target")) this.#openingAnchor(attributes);
    } else if (attributes.has("href") && !LEADING.has(tag.name)) {
      const href = attributes.get("href");
      if (href !== null) this.#problems.add("uncrawlable", `<${tag.name} href="${href}">`);
    } else this.#clicked(tag, attributes);
  }

  #openingAnchor(attributes: Attributes): void {
    const href = attributes.get("href");
    if (
      href !== null &&
      /^\s*(?:https?:)?\/\//i.test(href) &&
      attributes.get("target")?.trim().toLowerCase() === "_blank" &&
      !KEEPS_NO_OPENER.test(attributes.get("rel") ?? "")
    )
      this.#problems.add("new_window", href);
  }

  #clicked({ name }: Tag, attributes: Attributes): void {
    const script = attributes.get("onclick");
    if (script !== null && LEADS_ELSEWHERE.test(script))
      this.#problems.add("uncrawlable", `<${name} onclick="${script}">`);
  }

  /** Checks the links that were found on the page. `emptyLink` is called for those without text. */
  links(
    { rows, length, hrefs }: { rows: Int32Array; length: number; hrefs: readonly string[] },
    source: HtmlSource,
    emptyLink: (link: number, href: string) => void,
  ): void {
    const { bytes } = source;
    for (let link = 0; link < length; link++) {
      const at = link * PAGE_LINK_STRIDE;
      if (rows[at + TYPE] !== ANCHOR) continue;
      const start = rows[at + HREF_START]!;
      const end = rows[at + HREF_END]!;
      const isDecoded = end === DECODED;
      const first = isDecoded ? hrefs[start]!.charCodeAt(0) | 32 : bytes[start]! | 32;
      const isEmpty = rows[at + TEXT_START]! >= rows[at + TEXT_END]!;
      if (first !== LETTER_J && !isEmpty) continue;
      const href = isDecoded ? hrefs[start]! : source.text(start, end);
      if (/^javascript:/i.test(href)) this.#problems.add("uncrawlable", `<a href="${href}">`);
      if (isEmpty) emptyLink(link, href);
    }
  }

  /** One line per problem. The document has ended. */
  finish(isAmp: boolean, h1: string | null): string[] {
    this.#endPicture();
    if (h1 === "" && this.#h1Alt !== null) this.#problems.add("h1_alt_only", this.#h1Alt);
    if (isAmp) {
      if (!this.#hasAmpRuntime) this.#problems.add("amp", "The script https://cdn.ampproject.org/v0.js is missing");
      if (!this.#hasAmpStyle) this.#problems.add("amp", "The style amp-boilerplate is missing");
      if (!this.#hasCharset) this.#problems.add("amp", '<meta charset="utf-8"> is missing');
      if (!this.#hasViewport) this.#problems.add("amp", '<meta name="viewport"> is missing');
    }
    return this.#problems.lines;
  }

  #endPicture(): void {
    if (this.#openPicture) this.#problems.add("picture_without_img", "<picture> without <img>");
    this.#openPicture = false;
  }
}

/** Elements besides `<a>` whose `href` leads somewhere. */
const LEADING: ReadonlySet<string> = new Set(["area", "link", "base", "use", "image"]);
