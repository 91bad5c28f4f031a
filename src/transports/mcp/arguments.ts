/** Reads what an agent sent: every problem at once, with what would have been right. */
import type { z } from "zod";
import { crawlSettings } from "../../app/config/setting-checks.ts";
import { TrawlError } from "../../errors.ts";
import { didYouMean } from "../../settings/problems.ts";

export function readArguments<Schema extends z.ZodObject>(
  tool: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const result = schema.safeParse(given ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const names = Object.keys(schema.shape);
  const problems = result.error.issues.flatMap((issue) => describe(issue, names));
  throw new TrawlError(
    "BAD_USAGE",
    [`${tool} was called wrongly.`, ...problems, `Arguments: ${usage(schema)}.`].join("\n"),
  );
}

function describe(issue: z.core.$ZodIssue, names: readonly string[]): string[] {
  const where = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const known = where === "settings" ? crawlSettings().map((setting) => setting.name) : names;
    const what = where === "settings" ? "setting" : "argument";
    return issue.keys.map((key) => `${key}: there is no such ${what}${didYouMean(key, known)}`);
  }
  if (issue.code === "invalid_type" && issue.input === undefined) return [`${where}: it is missing`];
  return [`${where}: ${issue.message}`];
}

/** `crawl_id (required), url, limit`. */
const usage = (schema: z.ZodObject): string =>
  Object.entries(schema.shape)
    .map(([name, argument]) => (argument.safeParse(undefined).success ? name : `${name} (required)`))
    .join(", ");
