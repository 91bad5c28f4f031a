/** What is wrong with nested settings, one line each: where, what, and for a name nobody knows a suggestion. */
import { z } from "zod";
import { didYouMean } from "../../site/parse-site-config.ts";

export function describeIssues(error: z.ZodError, schema: z.ZodType): string[] {
  return error.issues.flatMap((issue) => {
    const where = issue.path.join(".");
    if (issue.code !== "unrecognized_keys") return [`${where === "" ? "" : `${where}: `}${issue.message}`];
    const names = namesAt(schema, issue.path);
    return issue.keys.map((key) => {
      const name = where === "" ? key : `${where}.${key}`;
      return `${name}: there is no such setting${didYouMean(key, names)}`;
    });
  });
}

/** The names that an object at this place of the schema may have. */
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
