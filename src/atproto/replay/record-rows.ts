/**
 * Rows for `repo_records` in ClickHouse's format TabSeparated: a text format that every version and both ways of
 * loading take, and JSON goes into it as it stands but for a few escapes.
 */
import { GrowingBytes } from "./growing-bytes.ts";
import type { TimeType } from "./replay-tables.ts";

export const RECORD_COLUMNS = ["repo", "collection", "rkey", "operation", "record_json", "created_at", "time_us"];

const TAB = 0x09;
const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
/** The last second that fits into a DateTime. */
const LAST_SECOND = 0xffff_ffffn;

export type Operation = "create" | "update" | "delete";
const OPERATIONS: Record<Operation, Buffer> = {
  create: Buffer.from("\tcreate\t"),
  update: Buffer.from("\tupdate\t"),
  delete: Buffer.from("\tdelete\t"),
};

/** What the rows of one collection of one repo have in common. */
export interface RowFrame {
  before: Buffer;
  after: Buffer;
}

export const rowFrame = (did: string, collection: string, crawledAt: bigint, time: TimeType): RowFrame => ({
  before: Buffer.from(`${escaped(did)}\t${escaped(collection)}\t`),
  after: Buffer.from(`\t${timeField(crawledAt, time)}\t${crawledAt}\n`),
});

/** As a Unix time, which means the same in every time zone; old servers want exactly ten digits. */
export function timeField(micros: bigint, time: TimeType): string {
  const last = LAST_SECOND * 1_000_000n + 999_999n;
  const clamped = micros < 0n ? 0n : micros > last ? last : micros;
  const seconds = String(clamped / 1_000_000n).padStart(10, "0");
  return time === "DateTime" ? seconds : `${seconds}.${String(clamped % 1_000_000n).padStart(6, "0")}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\\": "\\\\" };

/** The same for bytes, with the backslash in the higher half. */
const ESCAPED_BYTES = Uint16Array.from({ length: 256 }, (_, byte) => {
  const sequence = ESCAPES[String.fromCharCode(byte)];
  return sequence === undefined ? byte : (BACKSLASH << 8) | sequence.charCodeAt(1);
});

export const escaped = (text: string): string => text.replace(/[\t\n\\]/g, (character) => ESCAPES[character]!);

/** The bytes of a batch; their room is used again for the next. */
export class RecordRows {
  readonly #bytes = new GrowingBytes();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** Valid until the next `add` or `clear`. */
  get bytes(): Buffer {
    return this.#bytes.bytes;
  }

  add({ before, after }: RowFrame, rkey: string, json: Buffer, operation: Operation = "create"): void {
    this.#bytes.append(before);
    this.#bytes.appendText(escaped(rkey));
    this.#bytes.append(OPERATIONS[operation]);
    if (json.includes(BACKSLASH) || json.includes(LINE_FEED) || json.includes(TAB)) {
      this.#bytes.appendMapped(json, ESCAPED_BYTES);
    } else {
      this.#bytes.append(json);
    }
    this.#bytes.append(after);
    this.#count++;
  }

  clear(): void {
    this.#bytes.clear();
    this.#count = 0;
  }
}
