/** What one hostile tag may cost. In a file of its own, so that settings can be read without loading the scanner. */

/**
 * The number of attributes needs no limit: the scanner keeps the place of the few names it knows, and skips a million others
 * without keeping anything.
 */
export interface HtmlLimits {
  /**
   * Bytes of one attribute value. A longer value is treated as absent, because half a URL is a wrong URL. Real URLs
   * stay under 8,000; anything longer is a `data:` image, which no crawler follows.
   */
  attributeLength: number;
}

export const DEFAULT_HTML_LIMITS: HtmlLimits = { attributeLength: 65_536 };
