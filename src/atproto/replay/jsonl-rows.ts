/** JSON lines: the record as JSON inside of a line with what it belongs to. */
import type { ExportSource, RowEncoder } from "./export-row.ts";
import { GrowingBytes } from "./growing-bytes.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const END = Buffer.from("}\n");

/** Line ends in JSON are white space between values, so a blank does as well. */
const ONE_LINE = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte === LINE_FEED || byte === CARRIAGE_RETURN ? 0x20 : byte,
);

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

/** Null for a time that no calendar has. */
export function isoTime(micros: bigint): string | null {
  const date = new Date(Number(micros / 1_000n));
  if (Number.isNaN(date.getTime())) return null;
  const fraction = String(((micros % 1_000n) + 1_000n) % 1_000n).padStart(3, "0");
  return date.toISOString().replace("Z", `${fraction}Z`);
}
