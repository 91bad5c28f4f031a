/** The URL of `<meta http-equiv="refresh" content="…">` (WHATWG HTML, "shared declarative refresh steps"). */

import { trimUrl } from "./trim.ts";

/** `null` when the content is not valid, or names no URL and so reloads the page itself. */
export function refreshUrl(content: string): string | null {
  const time = /^[\t\n\f\r ]*(?:[0-9]+[0-9.]*|\.[0-9.]*)/.exec(content);
  if (time === null) return null;
  const rest = content.slice(time[0].length);
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
  return url === "" ? null : url;
}
