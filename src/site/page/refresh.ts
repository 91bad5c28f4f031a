/** What a refresh says, in a meta element or a header: where the browser goes, and after how many seconds. */
import { trimUrl } from "./trim.ts";

export interface Refresh {
  seconds: number;
  /** As written; null when the page reloads itself. */
  url: string | null;
}

/** A refresh without delay, which search engines treat as a redirect. */
export interface ImmediateRefresh {
  target: string;
  where: "meta refresh" | "Refresh";
  content: string;
}

/** Reads the content of a refresh (WHATWG HTML, "shared declarative refresh steps"); `null` when it is not valid. */
export function parseRefresh(content: string): Refresh | null {
  const time = /^[\t\n\f\r ]*(?:([0-9]+)[0-9.]*|\.[0-9.]*)/.exec(content);
  if (time === null) return null;
  const seconds = Number(time[1] ?? 0);
  const rest = content.slice(time[0].length);
  if (rest === "") return { seconds, url: null };
  const separator = /^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/.exec(rest)![0];
  if (separator === "") return null;
  let url = rest.slice(separator.length);
  const prefix = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(url);
  if (prefix !== null) url = url.slice(prefix[0].length);
  const quote = url[0];
  if (quote === '"' || quote === "'") {
    const end = url.indexOf(quote, 1);
    url = end < 0 ? url.slice(1) : url.slice(1, end);
  }
  url = trimUrl(url);
  return { seconds, url: url === "" ? null : url };
}

/** `where`: the element or the header. `resolve` returns null for a URL that cannot be crawled. */
export function immediateRefresh(
  where: ImmediateRefresh["where"],
  content: string | null,
  resolve: (href: string) => string | null,
): ImmediateRefresh | null {
  if (content === null) return null;
  const refresh = parseRefresh(content);
  if (refresh === null || refresh.seconds > 0 || refresh.url === null) return null;
  const target = resolve(refresh.url);
  return target === null ? null : { target, where, content };
}
