/** Reads settings by their schema: all problems at once, each with the setting's name and, for an unknown name, a suggestion. */
import { z } from "zod";
import { TrawlError } from "../errors.ts";
import { didYouMean } from "./did-you-mean.ts";
import { LOST_NAME, lostName } from "./lost-name.ts";
import { plainWords } from "./plain-words.ts";

export interface SettingProblem {
  /** With its path if settings are nested; empty when the problem concerns all settings. */
  setting: string;
  message: string;
}

/**
 * The settings with every default; throws a TrawlError that lists everything that is wrong. `listsNames`: an unknown name that
 * is not close to any other is followed by the names that are allowed, for schemas with few of them.
 */
export function parseSettings<Schema extends z.ZodType>(
  schema: Schema,
  written: unknown,
  { listsNames = false } = {},
): z.output<Schema> {
  const result = schema.safeParse(written, { error: plainWords });
  if (!result.success) throw badConfig(problemsOf(result.error, schema, listsNames));
  const lost = lostNames(written);
  if (lost.length > 0) throw badConfig(lost);
  return result.data;
}

/** Everything that is wrong with the settings; empty when they are valid. */
export function settingProblems(schema: z.ZodType, written: unknown): SettingProblem[] {
  const { error } = schema.safeParse(written, { error: plainWords });
  return error === undefined ? lostNames(written) : problemsOf(error, schema);
}

function lostNames(written: unknown): SettingProblem[] {
  const setting = lostName(written);
  return setting === null ? [] : [{ setting, message: LOST_NAME }];
}

export const badConfig = (problems: readonly SettingProblem[]): TrawlError =>
  new TrawlError(
    "BAD_CONFIG",
    problems.map(({ setting, message }) => (setting === "" ? message : `${setting}: ${message}`)).join("\n"),
  );

/** Calls `parse`, and names the file in its errors; `file` is null when the settings do not come from a file. */
export function naming<Parsed>(file: string | null, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    if (file === null || !(error instanceof TrawlError) || error.code !== "BAD_CONFIG") throw error;
    throw new TrawlError("BAD_CONFIG", `${file} is not valid:\n${error.message}`);
  }
}

const problemsOf = (error: z.ZodError, schema: z.ZodType, listsNames = false): SettingProblem[] =>
  listed(eachProblem(error), (problem) => described(problem, schema, "setting", listsNames));

/** A problem in plain words. `what` an unknown key would have been: a setting, or a parameter of a request. */
export function described(
  { issue: { path, message }, key }: FoundProblem,
  schema: z.ZodType,
  what: string,
  listsNames = false,
): SettingProblem {
  if (key === null) return { setting: path.join("."), message };
  const names = namesAt(schema, path);
  const allowed = listsNames ? `; allowed here: ${names.join(", ")}` : "";
  return { setting: [...path, key].join("."), message: `there is no such ${what}${didYouMean(key, names) || allowed}` };
}

/** A problem as zod reports it, where each unknown key is one of its own. */
export interface FoundProblem {
  issue: z.core.$ZodIssue;
  /** The key, if the problem is that there is no such key. */
  key: string | null;
}

export const eachProblem = ({ issues }: z.ZodError): FoundProblem[] =>
  issues.flatMap((issue): FoundProblem[] =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ issue, key })) : [{ issue, key: null }],
  );

/** The first few problems, in a length that can be read, and how many more there are. Only those are described. */
export function listed<Found>(found: readonly Found[], describe: (one: Found) => SettingProblem): SettingProblem[] {
  const { shown, more } = firstFew(found);
  const problems = shown.map(describe).map(({ setting, message }) => ({
    setting: shortened(setting),
    message: shortened(message, LONGEST_MESSAGE),
  }));
  return more === null ? problems : [...problems, { setting: "", message: more }];
}

/** How many problems are listed, here and in every answer to a request: nobody reads more, and a request can cause thousands. */
const LISTED = 20;
const LONGEST_MESSAGE = 500;

/** The first of a list of problems, and "and 15,990 more" if there are others. */
export function firstFew<Item>(items: readonly Item[]): { shown: Item[]; more: string | null } {
  const rest = items.length - LISTED;
  return { shown: items.slice(0, LISTED), more: rest > 0 ? `and ${rest.toLocaleString("en-US")} more` : null };
}

/** A text as an error quotes it: the beginning is enough to recognise it. */
export const shortened = (text: string, length = 200): string =>
  text.length <= length ? text : `${text.slice(0, length)}… (${text.length.toLocaleString("en-US")} characters)`;

/** The names that are allowed at this place in the schema. */
function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const key of [...path, null]) {
    while (at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap();
    if (key === null) break;
    if (at instanceof z.ZodObject) at = at.shape[key as string];
    else if (at instanceof z.ZodArray) at = at.element;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}
