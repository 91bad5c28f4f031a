/**
 * The canonical URL of an archive. In addition to what every product does (`web/url.ts`: scheme and host in lower case,
 * no fragment, one spelling of `%XX`), only listed query parameters stay, `//` in the path becomes `/`, and a slash at
 * the end is dropped.
 */
import { type Canonicalize, createCanonicalizer } from "../../web/url.ts";

/** Longer URLs are not pages of a code host, but data. */
const MAX_LENGTH = 4_096;

export function archiveCanonicalizer(allowedParams: readonly string[]): Canonicalize {
  const listed = new Set(allowedParams);
  const canonicalize = createCanonicalizer({
    stripParams: [],
    sortQuery: listed.size > 0,
    stripAllQuery: listed.size === 0,
    keepFragments: false,
    maxLength: MAX_LENGTH,
  });
  return (href, base) => {
    const url = canonicalize(href, base);
    return typeof url === "string" ? tidy(url, listed) : url;
  };
}

function tidy(url: string, listed: ReadonlySet<string>): string {
  const question = url.indexOf("?");
  const head = question < 0 ? url : url.slice(0, question);
  const pathStart = head.indexOf("/", head.indexOf("//") + 2);
  let path = head.slice(pathStart);
  if (path.includes("//")) path = path.replace(/\/{2,}/g, "/");
  if (path.length > 1 && path.endsWith("/")) path = path.slice(0, -1);
  const query = question < 0 ? "" : keepListed(url.slice(question + 1), listed);
  return head.slice(0, pathStart) + path + (query === "" ? "" : `?${query}`);
}

const keepListed = (query: string, listed: ReadonlySet<string>): string =>
  query
    .split("&")
    .filter((pair) => listed.has(pair.split("=", 1)[0]!))
    .join("&");
