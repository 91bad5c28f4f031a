/** The limits of the HTML scanner: what one hostile tag may cost. */

/**
 * There is none on the number of attributes, because it needs none: the scanner keeps the place of the few names it
 * knows, and passes over a million others without keeping anything.
 */
export interface HtmlLimits {
  /**
   * Bytes of one attribute value. A longer value reads as absent, because half a URL is a wrong URL. Real URLs stay
   * under 8,000; what is longer is a `data:` image, which no crawler follows.
   */
  attributeLength: number;
}

export const DEFAULT_HTML_LIMITS: HtmlLimits = { attributeLength: 65_536 };
