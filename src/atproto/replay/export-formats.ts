/** The formats of an export: JSON lines, and Parquet. */

import { zstdCompressSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { GrowingBytes } from "./growing-bytes.ts";

export interface ExportSource {
  repo: string;
  collection: string;
  /** Unix microseconds. */
  crawledAt: bigint;
}

/** The rows of one file, until they are written as a group. */
export interface RowEncoder {
  readonly rows: number;
  /** Roughly how much memory they use. */
  readonly bytes: number;
  /** `json` is copied. */
  add(source: ExportSource, rkey: string, json: Buffer): void;
  /** The rows so far, as written to the file; they are then forgotten. */
  group(): Uint8Array;
  /** What follows the last group. */
  end(): Uint8Array;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const END = Buffer.from("}\n");

/** A line break in JSON is white space between values, so a space can replace it. */
const ONE_LINE = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte === LINE_FEED || byte === CARRIAGE_RETURN ? 0x20 : byte,
);

/** JSON lines: the record as JSON inside a line with what it belongs to. */
export class JsonLines implements RowEncoder {
  readonly #bytes = new GrowingBytes();
  #rows = 0;
  #source: ExportSource | null = null;
  #beginning = "";

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes.length;
  }

  add(source: ExportSource, rkey: string, json: Buffer): void {
    if (source !== this.#source) {
      const { repo, collection, crawledAt } = source;
      const about = JSON.stringify({ repo, collection, crawled_at: isoTime(crawledAt) });
      this.#beginning = `${about.slice(0, -1)},"rkey":`;
      this.#source = source;
    }
    this.#bytes.appendText(`${this.#beginning}${JSON.stringify(rkey)},"record":`);
    if (json.includes(LINE_FEED) || json.includes(CARRIAGE_RETURN)) this.#bytes.appendMapped(json, ONE_LINE);
    else this.#bytes.append(json);
    this.#bytes.append(END);
    this.#rows++;
  }

  group(): Uint8Array {
    this.#rows = 0;
    return this.#bytes.take();
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }
}

/** Null for a time that is out of range. */
export function isoTime(micros: bigint): string | null {
  const date = new Date(Number(micros / 1_000n));
  if (Number.isNaN(date.getTime())) return null;
  const fraction = String(((micros % 1_000n) + 1_000n) % 1_000n).padStart(3, "0");
  return date.toISOString().replace("Z", `${fraction}Z`);
}

/** What a row needs in addition to its JSON: an rkey, and references to values that it shares with others. */
const ROW_BYTES = 100;

/** Parquet with the columns of `repo_records`: each group of rows is a row group, compressed with zstd. */
export class ParquetRows implements RowEncoder {
  readonly #writer = new ByteWriter();
  readonly #parquet: ParquetWriter;
  readonly #json = new GrowingBytes();
  #sources: ExportSource[] = [];
  #rkeys: string[] = [];
  #ends: number[] = [];

  constructor() {
    this.#parquet = new ParquetWriter({
      writer: this.#writer,
      schema: schemaFromColumnData({ columnData: this.#columns(Buffer.alloc(0)) }),
      codec: "ZSTD",
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      // Rows are in the order of the archive, so the minimum and maximum of a group do not help to skip it.
      statistics: false,
    });
  }

  get rows(): number {
    return this.#rkeys.length;
  }

  get bytes(): number {
    return this.#json.length + ROW_BYTES * this.rows;
  }

  add(source: ExportSource, rkey: string, json: Buffer): void {
    this.#sources.push(source);
    this.#rkeys.push(rkey);
    this.#json.append(json);
    this.#ends.push(this.#json.length);
  }

  group(): Uint8Array {
    this.#parquet.write({ columnData: this.#columns(this.#json.take()), rowGroupSize: this.rows });
    this.#sources = [];
    this.#rkeys = [];
    this.#ends = [];
    return this.#written();
  }

  end(): Uint8Array {
    this.#parquet.finish();
    return this.#written();
  }

  #columns(json: Buffer): ColumnSource[] {
    const sources = this.#sources;
    const records = this.#ends.map((end, row) => json.subarray(this.#ends[row - 1] ?? 0, end));
    return [
      { name: "repo", data: sources.map(({ repo }) => repo), type: "STRING", nullable: false },
      { name: "collection", data: sources.map(({ collection }) => collection), type: "STRING", nullable: false },
      { name: "rkey", data: this.#rkeys, type: "STRING", nullable: false },
      // Records differ, so a dictionary of them would be as large as the records.
      { name: "record_json", data: records, type: "STRING", nullable: false, encoding: "PLAIN" },
      { name: "time_us", data: sources.map(({ crawledAt }) => crawledAt), type: "INT64", nullable: false },
    ];
  }

  #written(): Uint8Array {
    const bytes = this.#writer.getBytes().slice();
    this.#writer.index = 0;
    return bytes;
  }
}
