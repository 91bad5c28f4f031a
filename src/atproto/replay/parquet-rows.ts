/** Parquet with columns of `repo_records`: each group of rows is a row group, compressed with zstd. */
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import type { ExportSource, RowEncoder } from "./export-row.ts";
import { GrowingBytes } from "./growing-bytes.ts";

/** What a row takes beside its JSON: an rkey, and references to what its neighbours share. */
const ROW_BYTES = 100;

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
      // Rows are in the order of the archive, so the least and greatest of a group help nobody to skip it.
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
      // Records differ, so a dictionary of them would be as long as they are.
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
