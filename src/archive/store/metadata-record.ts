/**
 * A line of `crawl_metadata.jsonl`: one fetch. The keys, their order and their types are fixed: other tools read them.
 */
import { z } from "zod";
import { type Line, readLines } from "../../storage/read-lines.ts";

/** Texts that the server did not send are empty; other missing values are null. */
const Record = z.object({
  url: z.string(),
  /** Unix time in seconds. */
  timestamp: z.int(),
  depth: z.int(),
  page_type: z.string(),
  referrer: z.string().nullable(),
  http_status: z.int(),
  content_type: z.string(),
  /** The charset. */
  encoding: z.string(),
  /** Empty, like `stored_path`, when nothing was stored. */
  content_sha256: z.string().regex(/^(?:[0-9a-f]{64})?$/),
  /** 0 for a 304, which names the page of an earlier fetch. */
  content_bytes: z.int(),
  stored_path: z.string(),
  etag: z.string(),
  last_modified: z.string(),
  /** A float: whole numbers are written with `.0`, for readers that tell floats from integers. */
  fetch_latency_ms: z.number(),
  retries: z.int(),
  proxy_id: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
});

export type MetadataRecord = z.infer<typeof Record>;

/** The order of the keys in a line. */
export const RECORD_KEYS = Object.keys(Record.shape) as (keyof MetadataRecord)[];

/** With its newline. */
export function formatRecord(record: MetadataRecord): string {
  const fields = RECORD_KEYS.map((key) => {
    const text = key === "fetch_latency_ms" ? formatFloat(record[key]) : JSON.stringify(record[key]);
    return `"${key}":${text}`;
  });
  return `{${fields.join(",")}}\n`;
}

/** A number as written by languages that tell floats from integers. */
export function formatFloat(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The record of a line, or the reason why the line is not a record. */
export function parseRecord(line: Buffer): MetadataRecord | { damage: string } {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(line));
  } catch {
    return { damage: "not JSON" };
  }
  const parsed = Record.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return { damage: `${issue.path.join(".") || "line"}: ${issue.message}` };
}

export const isDamage = (parsed: MetadataRecord | { damage: string }): parsed is { damage: string } =>
  "damage" in parsed;

const URL_FIRST = Buffer.from('{"url":"');

/**
 * The URL of a line without parsing the rest of it: the URL comes first, unescaped. Null when the line does not begin
 * that way. Works on most damaged lines as well.
 */
export function urlOfLine(line: Buffer): string | null {
  if (!line.subarray(0, URL_FIRST.length).equals(URL_FIRST)) return null;
  const end = line.indexOf('"', URL_FIRST.length);
  const text = line.subarray(URL_FIRST.length, end === -1 ? 0 : end);
  if (end !== -1 && !text.includes("\\")) return text.toString();
  const parsed = parseRecord(line);
  return isDamage(parsed) ? null : parsed.url;
}

/** Bytes that are not UTF-8 are damage, because replacement characters would pass for what was written. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

export interface DamagedLine {
  line: Line;
  why: string;
}

/** The records of a metadata file, streamed. Damaged lines are reported and skipped. */
export async function* readMetadata(
  path: string,
  onDamaged: (damaged: DamagedLine) => void,
): AsyncGenerator<{ record: MetadataRecord; line: Line }> {
  for await (const line of readLines(path)) {
    const parsed = line.flaw === null ? parseRecord(line.bytes) : { damage: FLAWS[line.flaw] };
    if (isDamage(parsed)) onDamaged({ line, why: parsed.damage });
    else yield { record: parsed, line };
  }
}

const FLAWS = { torn: "cut short", long: "too long" };
