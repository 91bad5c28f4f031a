/**
 * Checksums of lines. A sum is 16 hexadecimal digits: the CRC-32 of the line alone, which tells whether the line is intact,
 * and the CRC-32 of all lines up to its end, which tells whether one before it was removed, added or moved.
 */
import { crc32 } from "node:zlib";

export interface LineSum {
  own: number;
  /** Of all lines up to this one. The first line follows 0. */
  running: number;
}

export const sumOf = (line: string | Uint8Array, before: number): LineSum => ({
  own: crc32(line),
  running: crc32(line, before),
});

export const hexOf = (check: number): string => check.toString(16).padStart(8, "0");

export const formatSum = ({ own, running }: LineSum): string => hexOf(own) + hexOf(running);

const SUM = /^[0-9a-f]{16}$/;

/** Null when it is not a sum. */
export const parseSum = (text: string): LineSum | null =>
  SUM.test(text) ? { own: Number.parseInt(text.slice(0, 8), 16), running: Number.parseInt(text.slice(8), 16) } : null;

const KEY = ',"sum":"';
const END = '"}';
/** What a sum adds to a line of JSON. */
export const SUM_BYTES = KEY.length + 16 + END.length;

/** A JSON object as a line whose last key is its sum. */
export function addSum(json: string, before: number): { line: Buffer; running: number } {
  const text = Buffer.from(json);
  const object = text.subarray(0, -1);
  const sum = sumOf(object, before);
  return { line: Buffer.concat([object, Buffer.from(`${KEY}${formatSum(sum)}${END}\n`)]), running: sum.running };
}

/** A line that is intact. */
export interface SummedLine {
  /** The object without its sum and closing brace. */
  text: Buffer;
  running: number;
}

/** Null when the line is not intact. */
export function readSum(bytes: Buffer): SummedLine | null {
  const text = bytes.subarray(0, -SUM_BYTES);
  const end = bytes.subarray(text.length).toString("latin1");
  if (text.length === 0 || !end.startsWith(KEY) || !end.endsWith(END)) return null;
  const sum = parseSum(end.slice(KEY.length, -END.length));
  return sum !== null && sum.own === crc32(text) ? { text, running: sum.running } : null;
}

/** Whether the line comes directly after the one with this running sum. */
export const follows = ({ text, running }: SummedLine, before: number): boolean => crc32(text, before) === running;

/** The line as it is without a sum. */
export function withoutSum(bytes: Buffer): string {
  const sum = readSum(bytes);
  return sum === null ? bytes.toString() : `${sum.text}}`;
}
