/** A profile: what a code host is, as data. Which hosts, which pages, what kinds of pages, and how many of them. */
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { naming, parseSettings } from "../../settings/problems.ts";
import { readYaml } from "../../settings/yaml.ts";
import { GITHUB } from "./github.ts";

const pattern = z.string().min(1);

/** How many pages of one repo count against a cap of their own, beside the cap on all of them. */
export const REPO_CAPS = ["issues", "prs"] as const;

export const profileSchema = z.strictObject({
  name: z.string().min(1),
  /** Hosts whose pages may be archived; compared whole, so a subdomain is another host. */
  hosts: z.array(z.string().min(1)).min(1),
  /** The profile may not be widened to other hosts by a config. */
  hosts_fixed: z.boolean().default(false),
  /** Hosts that are never asked, with everything below them. */
  denied_subdomains: z.array(z.string().min(1)).default([]),
  allow_patterns: z.array(pattern).min(1),
  deny_patterns: z.array(pattern).default([]),
  /** The first page type whose pattern matches the URL is its type. */
  page_types: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        pattern,
        /** Such a page belongs to a repo, and counts against its caps. */
        repo: z.boolean().default(false),
        cap: z.enum(REPO_CAPS).nullable().default(null),
        /** Such a page is written to the spool of discoveries. */
        target: z.boolean().default(false),
      }),
    )
    // The number of a page's type goes through the ledger in a byte.
    .max(200),
  /** The first so many segments of a path name the repo. */
  repo_segments: z.int().min(1).default(2),
  caps: z.strictObject({
    per_repo_max_pages: z.int().min(0),
    per_repo_max_issues: z.int().min(0),
    per_repo_max_prs: z.int().min(0),
    max_depth: z.int().min(0),
  }),
  seeds: z.array(z.url()).default([]),
  /** Pages that a person who archives this host should have read: robots.txt, terms. */
  links: z.array(z.strictObject({ name: z.string(), url: z.url() })).default([]),
});

export type Profile = z.infer<typeof profileSchema>;
export type PageTypeRule = Profile["page_types"][number];

const BUILT_IN: readonly Profile[] = [GITHUB];

/** A built-in profile by its name, or that of another code host from a YAML file. `resolve` makes its path absolute. */
export function loadProfile(written: string, resolve: (path: string) => string): Profile {
  const builtIn = BUILT_IN.find((profile) => profile.name === written);
  if (builtIn !== undefined) return builtIn;
  if (!/\.ya?ml$/.test(written)) {
    const names = BUILT_IN.map((profile) => profile.name).join(", ");
    throw new TrawlError(
      "BAD_CONFIG",
      `profile: "${written}" is neither built in (${names}) nor a YAML file such as codeberg.yaml`,
    );
  }
  const path = resolve(written);
  const profile = readYaml(path, "name: codeberg");
  return naming(path, () => parseSettings(profileSchema, profile));
}
