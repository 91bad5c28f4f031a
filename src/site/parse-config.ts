/** Reads settings: all problems at once, each with the setting's name and, for a name nobody knows, a suggestion. */
import type { z } from "zod";
import { TrawlError } from "../errors.ts";
import { SETTINGS, type SiteConfig, siteConfigSchema } from "./config.ts";

export function parseConfig(options: unknown): SiteConfig {
  const result = siteConfigSchema.safeParse(options ?? {});
  if (result.success) return result.data;
  throw new TrawlError("BAD_CONFIG", result.error.issues.flatMap(describe).join("\n"));
}

function describe(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map(unknownSetting);
  const where = issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  return [`${where}${issue.message}`];
}

function unknownSetting(name: string): string {
  const near = SETTINGS.map((setting) => ({ name: setting.name, distance: editDistance(name, setting.name) }))
    .sort((a, b) => a.distance - b.distance)
    .at(0)!;
  return `${name}: there is no such setting${near.distance <= 3 ? `; did you mean ${near.name}?` : ""}`;
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
