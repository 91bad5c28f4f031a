/**
 * The index lines that belong to a WARC file, made from its records: what the CDXJ next to it must say. They are used
 * to check an index to the byte, and to rebuild a lost one.
 */
import { type CaptureAbout, formatCdxj, REVISIT_MIME } from "./cdxj.ts";
import { type Piece, type PieceRange, readPieces } from "./warc-reader.ts";
import { digestOf } from "./warc-record.ts";

export interface RecordPlace {
  filename: string;
  offset: number;
  /** The bytes in the file: those of the record, and those between the previous indexed record and this one. */
  record: Buffer;
  before: readonly Buffer[];
}

/**
 * The two digests cover every byte of a file, including those that no reader needs, such as padding in compressed data.
 */
export function indexLine(at: number, about: CaptureAbout, { filename, offset, record, before }: RecordPlace): string {
  const place = { length: String(record.length), offset: String(offset), filename };
  const digests = { recordDigest: digestOf(record), beforeDigest: digestOf(...before) };
  return formatCdxj(at, { ...about, ...place, ...digests });
}

/** A record that the index must have. */
export interface IndexedRecord {
  offset: number;
  length: number;
  url: string;
  /** Without a newline. */
  line: string;
  /** What comes between the previous indexed record and this one is damaged, so its digest is not known. */
  isAfterDamage: boolean;
}

export interface ReadWarc {
  /** In the order of the file. */
  records: IndexedRecord[];
  /** Bytes that are not records, and records at the end that nothing in the index covers. */
  damaged: Damage[];
}

export type Damage = Pick<Piece, "offset" | "length" | "why">;

/** People look for revisits and responses; these lead to requests and the warcinfo. */
const INDEXED: ReadonlySet<string> = new Set(["response", "revisit"]);

export interface ReadWarcOptions extends PieceRange {
  /** Called after each record. */
  onRecord?: (bytes: number) => void;
}

export async function readWarc(path: string, filename: string, options: ReadWarcOptions = {}): Promise<ReadWarc> {
  const records: IndexedRecord[] = [];
  const damaged: Damage[] = [];
  let before: Buffer[] = [];
  let isAfterDamage = false;
  /** Requests whose response has not come yet. */
  let waiting: Damage[] = [];
  for await (const { offset, length, raw, record, why } of readPieces(path, options)) {
    options.onRecord?.(length);
    if (raw === null || record === null) {
      damaged.push({ offset, length, why });
      isAfterDamage = true;
    } else if (INDEXED.has(record.type)) {
      const url = record.headers.get("warc-target-uri") ?? "";
      const digest = record.headers.get("warc-payload-digest") ?? "";
      const about = { url, ...httpFacts(record.type, record.block), digest };
      const at = Date.parse(record.headers.get("warc-date") ?? "");
      const line = Number.isNaN(at) ? "" : indexLine(at, about, { filename, offset, record: raw, before });
      records.push({ offset, length, url, line, isAfterDamage });
      before = [];
      waiting = [];
      isAfterDamage = false;
    } else {
      before.push(Buffer.from(raw));
      waiting.push({ offset, length, why: "no response follows" });
    }
  }
  return { records, damaged: [...damaged, ...waiting].sort((a, b) => a.offset - b.offset) };
}

/** What an index says about the HTTP response in a record's block. Indexes say `unk` when the server sent no type. */
export function httpFacts(type: string, block: Buffer): Pick<CaptureAbout, "mime" | "status"> {
  const [first = "", ...headers] = block.toString("utf8", 0, Math.max(0, block.indexOf("\r\n\r\n"))).split("\r\n");
  const status = /^\S+ (\d+)/.exec(first)?.[1] ?? "";
  if (type === "revisit") return { mime: REVISIT_MIME, status };
  const contentType = headers.find((header) => /^content-type:/i.test(header))?.slice("content-type:".length) ?? "";
  return { mime: /^[^\s;,]+/.exec(contentType.trim())?.[0].toLowerCase() ?? "unk", status };
}
