/**
 * The include and exclude patterns that people write.
 *
 * - `/regex/` or `/regex/i`: a regular expression sought anywhere in the URL.
 * - Otherwise a glob over the whole text, in which `*` stands for any characters, slashes too, and everything else
 *   (`?` as well) for itself. One that begins with `/` is held against path and query: `/blog/*`. Any other is held
 *   against the whole URL: `*.pdf`, `https://example.com/shop/*`.
 */
import { safeRegex } from "./regex.ts";
import { pathAndQueryOf } from "./url.ts";
import { compileWildcard } from "./wildcard.ts";

export interface UrlFilter {
  /** As the person wrote it, to be named as the rule that decided. */
  readonly written: string;
  matches(url: string): boolean;
}

const REGEX_FORM = /^\/(.+)\/(i?)$/s;

export function compileFilter(written: string): UrlFilter {
  const regex = REGEX_FORM.exec(written);
  if (regex !== null) {
    const expression = safeRegex(regex[1]!, regex[2]!);
    return { written, matches: (url) => expression.test(url) };
  }
  const matches = compileWildcard(written, true);
  return written.startsWith("/") ? { written, matches: (url) => matches(pathAndQueryOf(url)) } : { written, matches };
}
