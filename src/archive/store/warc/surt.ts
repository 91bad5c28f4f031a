/** The sort key of a URL in a CDXJ index, as replay tools (pywb, wabac.js) make it: `com,github)/owner/repo`. */
export function surt(url: string): string {
  // Lower case all of it: replay tools look a URL up without regard to case, and then compare.
  const parsed = URL.parse(url.replace(/^(https?:\/\/)www\d*\./, "$1").toLowerCase());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url;
  const host = parsed.hostname.split(".").reverse().join(",");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const query = parsed.search === "" ? "" : `?${parsed.search.slice(1).split("&").sort().join("&")}`;
  return `${host}${port})${parsed.pathname}${query}`;
}
