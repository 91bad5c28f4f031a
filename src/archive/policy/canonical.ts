/**
 * The canonical URL of an archive. In addition to what every product does (`web/url.ts`: scheme and host in lower case,
 * no fragment, one spelling of `%XX`), `//` in the path becomes `/`, and a slash at the end is dropped unless the
 * profile keeps it. The query keeps only listed parameters, and the page number of a list from page 2 on.
 */
import { type Canonicalize, createCanonicalizer } from "../../web/url.ts";
import type { Profile } from "../profile/profile.ts";
import { PageTypes } from "./policy.ts";

/** Longer URLs are data, not pages of a code host. */
const MAX_LENGTH = 4_096;

type CanonicalProfile = Pick<Profile, "page_types" | "repo_segments" | "trailing_slash">;

const PLAIN: CanonicalProfile = { page_types: [], repo_segments: 0, trailing_slash: "drop" };

export function archiveCanonicalizer(allowedParams: readonly string[], profile = PLAIN): Canonicalize {
  const listed = new Set(allowedParams);
  const types = new PageTypes(profile);
  const dropsQuery = listed.size === 0 && types.pageParams.size === 0;
  const canonicalize = createCanonicalizer({
    stripParams: [],
    sortQuery: !dropsQuery,
    stripAllQuery: dropsQuery,
    keepFragments: false,
    maxLength: MAX_LENGTH,
  });
  const tidy = (url: string): string => {
    const question = url.indexOf("?");
    const head = tidyPath(question < 0 ? url : url.slice(0, question), profile.trailing_slash === "drop");
    const query = question < 0 ? "" : keptQuery(head, url.slice(question + 1), listed, types);
    return head + (query === "" ? "" : `?${query}`);
  };
  return (href, base) => {
    const url = canonicalize(href, base);
    return typeof url === "string" ? tidy(url) : url;
  };
}

function tidyPath(head: string, dropsSlash: boolean): string {
  const pathStart = head.indexOf("/", head.indexOf("//") + 2);
  let path = head.slice(pathStart);
  if (path.includes("//")) path = path.replace(/\/{2,}/g, "/");
  if (dropsSlash && path.length > 1 && path.endsWith("/")) path = path.slice(0, -1);
  return head.slice(0, pathStart) + path;
}

function keptQuery(head: string, query: string, listed: ReadonlySet<string>, types: PageTypes): string {
  const kept: string[] = [];
  let isPaged = false;
  for (const pair of query.split("&")) {
    const name = pair.split("=", 1)[0]!;
    if (listed.has(name)) kept.push(pair);
    else if (!isPaged && types.pageParams.has(name) && types.paginationOf(head)?.param === name) {
      isPaged = true;
      const page = pageNumber(pair.slice(name.length + 1));
      if (page > 1) kept.push(`${name}=${page}`);
    }
  }
  return kept.join("&");
}

/** The first page is the list itself. A value that is not a number counts as the first page. */
const pageNumber = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 1);
