/** Fields of a URL as people read them: name, width of the column, and how the value is written. */
import { formatBytes, formatDateTime, formatDuration, formatNumber } from "../../lib/format.ts";

export type Cell = string | number | null;
export type FieldLook = "status" | "url" | "bytes" | "ms" | "time" | "number" | "text" | "yes-no";

const LABELS: Record<string, string> = {
  url: "URL",
  found_on: "Found on",
  via: "Found via",
  kind: "Found as",
  h1: "H1",
  h1_count: "H1 count",
  h2: "H2",
  h2_count: "H2 count",
  content_type: "Content type",
  content_hash: "Content hash",
  indexability: "Why not indexable",
  robots_meta: "Robots meta",
  robots_header: "X-Robots-Tag",
  redirect_to: "Redirects to",
  word_count: "Words",
  links_out: "Links out",
  size_wire: "Transferred",
  time_total: "Time",
  time_dns: "DNS",
  time_connect: "Connect",
  time_tls: "TLS",
  time_first_byte: "First byte",
  time_download: "Download",
  time_server: "Server time",
  time_render: "Render",
  http_version: "HTTP version",
  etag: "ETag",
  fetched_at: "Fetched",
  reason: "Why not crawled",
};

export const fieldLabel = (name: string): string =>
  LABELS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

const LOOKS: Record<string, FieldLook> = {
  status: "status",
  url: "url",
  found_on: "url",
  canonical: "url",
  redirect_to: "url",
  size: "bytes",
  size_wire: "bytes",
  fetched_at: "time",
  indexable: "yes-no",
};

export const fieldLook = (name: string, type: "text" | "number"): FieldLook =>
  LOOKS[name] ?? (name.startsWith("time_") ? "ms" : type);

const WIDTHS: Record<FieldLook, number> = {
  status: 96,
  url: 300,
  bytes: 96,
  ms: 92,
  time: 168,
  number: 84,
  text: 150,
  "yes-no": 92,
};
const OWN_WIDTHS: Record<string, number> = {
  url: 400,
  title: 260,
  description: 280,
  h1: 220,
  h2: 220,
  title_length: 100,
  description_length: 132,
  title_count: 96,
  content_type: 132,
  verdict: 88,
  state: 80,
  links_out: 92,
  size_wire: 104,
  language: 92,
  charset: 92,
  content_hash: 150,
};

export const fieldWidth = (name: string, type: "text" | "number"): number =>
  OWN_WIDTHS[name] ?? WIDTHS[fieldLook(name, type)];

/** A value as text; empty for nothing, so that what is there stands out. */
export function cellText(value: Cell | undefined, look: FieldLook): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return look === "time" ? dateText(value) : value;
  if (look === "bytes") return formatBytes(value);
  if (look === "ms") return formatDuration(value);
  return look === "status" ? String(value) : formatNumber(value);
}

function dateText(value: string): string {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? value : formatDateTime(ms);
}
