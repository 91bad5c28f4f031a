/** The canonical that a `Link` header names (RFC 8288). */

const VALUE = /<([^<>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)/g;
const RELATION = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

/** As written; null without one. A link with an anchor is about another page. */
export function canonicalInLinkHeader(header: string): string | null {
  if (!/canonical/i.test(header)) return null;
  for (const [, href, parameters] of header.matchAll(VALUE)) {
    const relation = RELATION.exec(parameters!);
    const words = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (words.includes("canonical") && !/;\s*anchor\s*=/i.test(parameters!)) return href!.trim();
  }
  return null;
}
