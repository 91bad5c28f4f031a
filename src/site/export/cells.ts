/** One value as a cell of CSV or a value of JSON: exactly what csv-stringify and `jsonLine` write, without their cost per row. */
import { jsonText } from "../../storage/json-line.ts";

export type Value = string | number | boolean | null;

export type WriteCell = (value: Value) => string;

const MUST_QUOTE = /[",\n\r]/;
/** Spreadsheets run a cell that begins with one of these, or with its full-width form, as a formula. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** `raw`: do not escape cells that a spreadsheet would run as a formula. */
export const csvCell =
  (raw: boolean): WriteCell =>
  (value) => {
    if (value === null || value === "") return "";
    if (typeof value !== "string") return String(value);
    const text = !raw && FORMULA.test(value) ? `'${value}` : value;
    return MUST_QUOTE.test(value) ? `"${text.replaceAll('"', '""')}"` : text;
  };

export const jsonCell: WriteCell = jsonText;
