/** A profile describes a code host as data: its hosts, its pages, their types, and how many of them to archive. */
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { naming, parseSettings } from "../../settings/problems.ts";
import { readYaml } from "../../settings/yaml.ts";
import { GITHUB } from "./github.ts";

const pattern = z.string().min(1);

/** Kinds of pages that have a cap of their own, in addition to the cap on all pages of a repo. */
export const REPO_CAPS = ["issues", "prs"] as const;

export const profileSchema = z.strictObject({
  name: z.string().min(1),
  /** Hosts whose pages may be archived. Compared as a whole, so a subdomain is another host. */
  hosts: z.array(z.string().min(1)).min(1),
  /** A config cannot extend the profile to other hosts. */
  hosts_fixed: z.boolean().default(false),
  /** Hosts that are never requested, including all their subdomains. */
  denied_subdomains: z.array(z.string().min(1)).default([]),
  allow_patterns: z.array(pattern).min(1),
  deny_patterns: z.array(pattern).default([]),
  /** The first page type whose pattern matches the URL is its type. */
  page_types: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        pattern,
        /** Such a page belongs to a repo and counts towards its caps. */
        repo: z.boolean().default(false),
        cap: z.enum(REPO_CAPS).nullable().default(null),
        /** Such a page is written to the spool of discoveries. */
        target: z.boolean().default(false),
      }),
    )
    // The number of a page's type is stored in a byte.
    .max(200),
  /** How many leading segments of a path name the repo. */
  repo_segments: z.int().min(1).default(2),
  caps: z.strictObject({
    per_repo_max_pages: z.int().min(0),
    per_repo_max_issues: z.int().min(0),
    per_repo_max_prs: z.int().min(0),
    max_depth: z.int().min(0),
  }),
  seeds: z.array(z.url()).default([]),
  /** Pages that anyone who archives this host should have read: robots.txt, terms. */
  links: z.array(z.strictObject({ name: z.string(), url: z.url() })).default([]),
});

export type Profile = z.infer<typeof profileSchema>;
export type PageTypeRule = Profile["page_types"][number];

const BUILT_IN: readonly Profile[] = [GITHUB];

/** A built-in profile by name, or one for another code host from a YAML file. `resolve` makes its path absolute. */
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
