/** What is stored of one fetched URL: its facts, its links, and the same for the page after its scripts ran. */
import type { PackedTexts } from "./text-dictionary.ts";

/** The facts of a fetched URL. The names are the columns of the `pages` table. */
export interface PageRow {
  fetched_at: number;
  status: number | null;
  /** A code of the fetch error table when there was no response. */
  error: string | null;
  error_detail: string | null;
  content_type: string | null;
  charset: string | null;
  charset_source: string | null;
  http_version: string | null;
  remote_address: string | null;
  size_wire: number | null;
  size: number | null;
  truncated: string | null;
  from_cache: number;
  etag: string | null;
  last_modified: string | null;
  /** The URL that a redirect leads to, by HTTP or by the page's script. */
  redirect_to: number | null;
  /** Yes, No, or - when the question makes no sense. */
  indexable: "Yes" | "No" | "-";
  indexability: string | null;
  robots_meta: string | null;
  robots_header: string | null;
  canonical: number | null;
  language: string | null;
  title: string | null;
  title_count: number | null;
  description: string | null;
  h1: string | null;
  h1_count: number | null;
  h2: string | null;
  h2_count: number | null;
  word_count: number | null;
  text_length: number | null;
  content_hash: string | null;
  link_count: number | null;
  links_truncated: number | null;
  /** Ms of each phase; 0 for one that a reused connection did not need. */
  time_dns: number | null;
  time_connect: number | null;
  time_tls: number | null;
  time_first_byte: number | null;
  time_download: number | null;
  time_total: number | null;
  /** Ms spent rendering; never part of the server's times. */
  time_render: number | null;
  attempts: number;
  /** Response headers as a JSON array of pairs. */
  headers: string | null;
}

/** What the page became after its scripts ran. The names are the columns of the `rendered` table. */
export interface RenderedRow {
  title: string | null;
  description: string | null;
  h1: string | null;
  h1_count: number;
  h2_count: number;
  word_count: number;
  content_hash: string;
  robots_meta: string | null;
  canonical: string | null;
  link_count: number;
  final_url: string;
  redirected_to: string | null;
  settled: number;
  requests: number;
  requests_failed: number;
  requests_blocked: number;
  console_errors: string;
  time_navigate: number;
  time_settle: number;
}

/** What the body of an answer says: it still holds when the server says that nothing changed. */
export const BODY_COLUMNS = [
  "content_type",
  "charset",
  "charset_source",
  "size",
  "robots_meta",
  "language",
  "title",
  "title_count",
  "description",
  "h1",
  "h1_count",
  "h2",
  "h2_count",
  "word_count",
  "text_length",
  "content_hash",
  "link_count",
  "links_truncated",
] as const satisfies (keyof PageRow)[];

export const PAGE_COLUMNS = [
  "fetched_at",
  "status",
  "error",
  "error_detail",
  "http_version",
  "remote_address",
  "size_wire",
  "truncated",
  "from_cache",
  "etag",
  "last_modified",
  "redirect_to",
  "indexable",
  "indexability",
  "robots_header",
  "canonical",
  "time_dns",
  "time_connect",
  "time_tls",
  "time_first_byte",
  "time_download",
  "time_total",
  "time_render",
  "attempts",
  "headers",
  ...BODY_COLUMNS,
] as const satisfies (keyof PageRow)[];

export const RENDERED_COLUMNS = [
  "title",
  "description",
  "h1",
  "h1_count",
  "h2_count",
  "word_count",
  "content_hash",
  "robots_meta",
  "canonical",
  "link_count",
  "final_url",
  "redirected_to",
  "settled",
  "requests",
  "requests_failed",
  "requests_blocked",
  "console_errors",
  "time_navigate",
  "time_settle",
] as const satisfies (keyof RenderedRow)[];

/** Bits of a link. */
export const LINK_NOFOLLOW = 1;
export const LINK_SPONSORED = 2;
export const LINK_UGC = 4;
export const LINK_INTERNAL = 8;
/** The link is only there after the page's scripts ran. */
export const LINK_RENDERED = 16;

/** Numbers of a packed link: target, type, position, flags, and the ids of its text, context and DOM path. */
export const LINK_STRIDE = 7;

export interface SiteRecord {
  page: PageRow;
  rendered: RenderedRow | null;
  /** Links packed by LINK_STRIDE: a page has a hundred of them, and an object each would cost more than the insert. */
  links: Int32Array;
  /** Texts that links of this or a later record refer to. */
  texts: PackedTexts;
  /** The page as it was sent, as `store/bodies.ts` packs it; null when it is not kept. */
  html: Uint8Array | null;
}
