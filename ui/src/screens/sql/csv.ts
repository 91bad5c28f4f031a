/** Rows as CSV (RFC 4180), with cells that a spreadsheet would execute made harmless: they come from untrusted pages. */

export type SqlCell = string | number | null;

export function csvOf(columns: readonly string[], rows: readonly (readonly SqlCell[])[]): string {
  return [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}

function csvCell(value: SqlCell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
