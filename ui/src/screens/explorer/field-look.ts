/** How the fields of a URL look: width of the column, and how a value is written. Labels and units are the server's. */
import { useQuery } from "@tanstack/react-query";
import type { Field } from "../../lib/contract.ts";
import { formatBytes, formatDateTime, formatDuration, formatNumber } from "../../lib/format.ts";
import { queries } from "../../lib/queries.ts";
import { fieldSpelt, fieldWords, isCoded, truthWords } from "../../lib/words.ts";

export type Cell = string | number | boolean | null;
export type FieldLook = NonNullable<Field["unit"]> | Field["type"];
type Fields = ReadonlyMap<string, Field>;

/** The fields of the server, by name. */
export function useFields(): Fields {
  const fields = useQuery(queries.fields()).data ?? [];
  return new Map(fields.map((field) => [field.name, field]));
}

/** The label of a field; for anything else, its name in words. */
export const fieldLabel = (fields: Fields, name: string): string => fields.get(name)?.label ?? fieldSpelt(name);

export const fieldLook = ({ unit, type }: Pick<Field, "unit" | "type">): FieldLook => unit ?? type;

const WIDTHS: Record<FieldLook, number> = {
  status: 96,
  url: 300,
  bytes: 96,
  ms: 92,
  date: 168,
  number: 84,
  text: 150,
  boolean: 92,
  sentence: 240,
  word: 88,
  "yes-no": 92,
};
/** The first column says which URL a row is about. */
const URL_WIDTH = 400;
/** Codes become words, such as “Limit per URL pattern reached”. */
const CODE_WIDTH = 200;
/** A heading takes about this many pixels per character, and this many around them. */
const CHARACTER = 6;
const AROUND = 30;

export function fieldWidth(field: Field): number {
  if (field.name === "url") return URL_WIDTH;
  const look = fieldLook(field);
  const least = look === "text" && isCoded(field.name) ? CODE_WIDTH : WIDTHS[look];
  return Math.max(least, AROUND + field.label.length * CHARACTER);
}

/** A value as text, codes as words; empty for nothing, so that what is there stands out. */
export function cellText(name: string, value: Cell | undefined, look: FieldLook): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return truthWords(value);
  if (typeof value === "string") return look === "date" ? dateText(value) : fieldWords(name, value);
  if (look === "bytes") return formatBytes(value);
  if (look === "ms") return formatDuration(value);
  return look === "status" ? String(value) : formatNumber(value);
}

function dateText(value: string): string {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? value : formatDateTime(ms);
}
