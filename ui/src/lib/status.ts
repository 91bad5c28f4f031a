/** HTTP statuses: their classes, names, counts and tones. The one place that maps a status to a look. */

export type Tone = "ok" | "redirect" | "warn" | "bad" | "error" | "quiet" | "accent";

export interface StatusClass {
  name: "2xx" | "3xx" | "4xx" | "5xx" | "error" | "other";
  label: string;
  tone: Tone;
  /** A shape, so that the class can be told without its colour. */
  glyph: string;
}

export const STATUS_CLASSES: readonly StatusClass[] = [
  { name: "2xx", label: "OK", tone: "ok", glyph: "●" },
  { name: "3xx", label: "Redirect", tone: "redirect", glyph: "➔" },
  { name: "4xx", label: "Client error", tone: "warn", glyph: "▲" },
  { name: "5xx", label: "Server error", tone: "bad", glyph: "■" },
  { name: "error", label: "No answer", tone: "error", glyph: "✕" },
  { name: "other", label: "Other", tone: "quiet", glyph: "○" },
];

/** The class of a status code; null means that no answer came. */
export function statusClassOf(status: number | null | undefined): StatusClass {
  if (status === null || status === undefined || status === 0) return classNamed("error");
  const name = `${Math.floor(status / 100)}xx`;
  return STATUS_CLASSES.find((entry) => entry.name === name) ?? classNamed("other");
}

export const classNamed = (name: string): StatusClass =>
  STATUS_CLASSES.find((entry) => entry.name === name) ?? STATUS_CLASSES.at(-1)!;

// What the usual HTTP statuses are called.

const NAMES = new Map([
  [200, "OK"],
  [201, "Created"],
  [204, "No content"],
  [206, "Partial content"],
  [301, "Moved permanently"],
  [302, "Found elsewhere"],
  [303, "See other"],
  [304, "Not modified"],
  [307, "Temporary redirect"],
  [308, "Permanent redirect"],
  [400, "Bad request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not found"],
  [405, "Method not allowed"],
  [406, "Not acceptable"],
  [408, "Request timeout"],
  [410, "Gone"],
  [429, "Too many requests"],
  [451, "Unavailable for legal reasons"],
  [500, "Internal server error"],
  [502, "Bad gateway"],
  [503, "Service unavailable"],
  [504, "Gateway timeout"],
]);

/** The status with its name, or alone when it has none. */
export const statusText = (status: number): string => [status, NAMES.get(status)].filter(Boolean).join(" ");
