/** Checks a description against schema.org: types and properties that do not exist, and values of the wrong kind. */
import { SCHEMA_PROPERTIES, SCHEMA_TYPES } from "./schema-org.ts";

type Expected = keyof typeof SCHEMA_PROPERTIES;

let vocabulary: { types: ReadonlySet<string>; properties: ReadonlyMap<string, Expected> } | null = null;

/** Only pages with structured data need it. */
function known(): NonNullable<typeof vocabulary> {
  vocabulary ??= {
    types: new Set(SCHEMA_TYPES.split(/\s/)),
    properties: new Map(
      Object.entries(SCHEMA_PROPERTIES).flatMap(([kind, names]) =>
        names.split(/\s/).map((name): [string, Expected] => [name, kind as Expected]),
      ),
    ),
  };
  return vocabulary;
}

/** Names of other vocabularies have a prefix or an address. */
export const isForeign = (name: string): boolean => /[:/]/.test(name);

export const isKnownType = (type: string): boolean => isForeign(type) || known().types.has(type);

/** Keywords of JSON-LD, names of other vocabularies, and `query-input` of a search action are not properties. */
export const isKnownProperty = (name: string): boolean =>
  name.startsWith("@") || isForeign(name) || /-(?:input|output)$/.test(name) || known().properties.has(name);

/** ISO 8601, as far as dates are written in practice: a year may stand alone. */
const DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMBER = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;
const BOOLEAN = /^(?:https?:\/\/schema\.org\/)?(?:true|false)$/i;

/** What was expected instead; null when the value fits, or the property accepts several kinds. */
export function expectedInstead(name: string, value: unknown): string | null {
  const kind = known().properties.get(name);
  if (kind === undefined || kind === "any" || value === null) return null;
  if (typeof value === "object") return Array.isArray(value) || isTypedValue(value) ? null : WORDS[kind];
  const text = String(value);
  if (kind === "number") return NUMBER.test(text) ? null : WORDS[kind];
  if (kind === "boolean") return BOOLEAN.test(text) ? null : WORDS[kind];
  if (kind === "date") return DATE.test(text.trim()) ? null : WORDS[kind];
  return null;
}

/** `{"@value": …}` is a literal; `{"@id": …}` refers to something that may be one. */
const isTypedValue = (value: object): boolean => "@value" in value || "@id" in value;

const WORDS: Record<Exclude<Expected, "any">, string> = {
  number: "a number",
  boolean: "true or false",
  date: "a date as in 2026-11-18",
  text: "a text",
};
