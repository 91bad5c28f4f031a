/**
 * Lines of a CDXJ index: sort key, 14-digit time, and where the record is, with the fields that cdxj-indexer writes.
 */
import { z } from "zod";

/** Numbers are strings in CDXJ. */
const Entry = z.object({
  url: z.string(),
  mime: z.string(),
  status: z.string(),
  digest: z.string(),
  length: z.string().regex(/^\d{1,15}$/),
  offset: z.string().regex(/^\d{1,15}$/),
  filename: z.string(),
  /**
   * Digest of the record's bytes in the file. This field and the next one are missing in the index lines of older
   * versions.
   */
  recordDigest: z.string().optional(),
  /** Digest of the bytes between the previous indexed record and this one: its request, and the warcinfo. */
  beforeDigest: z.string().optional(),
});

export type CdxjEntry = z.infer<typeof Entry>;

/** What an index says about a capture, wherever its record is. */
export type CaptureAbout = Pick<CdxjEntry, "url" | "mime" | "status" | "digest">;

export interface CdxjLine {
  key: string;
  /** Fourteen digits. */
  timestamp: string;
  entry: CdxjEntry;
}

/** The type of a revisit. */
export const REVISIT_MIME = "warc/revisit";

export const cdxjTimestamp = (at: number): string => new Date(at).toISOString().replace(/\D/g, "").slice(0, 14);

/** Without a newline. White space ends the key, so a malformed URL must not bring any. */
export const formatCdxj = (at: number, entry: CdxjEntry): string =>
  `${surt(entry.url).replace(/\s/g, encodeURIComponent)} ${cdxjTimestamp(at)} ${JSON.stringify(entry)}`;

/** Null when it is not one of our index lines. */
export function parseCdxj(line: string): CdxjLine | null {
  const [, key, timestamp, json] = /^(\S+) (\d{14}) (\{.*\})$/s.exec(line) ?? [];
  if (key === undefined || timestamp === undefined || json === undefined) return null;
  try {
    const parsed = Entry.safeParse(JSON.parse(json));
    return parsed.success ? { key, timestamp, entry: parsed.data } : null;
  } catch {
    return null;
  }
}

/** The time of a line in ms. */
export const cdxjTime = (timestamp: string): number =>
  Date.parse(timestamp.replace(/(....)(..)(..)(..)(..)(..)/, "$1-$2-$3T$4:$5:$6Z"));

/** The sort key of a URL in a CDXJ index, as replay tools (pywb, wabac.js) make it: `com,github)/owner/repo`. */
export function surt(url: string): string {
  // In lower case throughout: replay tools look a URL up regardless of case, and compare afterwards.
  const parsed = URL.parse(url.replace(/^(https?:\/\/)www\d*\./, "$1").toLowerCase());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url;
  const host = parsed.hostname.split(".").reverse().join(",");
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const query = parsed.search === "" ? "" : `?${parsed.search.slice(1).split("&").sort().join("&")}`;
  return `${host}${port})${parsed.pathname}${query}`;
}
