/** Reads settings: all problems at once, each with the setting's name and, for a name nobody knows, a suggestion. */
import type { z } from "zod";
import { TrawlError } from "../errors.ts";
import { SETTINGS, type SiteConfig, siteConfigSchema } from "./site-config.ts";

export interface SettingProblem {
  /** Empty when it is about all of them. */
  setting: string;
  message: string;
}

export function parseConfig(options: unknown): SiteConfig {
  const result = siteConfigSchema.safeParse(options ?? {});
  if (result.success) return result.data;
  throw badConfig(result.error.issues.flatMap(describe));
}

/** Everything that is wrong with the settings; empty when they are good. */
export function configProblems(options: unknown): SettingProblem[] {
  const { error } = siteConfigSchema.safeParse(options ?? {});
  return error === undefined ? [] : error.issues.flatMap(describe);
}

export const badConfig = (problems: SettingProblem[]): TrawlError =>
  new TrawlError(
    "BAD_CONFIG",
    problems.map(({ setting, message }) => (setting === "" ? message : `${setting}: ${message}`)).join("\n"),
  );

function describe(issue: z.core.$ZodIssue): SettingProblem[] {
  if (issue.code !== "unrecognized_keys") return [{ setting: issue.path.join("."), message: issue.message }];
  const names = SETTINGS.map((setting) => setting.name);
  return issue.keys.map((setting) => ({ setting, message: `there is no such setting${didYouMean(setting, names)}` }));
}

/** `; did you mean x?` when one of the names is near to what was written; nothing otherwise. */
export function didYouMean(written: string, names: readonly string[]): string {
  const [near] = names
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .sort((a, b) => a.distance - b.distance);
  return near !== undefined && near.distance <= Math.min(3, written.length / 2) ? `; did you mean ${near.name}?` : "";
}

/** Levenshtein's distance, case set aside. */
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
