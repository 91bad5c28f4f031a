/** Admitted keys as one string and one typed array: sending one object per row between threads would cost more than the insert. */
import type { MetaCodec } from "../ledger.ts";
import { ACTIONS, type Admitted } from "../task.ts";

/** An admitted key as a row of the database: its meta as two numbers. */
export interface AdmittedRow extends Omit<Admitted, "meta"> {
  via: number;
  kind: number;
}

export interface PackedAdmitted {
  /** Keys, one per line: a canonical key contains no line break. */
  keys: string;
  /** Distinct lanes, reasons and rules; 0 means null. */
  dictionary: string[];
  numbers: Int32Array;
}

/** id, place, depth, parent, via, kind, hops, action, then reason, rule and lane as places in the dictionary. */
const STRIDE = 11;

export function packAdmitted<Meta>(rows: readonly Admitted<Meta>[], codec: MetaCodec<Meta>): PackedAdmitted {
  const numbers = new Int32Array(rows.length * STRIDE);
  const dictionary: string[] = [""];
  const places = new Map<string, number>();
  const place = (text: string | null): number => {
    if (text === null || text === "") return 0;
    let at = places.get(text);
    if (at === undefined) {
      at = dictionary.push(text) - 1;
      places.set(text, at);
    }
    return at;
  };
  const keys: string[] = new Array(rows.length);
  let at = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    keys[i] = row.key;
    numbers[at++] = row.id;
    numbers[at++] = row.place;
    numbers[at++] = row.depth;
    numbers[at++] = row.parent;
    numbers[at++] = codec.viaOf(row.meta);
    numbers[at++] = codec.kindOf(row.meta);
    numbers[at++] = row.hops;
    numbers[at++] = ACTIONS.indexOf(row.verdict.action);
    numbers[at++] = place(row.verdict.reason);
    numbers[at++] = place(row.verdict.rule);
    numbers[at++] = place(row.lane);
  }
  return { keys: keys.join("\n"), dictionary, numbers };
}

export function unpackAdmitted(packed: PackedAdmitted, each: (row: AdmittedRow) => void): void {
  const { numbers, dictionary } = packed;
  if (numbers.length === 0) return;
  const keys = packed.keys.split("\n");
  for (let i = 0, at = 0; i < keys.length; i++, at += STRIDE) {
    each({
      key: keys[i]!,
      id: numbers[at]!,
      place: numbers[at + 1]!,
      depth: numbers[at + 2]!,
      parent: numbers[at + 3]!,
      via: numbers[at + 4]!,
      kind: numbers[at + 5]!,
      hops: numbers[at + 6]!,
      verdict: {
        action: ACTIONS[numbers[at + 7]!]!,
        reason: dictionary[numbers[at + 8]!] || null,
        rule: dictionary[numbers[at + 9]!] || null,
      },
      lane: dictionary[numbers[at + 10]!]!,
    });
  }
}
