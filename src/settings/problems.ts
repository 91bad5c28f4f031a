/** Reads settings by their schema: all problems at once, each with the setting's name and, for an unknown name, a suggestion. */
import { z } from "zod";
import { TrawlError } from "../errors.ts";

export interface SettingProblem {
  /** With its path if settings are nested; empty when the problem concerns all settings. */
  setting: string;
  message: string;
}

/** The settings with every default; throws a TrawlError that lists everything that is wrong. */
export function parseSettings<Schema extends z.ZodType>(schema: Schema, written: unknown): z.output<Schema> {
  const result = schema.safeParse(written);
  if (result.success) return result.data;
  throw badConfig(problemsOf(result.error, schema));
}

/** Everything that is wrong with the settings; empty when they are valid. */
export function settingProblems(schema: z.ZodType, written: unknown): SettingProblem[] {
  const { error } = schema.safeParse(written);
  return error === undefined ? [] : problemsOf(error, schema);
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

function problemsOf(error: z.ZodError, schema: z.ZodType): SettingProblem[] {
  return error.issues.flatMap((issue) => {
    const { path } = issue;
    if (issue.code !== "unrecognized_keys") return [{ setting: path.join("."), message: issue.message }];
    const names = namesAt(schema, path);
    return issue.keys.map((key) => ({
      setting: [...path, key].join("."),
      message: `there is no such setting${didYouMean(key, names)}`,
    }));
  });
}

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

/** `; did you mean x?` when one of the names is close to what was written; otherwise nothing. */
export function didYouMean(written: string, names: readonly string[]): string {
  const [near] = names
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .sort((a, b) => a.distance - b.distance);
  return near !== undefined && near.distance <= Math.min(3, written.length / 2) ? `; did you mean ${near.name}?` : "";
}

/** The Levenshtein distance, ignoring case. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1]!.toLowerCase() === b[j - 1]!.toLowerCase();
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
