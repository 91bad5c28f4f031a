/** HTTP status classes: what they are called, and the tone that shows them. The one place that maps a status to a look. */

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
