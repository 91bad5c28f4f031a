/**
 * All links of a crawl as CSV or JSON lines, a few thousand rows per piece.
 *
 * A link is a row of numbers: source, target, texts, kind and flags. Joined and written one by one, a million links
 * took 25 s. But the same URLs and texts recur again and again, so each is looked up and encoded once, and a row is
 * assembled from ready-made bytes. Consecutive fields that depend on the same numbers form one part.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { allLinks, type LinkKey, linkFieldOf } from "../store/link-queries.ts";
import { conditionsOf, type SiteReader, type UrlQuery, values, where } from "../store/reader.ts";
import type { Value, WriteCell } from "./cells.ts";
import { PieceMemory } from "./piece-memory.ts";

export interface LinkForm {
  fields: readonly string[];
  /** What is written before the first field, between fields and after the last. */
  begin: string;
  between: string;
  end: string;
  /** What is written before the value of a field. */
  before: (field: string) => string;
  cell: WriteCell;
}

export interface Piece {
  /** Whole rows, as UTF-8. */
  bytes: Buffer;
  rows: number;
}

/** Ids have no gaps, so a range of them is read with one query. */
const IDS_PER_PIECE = 4_096;

export function* linkPieces(
  reader: SiteReader,
  query: Pick<UrlQuery, "filters" | "search">,
  form: LinkForm,
): Generator<Piece> {
  const memory = new PieceMemory();
  const parts = partsOf(form);
  const keys = [...new Set(parts.map(({ key }) => key))].filter((key) => key !== null);
  const rowsOf = numbersReader(reader, query, keys);
  const written = parts.map((part) => new Part(reader.db, part, form, memory, keys.indexOf(part.key!) + 1));
  const last = allLinks(reader);
  for (let id = 0; id < last; id += IDS_PER_PIECE) {
    const rows = rowsOf(id, id + IDS_PER_PIECE);
    if (rows.length === 0) continue;
    for (const part of written) part.load(rows);
    for (const row of rows) for (const part of written) part.write(row);
    yield { bytes: memory.take(), rows: rows.length };
  }
}

/** Keys with few values share a number, which leaves fewer numbers to read and fewer parts per row. */
const SMALL_KEYS: Readonly<Partial<Record<LinkKey, { shift: number; bits: number }>>> = {
  type: { shift: 0, bits: 6 },
  position: { shift: 6, bits: 4 },
  flags: { shift: 10, bits: 6 },
};
const SMALL_BITS = 16;
const maskOf = (key: LinkKey): number => ((1 << SMALL_KEYS[key]!.bits) - 1) << SMALL_KEYS[key]!.shift;

/** The first number of every row: all small keys. */
const SMALL = Object.entries(SMALL_KEYS)
  .map(([key, { shift }]) => `(l.${key} << ${shift})`)
  .join(" | ");

interface FieldPart {
  /** Null when only small keys are needed. */
  key: LinkKey | null;
  /** The bits of the small keys that are needed. */
  small: number;
  fields: string[];
  isFirst: boolean;
  isLast: boolean;
}

/** Consecutive fields that depend on the same numbers. */
function partsOf({ fields }: LinkForm): FieldPart[] {
  const parts: FieldPart[] = [];
  for (const field of fields) {
    const { key } = linkFieldOf(field);
    let part = parts.at(-1);
    const isSmall = key in SMALL_KEYS;
    if (part === undefined || (!isSmall && part.key !== key && part.key !== null)) {
      part = { key: null, small: 0, fields: [], isFirst: parts.length === 0, isLast: false };
      parts.push(part);
    }
    if (isSmall) part.small |= maskOf(key);
    else part.key = key;
    part.fields.push(field);
  }
  parts.at(-1)!.isLast = true;
  return parts;
}

/** One key of a number that holds the key of a part and its small keys. */
const unpacked = (number: string, key: LinkKey): string => {
  const small = SMALL_KEYS[key];
  if (small === undefined) return `(${number} >> ${SMALL_BITS})`;
  return `((${number} >> ${small.shift}) & ${(1 << small.bits) - 1})`;
};

function numbersReader(
  reader: SiteReader,
  query: Pick<UrlQuery, "filters" | "search">,
  keys: readonly LinkKey[],
): (after: number, upTo: number) => number[][] {
  const matches = targetFilter(reader, query);
  const read = matches === null || keys.includes("target") ? keys : [...keys, "target"];
  const target = read.indexOf("target") + 1;
  const statement = reader.db.prepare(
    `SELECT ${[SMALL, ...read.map((key) => `l.${key}`)].join(", ")} FROM links l WHERE l.id > ? AND l.id <= ? ORDER BY l.id`,
  );
  statement.setReturnArrays(true);
  return (after, upTo) => {
    const rows = statement.all(after, upTo) as unknown as number[][];
    return matches === null ? rows : rows.filter((row) => matches(row[target]!));
  };
}

const SEGMENT_BITS = 16;

/**
 * Filters apply to the target, so each URL is tried once, however many links lead to it. Null when there is no filter.
 */
function targetFilter(reader: SiteReader, query: Pick<UrlQuery, "filters" | "search">) {
  const conditions = conditionsOf(query);
  if (conditions.length === 0) return null;
  const range = { sql: "u.id >= ? AND u.id < ?", values: [] };
  const statement = reader.db.prepare(
    `SELECT u.id FROM urls u LEFT JOIN pages p ON p.id = u.id ${where([range, ...conditions])}`,
  );
  statement.setReturnArrays(true);
  const given: SQLInputValue[] = values(conditions);
  const segments: Uint8Array[] = [];
  const read = (segment: number): Uint8Array => {
    const bits = new Uint8Array(1 << (SEGMENT_BITS - 3));
    const first = segment * (1 << SEGMENT_BITS);
    const ids = statement.all(first, first + (1 << SEGMENT_BITS), ...given) as unknown as number[][];
    for (const [id] of ids) bits[(id! - first) >> 3]! |= 1 << (id! & 7);
    return bits;
  };
  // An invalid filter is reported before the first row.
  segments[0] = read(0);
  return (target: number): boolean => {
    const bits = (segments[target >>> SEGMENT_BITS] ??= read(target >>> SEGMENT_BITS));
    return (bits[(target & ((1 << SEGMENT_BITS) - 1)) >> 3]! & (1 << (target & 7))) !== 0;
  };
}

/** A power of two. Menus repeat fewer numbers than this. */
const REMEMBERED = 65_536;

/**
 * The bytes of some consecutive fields, by the numbers that they depend on. The cache has a fixed size: numbers with the same
 * hash share a place.
 */
class Part {
  /** The index of the key in a row; 0 when there are only small keys. */
  readonly #at: number;
  readonly #smallMask: number;
  readonly #read: (numbers: readonly number[]) => string[];
  readonly #memory: PieceMemory;
  readonly #keys = new Int32Array(REMEMBERED).fill(-1);
  readonly #small = new Int32Array(REMEMBERED);
  readonly #starts = new Int32Array(REMEMBERED);
  readonly #ends = new Int32Array(REMEMBERED);

  constructor(db: DatabaseSync, part: FieldPart, form: LinkForm, memory: PieceMemory, at: number) {
    const { key, small, fields, isFirst, isLast } = part;
    this.#at = at;
    this.#smallMask = small;
    this.#memory = memory;
    memory.onClear.push(() => this.#keys.fill(-1));
    const columns = fields.map((field) => {
      const { key, sql } = linkFieldOf(field);
      return sql(unpacked("n.value", key), "u", "p");
    });
    const id = unpacked("n.value", "target");
    const isUrl = key === "source" || key === "target";
    const joined = isUrl ? `LEFT JOIN urls u ON u.id = ${id} LEFT JOIN pages p ON p.id = ${id}` : "";
    const statement = db.prepare(`SELECT ${columns.join(", ")} FROM json_each(?) n ${joined} ORDER BY n.key`);
    statement.setReturnArrays(true);
    const [begin, end] = [isFirst ? form.begin : form.between, isLast ? form.end : ""];
    const write = (row: Value[]): string =>
      begin + fields.map((field, at) => form.before(field) + form.cell(row[at]!)).join(form.between) + end;
    this.#read = (numbers) => (statement.all(`[${numbers.join(",")}]`) as unknown as Value[][]).map(write);
  }

  /** Looks up everything that these rows need and that is missing here: one query instead of one per number. */
  load(rows: readonly number[][]): void {
    const missing = new Set<number>();
    let [lastKey, lastSmall] = [-1, -1];
    for (const row of rows) {
      const key = this.#at === 0 ? 0 : row[this.#at]!;
      const small = row[0]! & this.#smallMask;
      // The links of one page have the same source.
      if (key === lastKey && small === lastSmall) continue;
      lastKey = key;
      lastSmall = small;
      const place = placeOf(key, small);
      if (this.#keys[place] !== key || this.#small[place] !== small) missing.add(key * (1 << SMALL_BITS) + small);
    }
    if (missing.size > 0) this.#keep([...missing]);
  }

  write(row: readonly number[]): void {
    const key = this.#at === 0 ? 0 : row[this.#at]!;
    const small = row[0]! & this.#smallMask;
    const place = placeOf(key, small);
    // Another number of the same rows may have taken the place.
    if (this.#keys[place] !== key || this.#small[place] !== small) this.#keep([key * (1 << SMALL_BITS) + small]);
    this.#memory.write(this.#starts[place]!, this.#ends[place]!);
  }

  #keep(numbers: readonly number[]): void {
    const texts = this.#read(numbers);
    numbers.forEach((number, at) => {
      const end = this.#memory.keep(texts[at]!);
      const key = Math.floor(number / (1 << SMALL_BITS));
      const small = number % (1 << SMALL_BITS);
      const place = placeOf(key, small);
      this.#keys[place] = key;
      this.#small[place] = small;
      this.#starts[place] = this.#memory.start;
      this.#ends[place] = end;
    });
  }
}

/** Replaces ids in a row with their places. */
const placeOf = (key: number, small: number): number => (key + Math.imul(small, 40_503)) & (REMEMBERED - 1);
