/**
 * Resolves hrefs: canonical URLs, and whether they belong to the site. Most hrefs have occurred before in the same
 * folder; those are recognised by their bytes, without creating a string.
 */
import { Fingerprint } from "../../kernel/fingerprint.ts";
import type { HtmlSource } from "../../web/html/index.ts";
import { type BaseUrl, type Canonicalize, originOf } from "../../web/url.ts";

export interface LinkTarget {
  readonly url: string;
  readonly origin: string;
  readonly internal: boolean;
  /** The href as written, if it has parameters that tell visits apart; these are mostly removed from the URL. */
  readonly tracked?: string;
}

export interface LinkTargetOptions {
  canonicalize: Canonicalize;
  /** Some fragments are kept. Otherwise, an href leads to the same place as without its fragment. */
  keepsFragments?: boolean;
  isInternal: (url: string) => boolean;
}

/** A new href replaces an old one: the table is for the navigation of a site, not for all links. */
const SLOTS = 1 << 13;
/** How many characters of an unparsable address are kept. */
const MAX_WRITTEN = 2_083;
const HASH = 0x23;
const COLON = 0x3a;
const QUESTION = 0x3f;
/** Parameters that mark a campaign or a visit. */
const TRACKING =
  /[?&;](?:utm_[a-z]+|_ga|_gl|gclid|fbclid|msclkid|phpsessid|jsessionid|aspsessionid[a-z]*|session_?id|sess_?id|sid|oscsid|zenid|cfid|cftoken)=/i;

export class LinkTargets {
  readonly #options: LinkTargetOptions;
  readonly #print = new Fingerprint();
  readonly #high = new Uint32Array(SLOTS);
  readonly #low = new Uint32Array(SLOTS);
  readonly #targets: (LinkTarget | null)[] = new Array<LinkTarget | null>(SLOTS).fill(null);
  /** The base of the last href, the fingerprint of its folder and encoding, and the page itself. */
  #base: BaseUrl | null = null;
  #folderHigh = 0;
  #folderLow = 0;
  #own: LinkTarget | null = null;

  constructor(options: LinkTargetOptions) {
    this.#options = options;
  }

  /**
   * Null for what is not a web address, such as mailto: or javascript:. An address that cannot be parsed stays as
   * written.
   */
  of(href: string, base: BaseUrl): LinkTarget | null {
    const url = this.#options.canonicalize(href, base);
    if (typeof url === "string") {
      const target = this.ofCanonical(url);
      return target.internal && TRACKING.test(href) ? { ...target, tracked: href.slice(0, MAX_WRITTEN) } : target;
    }
    if (url.rejected !== "invalid") return null;
    const written = href.trim().slice(0, MAX_WRITTEN);
    return URL.canParse(written) ? null : { url: written, origin: "", internal: false };
  }

  ofCanonical(url: string): LinkTarget {
    return { url, origin: originOf(url), internal: this.#options.isInternal(url) };
  }

  /** The same for the href from `start` to `end` in the source, without surrounding white space. */
  at(source: HtmlSource, start: number, end: number, base: BaseUrl): LinkTarget | null {
    if (base !== this.#base) this.#takeBase(base);
    const { bytes } = source;
    const keyEnd = beforeFragment(bytes, start, end);
    if (keyEnd < end && this.#options.keepsFragments) return this.of(source.text(start, end), base);
    const first = start < end ? bytes[start]! : HASH;
    if (first === HASH) return this.#own;
    // This is relative to the page, not to its folder.
    if (first === QUESTION) return this.of(source.text(start, end), base);
    this.#print.takeBytes(bytes, start, keyEnd, this.#folderHigh, this.#folderLow);
    const { high, low } = this.#print;
    const slot = low & (SLOTS - 1);
    const known = this.#targets[slot]!;
    if (known !== null && this.#low[slot] === low && this.#high[slot] === high) return known;
    const target = this.of(source.text(start, end), base);
    // An href that cannot be parsed is not known by the part before its fragment.
    if (target !== null && target.origin !== "" && isRelativeToFolder(bytes, start, keyEnd)) {
      this.#low[slot] = low;
      this.#high[slot] = high;
      this.#targets[slot] = target;
    }
    return target;
  }

  #takeBase(base: BaseUrl): void {
    this.#base = base;
    this.#own = this.of("#", base);
    this.#print.take(base.queryCharset === null ? base.folder : `${base.folder} ${base.queryCharset}`);
    this.#folderHigh = this.#print.high;
    this.#folderLow = this.#print.low;
  }
}

function beforeFragment(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) if (bytes[at] === HASH) return at;
  return end;
}

/**
 * Whether the href leads to the same place from every page in a folder. `http:` alone is a page's own address (WHATWG
 * URL, 4.4).
 */
function isRelativeToFolder(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (bytes[at] === COLON) return bytes[at + 1] === 0x2f && bytes[at + 2] === 0x2f;
  }
  return true;
}
