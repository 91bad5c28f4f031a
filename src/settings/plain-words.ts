/** What is wrong with a value, in the words of whoever wrote it: zod's own are for programmers. */
import type { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";

const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a map",
  record: "a map",
  null: "null",
};

const kindNamed = (name: string): string => KINDS[name] ?? name;

/** For every `safeParse` of what people and programs send. What a schema says in its own words stays. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return kindWords([issue.expected], issue.input);
    case "invalid_union":
      return kindWords(kindsOf(issue.errors), issue.input);
    case "invalid_value":
      return choiceWords(issue.values.map(String), issue.input);
    case "too_small":
      return boundWords(issue.origin, Number(issue.minimum), issue.inclusive !== false, ["at least", "more than"]);
    case "too_big":
      return boundWords(issue.origin, Number(issue.maximum), issue.inclusive !== false, ["at most", "less than"]);
    case "invalid_format":
      return FORMATS[issue.format] ?? "is not written as it must be";
    default:
      return undefined;
  }
};

const FORMATS: Record<string, string> = {
  url: "must be a URL, such as https://example.com/",
  date: "must be a day, such as 2027-01-31",
  datetime: "must be a time, such as 2027-01-31T20:15:00Z",
};

function kindWords(expected: readonly string[], input: unknown): string {
  const kinds = [...new Set(expected.map(kindNamed))].join(" or ") || "something else";
  if (input === undefined) return `is missing: it must be ${kinds}`;
  if (Number.isNaN(input) || (typeof input === "number" && expected.includes("int"))) return `must be ${kinds}`;
  const given = kindNamed(input === null ? "null" : Array.isArray(input) ? "array" : typeof input);
  return `must be ${kinds}, not ${given}`;
}

/** Of a union: what its members expect at this place. */
const kindsOf = (errors: readonly (readonly z.core.$ZodIssue[])[]): string[] =>
  errors.flatMap(([issue]) => (issue?.code === "invalid_type" && issue.path.length === 0 ? [issue.expected] : []));

function choiceWords(values: readonly string[], input: unknown): string {
  if (input === undefined) return `is missing: it must be ${oneOf(values)}`;
  return `must be ${oneOf(values)}${typeof input === "string" ? didYouMean(input, values) : ""}`;
}

const oneOf = (values: readonly string[]): string => (values.length === 1 ? values[0]! : `one of ${values.join(", ")}`);

function boundWords(origin: string, bound: number, inclusive: boolean, [within, beyond]: [string, string]): string {
  const size = `${inclusive ? within : beyond} ${bound}`;
  if (origin === "number" || origin === "int" || origin === "bigint") return `must be ${size}`;
  if (bound === 1 && within === "at least") return "must not be empty";
  return `must have ${size} ${origin === "string" ? "characters" : "items"}`;
}
