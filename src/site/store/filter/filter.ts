/**
 * Filters on URLs as users write them: `status>=400`, `title~tackle`, `url^=https://example.com/shop/`, `title=~\d{4}`,
 * `status=404 || status=410`. Values are bound, never part of the SQL.
 */
import { TrawlError } from "../../../errors.ts";
import { didYouMean } from "../../../settings/did-you-mean.ts";
import { safeRegex } from "../../../web/safe-regex.ts";
import { SEVERITIES } from "../../audit/rule.ts";
import { RULES } from "../../audit/rule-table.ts";
import { FIELD_NAMES, type Field, fieldNamed } from "../../facts/fact-fields.ts";
import { containsText, urlContains } from "./contains.ts";
import { MATCHES } from "./filter-functions.ts";
import { unknownField } from "./unknown-field.ts";

export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** Longest first, so that `>=` is not read as `>`. */
const OPERATORS = ["!=~", "!^=", "!$=", "=~", "^=", "$=", "!=", ">=", "<=", "!~", "=", ">", "<", "~"] as const;
type Operator = (typeof OPERATORS)[number];

const OPERATOR = OPERATORS.map((each) => each.replaceAll(/[$^]/g, "\\$&")).join("|");
const FORM = new RegExp(`^\\s*([a-zA-Z0-9_]+)\\s*(${OPERATOR})\\s*(.*?)\\s*$`);
/** Only where another filter follows, because a title may contain this sign. */
const OR = new RegExp(`\\s+\\|\\|\\s+(?=[a-zA-Z0-9_]+\\s*(?:${OPERATOR}))`);

/** One filter, or several separated by ` || `, of which one must match. */
export function parseFilter(text: string): Condition {
  const parts = text.split(OR).map(parseOne);
  if (parts.length === 1) return parts[0]!;
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(" OR "),
    values: parts.flatMap(({ values }) => values),
  };
}

function parseOne(text: string): Condition {
  const match = FORM.exec(text);
  if (match === null) {
    throw new TrawlError(
      "BAD_USAGE",
      `The filter "${text}" does not have the form FIELD OPERATOR VALUE, such as status>=400.`,
    );
  }
  const [, name, operator, value] = match as unknown as [string, string, Operator, string];
  if (name === "issue") return issueCondition(operator, value);
  if (name === "under") return underCondition(operator, value);
  if (name === "number" && /^\d+(?:,\d+)+$/.test(value)) return numbersCondition(operator, value);
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
    const contains = (field.unit === "url" ? urlContains : containsText)(sql, value);
    return operator === "~" ? contains : { ...contains, sql: `NOT (${contains.sql})` };
  }
  if (isAboutText(operator)) return textCondition(field, operator, value);
  // An empty value differs from every value; SQL's != would exclude it.
  const compared = { sql: `${sql} ${operator === "!=" ? "IS NOT" : operator} ?` };
  if (field.type === "boolean") return { ...compared, values: [truthWord(field, operator, value)] };
  if (field.type === "text") return { ...compared, values: [value] };
  const number = Number(value);
  if (value === "" || Number.isNaN(number))
    throw new TrawlError("BAD_USAGE", `${field.name} is a number; "${value}" is not.`);
  return { ...compared, values: [number] };
}

/** As it is stored: Yes for `true`, `-` where the question does not apply. */
function truthWord({ name }: Field, operator: Operator, value: string): string {
  if (operator !== "=" && operator !== "!=") {
    throw new TrawlError("BAD_USAGE", `${name} ${operator} ${value} is not possible; use = or !=.`);
  }
  const word = TRUTH[value.toLowerCase()];
  if (word === undefined) throw new TrawlError("BAD_USAGE", `${name} is true or false; "${value}" is neither.`);
  return word;
}

const TRUTH: Readonly<Record<string, string>> = { true: "Yes", yes: "Yes", false: "No", no: "No", "-": "-" };

/** `status=4xx`. */
function statusClass(field: Field, operator: Operator, hundreds: number): Condition {
  if (operator !== "=" && operator !== "!=") {
    throw new TrawlError("BAD_USAGE", `status ${operator} ${hundreds}xx is not possible; use = or !=.`);
  }
  const not = operator === "!=" ? "NOT " : "";
  return { sql: `${not}coalesce(${field.sql} BETWEEN ? AND ?, 0)`, values: [hundreds * 100, hundreds * 100 + 99] };
}

type TextOperator = "=~" | "!=~" | "^=" | "!^=" | "$=" | "!$=";
const isAboutText = (operator: Operator): operator is TextOperator => /^!?(?:=~|\^=|\$=)$/.test(operator);

/** Where the text begins or ends with a value, or matches a regular expression. As with `~`, case does not matter. */
function textCondition({ name, sql }: Field, operator: TextOperator, value: string): Condition {
  if (value === "") throw new TrawlError("BAD_USAGE", `The filter ${name}${operator} needs a value.`);
  const not = operator.startsWith("!") ? "NOT " : "";
  if (operator.endsWith("=~")) {
    checkRegex(value);
    return { sql: `${not}coalesce(${MATCHES}(?, ${sql}), 0)`, values: [value] };
  }
  const part =
    operator === "^=" || operator === "!^="
      ? `substr(${sql}, 1, length(?))`
      : `substr(${sql}, max(1, length(${sql}) - length(?) + 1))`;
  return { sql: `${not}coalesce(lower(${part}) = lower(?), 0)`, values: [value, value] };
}

/** A mistake is reported before anything is read. */
function checkRegex(written: string): void {
  try {
    safeRegex(written, "i");
  } catch (error) {
    throw new TrawlError("BAD_USAGE", (error as Error).message, { cause: error });
  }
}

/** `issue=title.missing`: what the audit found it on; `issue=error`: anything of that severity. */
function issueCondition(operator: Operator, value: string): Condition {
  if (operator !== "=" && operator !== "!=") {
    throw new TrawlError(
      "BAD_USAGE",
      `issue${operator} is not possible; use = or != with a rule, such as title.missing.`,
    );
  }
  const isSeverity = (SEVERITIES as readonly string[]).includes(value);
  const rules = RULES.map(({ id }) => id);
  if (value !== "" && !isSeverity && !rules.includes(value)) {
    throw new TrawlError("BAD_USAGE", `There is no audit rule ${value}${didYouMean(value, rules) || "."}`, {
      hint: "`trawl issues` names the rules that found something; docs/audit-rules.md describes all.",
    });
  }
  const isEmpty = value === "";
  const which = isEmpty ? "1" : isSeverity ? "r.severity = ?" : "r.rule = ?";
  const found = `u.id IN (SELECT f.id FROM findings f JOIN audit_rules r ON r.number = f.rule WHERE ${which})`;
  // As elsewhere, an empty `issue=` means that there are none.
  const isNot = (operator === "!=") !== isEmpty;
  return { sql: `${isNot ? "NOT " : ""}${found}`, values: isEmpty ? [] : [value] };
}

/** `number=3,17,29`: rows that a user chose. */
function numbersCondition(operator: Operator, value: string): Condition {
  if (operator !== "=" && operator !== "!=")
    throw new TrawlError("BAD_USAGE", `number${operator} is not possible with a list; use = or !=.`);
  const numbers = value.split(",").map(Number);
  const list = numbers.map(() => "?").join(", ");
  return { sql: `u.id ${operator === "!=" ? "NOT " : ""}IN (${list})`, values: numbers };
}

/** `under=https://example.com/docs/`: everything in that folder and below. Unlike `^=`, exact, and by the index. */
function underCondition(operator: Operator, value: string): Condition {
  if (operator !== "=" && operator !== "!=") {
    throw new TrawlError("BAD_USAGE", `under${operator} is not possible; use = or != with the address of a folder.`);
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(value)) {
    throw new TrawlError(
      "BAD_USAGE",
      `under${operator} needs the address of a folder, such as https://example.com/docs/.`,
    );
  }
  const folder = value.endsWith("/") ? value.slice(0, -1) : value;
  // The character after "/" is "0".
  return { sql: `${operator === "!=" ? "NOT " : ""}(u.url >= ? AND u.url < ?)`, values: [`${folder}/`, `${folder}0`] };
}
