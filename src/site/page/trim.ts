/** White space in facts: trimmed around URLs, collapsed in text. */

/** Without surrounding C0 controls and spaces, as the URL parser would cut them off (WHATWG URL, 4.4). */
export function trimUrl(url: string): string {
  let start = 0;
  let end = url.length;
  while (start < end && url.charCodeAt(start) <= 32) start++;
  while (end > start && url.charCodeAt(end - 1) <= 32) end--;
  return end - start === url.length ? url : url.slice(start, end);
}

/** Collapses HTML white space to single spaces, and trims it. */
export function collapse(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "");
}

/** At most `limit` code units, never half a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
