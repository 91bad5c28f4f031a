/** Filters on URLs as users write them: `status>=400`, `title~tackle`, `description=`. Values are bound, never part of the SQL. */

import { TrawlError } from "../../errors.ts";
import { FIELD_NAMES, type Field, fieldNamed } from "../facts/fact-fields.ts";
import { unknownField } from "./unknown-field.ts";

export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** Longest first, so that `>=` is not read as `>`. */
const OPERATORS = ["!=", ">=", "<=", "!~", "=", ">", "<", "~"] as const;
type Operator = (typeof OPERATORS)[number];

export function parseFilter(text: string): Condition {
  const match = /^\s*([a-z0-9_]+)\s*(!=|>=|<=|!~|=|>|<|~)\s*(.*?)\s*$/.exec(text);
  if (match === null) {
    throw new TrawlError(
      "BAD_USAGE",
      `The filter "${text}" does not have the form FIELD OPERATOR VALUE, such as status>=400.`,
    );
  }
  const [, name, operator, value] = match as unknown as [string, string, Operator, string];
  const field = fieldNamed(name);
  if (field === undefined) {
    throw unknownField(name, FIELD_NAMES);
  }
  if (name === "status" && /^[1-5]xx$/i.test(value)) return statusClass(field, operator, Number(value[0]));
  return condition(field, operator, value);
}

function condition(field: Field, operator: Operator, value: string): Condition {
  const { sql } = field;
  if (value === "" && (operator === "=" || operator === "!=")) {
    return { sql: `coalesce(${sql}, '') ${operator} ''`, values: [] };
  }
  if (operator === "~" || operator === "!~") {
    return { sql: `coalesce(instr(lower(${sql}), lower(?)), 0) ${operator === "~" ? ">" : "="} 0`, values: [value] };
  }
  // An empty value differs from every value; SQL's != would exclude it.
  const compared = { sql: `${sql} ${operator === "!=" ? "IS NOT" : operator} ?` };
  if (field.type === "text") return { ...compared, values: [value] };
  const number = Number(value);
  if (value === "" || Number.isNaN(number))
    throw new TrawlError("BAD_USAGE", `${field.name} is a number; "${value}" is not.`);
  return { ...compared, values: [number] };
}

/** `status=4xx`. */
function statusClass(field: Field, operator: Operator, hundreds: number): Condition {
  if (operator !== "=" && operator !== "!=") {
    throw new TrawlError("BAD_USAGE", `status ${operator} ${hundreds}xx is not possible; use = or !=.`);
  }
  const not = operator === "!=" ? "NOT " : "";
  return { sql: `${not}coalesce(${field.sql} BETWEEN ? AND ?, 0)`, values: [hundreds * 100, hundreds * 100 + 99] };
}
