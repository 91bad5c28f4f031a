/** A parser under test: what it is given, what it may throw, and what it must never do. */

export interface Target {
  name: string;
  /** Valid inputs, from which all others are made. */
  seeds: readonly (string | Uint8Array)[];
  /** Pieces that mean something to the parser. */
  words?: readonly string[];
  /** The result is compared with that of a second run, and its size with that of the input. */
  run(input: Buffer): unknown;
  /** Errors by which the parser refuses an input. Anything else that it throws is a defect. */
  refuses?: (error: unknown) => boolean;
  /** The size of the result in bytes, per byte of input; 64 unless it is known to be more. */
  growth?: number;
}

/** What is true of every result, whatever the target. */
export const OUTPUT_ALLOWANCE = 1 << 20;

/** A result as text: equal for equal results, and as long as the result is large. */
export function resultText(result: unknown): string {
  return (
    JSON.stringify(result, (_key, value: unknown) => {
      if (value instanceof Map) return [...value];
      if (value instanceof Set) return [...value];
      if (ArrayBuffer.isView(value))
        return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
      return typeof value === "bigint" ? `${value}n` : value;
    }) ?? "undefined"
  );
}
