/** Filters in parts and back: the server reads `status>=400`, the user chooses a field, an operator and a value. */
import type { Field } from "../../lib/contract.ts";
import { fieldWords, isCoded } from "../../lib/words.ts";

export type Operator = "=" | "!=" | "~" | "!~" | ">" | ">=" | "<" | "<=" | "^=" | "!^=" | "$=" | "!$=" | "=~" | "!=~";

export interface Filter {
  field: string;
  operator: Operator;
  value: string;
}

/** As on the server: longest first, so that `>=` is not read as `>`. */
const FORM = /^\s*([a-zA-Z0-9_]+)\s*(!=~|!\^=|!\$=|=~|\^=|\$=|!=|>=|<=|!~|=|>|<|~)\s*(.*?)\s*$/s;
const OR = /\s+\|\|\s+(?=[a-zA-Z0-9_]+\s*(?:!=~|!\^=|!\$=|=~|\^=|\$=|!=|>=|<=|!~|=|>|<|~))/;

export function parseFilter(text: string): Filter | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  return { field: match[1]!, operator: match[2] as Operator, value: match[3]! };
}

/** Where a value would be read as a part of the operator, a space keeps them apart. */
export const filterText = ({ field, operator, value }: Filter): string =>
  `${field}${operator}${operator.endsWith("=") && value.trim().startsWith("~") ? " " : ""}${value.trim()}`;

/** Filters of which one must match; null when one of them cannot be read. */
export function parseAlternatives(text: string): Filter[] | null {
  const parts = text.split(OR).map(parseFilter);
  return parts.some((part) => part === null) ? null : (parts as Filter[]);
}

export const alternativesText = (filters: readonly Filter[]): string => filters.map(filterText).join(" || ");

/** An operator to choose. `empty` and `filled` need no value. */
export interface OperatorChoice {
  id: Operator | "empty" | "filled";
  label: string;
}

const EMPTY: readonly OperatorChoice[] = [
  { id: "empty", label: "is empty" },
  { id: "filled", label: "is not empty" },
];
const TEXT: readonly OperatorChoice[] = [
  { id: "~", label: "contains" },
  { id: "!~", label: "does not contain" },
  { id: "=", label: "is" },
  { id: "!=", label: "is not" },
  { id: "^=", label: "starts with" },
  { id: "!^=", label: "does not start with" },
  { id: "$=", label: "ends with" },
  { id: "!$=", label: "does not end with" },
  { id: "=~", label: "matches the regex" },
  { id: "!=~", label: "does not match the regex" },
  ...EMPTY,
];
const NUMBER: readonly OperatorChoice[] = [
  { id: "=", label: "=" },
  { id: "!=", label: "≠" },
  { id: ">", label: ">" },
  { id: ">=", label: "≥" },
  { id: "<", label: "<" },
  { id: "<=", label: "≤" },
  ...EMPTY,
];

const BOOLEAN: readonly OperatorChoice[] = [{ id: "=", label: "is" }, { id: "!=", label: "is not" }, ...EMPTY];
const CHOICES: Record<Field["type"], readonly OperatorChoice[]> = { text: TEXT, number: NUMBER, boolean: BOOLEAN };

export const operatorsOf = (type: Field["type"]): readonly OperatorChoice[] => CHOICES[type];

/** The operator that a field starts with: a code or one of few values is chosen whole, of a text a part is typed. */
export const firstOperator = ({ name, type, values }: Pick<Field, "name" | "type" | "values">): OperatorChoice["id"] =>
  type !== "text" || values.length > 0 || isCoded(name) ? "=" : "~";

export const choiceOf = ({ operator, value }: Filter): OperatorChoice["id"] =>
  value === "" && operator === "=" ? "empty" : value === "" && operator === "!=" ? "filled" : operator;

export function filterFrom(field: string, choice: OperatorChoice["id"], value: string): Filter {
  if (choice === "empty") return { field, operator: "=", value: "" };
  if (choice === "filled") return { field, operator: "!=", value: "" };
  return { field, operator: choice, value };
}

/** A condition while it is edited. */
export interface ConditionDraft {
  field: string;
  choice: OperatorChoice["id"];
  value: string;
}

export const NEW_CONDITION: ConditionDraft = { field: "status", choice: "=", value: "" };

export const draftOf = (filter: Filter): ConditionDraft => ({
  field: filter.field,
  choice: choiceOf(filter),
  value: filter.value,
});

type AboutField = Pick<Field, "type" | "label">;

/** What is wrong with a filter, or null if the server would accept it. */
export function filterProblem({ field, operator, value }: Filter, about: AboutField | undefined): string | null {
  const text = value.trim();
  if (text === "") return operator === "=" || operator === "!=" ? null : "Enter a value to compare with.";
  if (operator.endsWith("=~")) return isRegex(text) ? null : "This is not a valid regular expression.";
  if (about?.type === "boolean")
    return Object.hasOwn(TRUTH, text.toLowerCase()) ? null : `${about.label} is Yes or No.`;
  if (about?.type !== "number" || /[\^$]=/.test(operator)) return null;
  if (field === "status" && /^[1-5]xx$/i.test(text)) {
    return operator === "=" || operator === "!=" ? null : "A class such as 4xx works only with = and ≠.";
  }
  return Number.isNaN(Number(text)) ? `${about.label} is a number.` : null;
}

/** The server's regular expressions are a little stricter; it says what is wrong with the rest. */
function isRegex(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

const TRUTH: Record<string, string> = { true: "Yes", false: "No" };

/** A value to choose or to show; what is written to the server is `true` or `false`. */
export const valueWords = ({ field, value }: Pick<Filter, "field" | "value">, about: AboutField | undefined): string =>
  about?.type === "boolean" ? (TRUTH[value.toLowerCase()] ?? value) : fieldWords(field, value);

/** A filter in words, for its chip. Numbers and texts use different signs for the same operator. */
export function filterWords(
  filter: Filter,
  about: AboutField | undefined,
): { field: string; operator: string; value: string } {
  const choice = choiceOf(filter);
  const { label } = operatorsOf(about?.type ?? "text").find(({ id }) => id === choice) ?? { label: filter.operator };
  // A part of a code, as after "contains", has no words.
  const value = choice === "=" || choice === "!=" ? valueWords(filter, about) : filter.value;
  return { field: about?.label ?? filter.field, operator: label, value };
}
