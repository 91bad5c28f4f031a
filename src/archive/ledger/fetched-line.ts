/** A line of fetched_urls.txt: a URL as it is. What would not survive as a line stands there as a JSON string. */
import { crc32 } from "node:zlib";

const PLAIN = /^[^"\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$/;

export const encodeFetched = (url: string): string =>
  // A lone half of a character pair has no UTF-8; JSON writes it as an escape.
  `${PLAIN.test(url) && url.isWellFormed() ? url : JSON.stringify(url)}\n`;

/** Null when the line cannot have been written by `encodeFetched`. */
export function decodeFetched(line: string): string | null {
  if (!line.startsWith('"')) return PLAIN.test(line) ? line : null;
  try {
    const url: unknown = JSON.parse(line);
    return typeof url === "string" ? url : null;
  } catch {
    return null;
  }
}

/** What the commit remembers of a line, to tell a line that was changed, lost or added by hand. */
export const checkOf = (line: string | Buffer): number => crc32(line);
