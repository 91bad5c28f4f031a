/**
 * A profile describes a site as data: its hosts, its pages, their types, how many of them to archive, and what is never
 * fetched. The generated reference shows the descriptions in this file.
 */
import { z } from "zod";

const described = <T extends z.ZodType>(description: string, schema: T): T => schema.meta({ description }) as T;

/** A regular expression; `checkProfile` compiles it. */
const pattern = z.string().min(1);

/** A placeholder for the host in seeds and links: it is expanded once for each allowed host without a wildcard. */
export const HOST_PLACE = "{host}";

const urlWithHost = z.string().refine((text) => URL.canParse(text.replaceAll(HOST_PLACE, "example.com")), {
  error: `expected a URL such as https://example.com/ or https://${HOST_PLACE}/explore`,
});

const HOST = /^(?:\*\.)?(?:[^\s/:*?#@[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** A host as people write it: whole, with a port if it is not the usual one, or with a wildcard for its subdomains. */
export const hostSchema = z.string().regex(HOST, {
  error: "expected a host such as example.com, *.example.com or 10.0.0.5:8080, without https:// and without a path",
});

const CAP = /^[a-z][a-z0-9_]*$/;
const CAP_KEY = /^per_repo_max_([a-z][a-z0-9_]*)$/;

/** The caps that every profile has, and the caps that it adds under names of its own. */
export type Caps = { per_repo_max_pages: number; max_depth: number } & Record<string, number>;

/** The setting that limits pages of a repo that count towards `name`; `pages` is all of them. */
export const capKey = (name: string): string => `per_repo_max_${name}`;

/** The name in this key; null for `max_depth`, which is not a cap of a repo. */
export const capName = (key: string): string | null => CAP_KEY.exec(key)?.[1] ?? null;

const limit = z.int().min(0);

const capsSchema = z
  .object({
    per_repo_max_pages: described("Pages of one repo, of any type; 0 for no limit, as in all caps.", limit),
    max_depth: described("How many links away from the seeds to go.", limit),
  })
  .catchall(limit)
  .superRefine((caps, context) => {
    for (const key of Object.keys(caps)) {
      if (key === "max_depth" || capName(key) !== null) continue;
      const message =
        "there is no such cap; expected max_depth, or per_repo_max_ and a name, such as per_repo_max_issues";
      context.addIssue({ code: "custom", message, input: caps, path: [key] });
    }
  })
  // In the order in which people write them.
  .transform(({ max_depth, ...caps }) => ({ ...caps, max_depth }) as Caps);

export const pageTypeSchema = z.strictObject({
  name: described("The name in metadata and statistics; several types may share one.", z.string().min(1)),
  pattern: described("URLs that match this regular expression, and none before it, are of this type.", pattern),
  repo: described(
    'Whether such a page counts towards the caps of a repo, and which: true for what the group named repo matched, or else for the first repo_segments of the path; or a text with groups of the pattern, such as "{owner}/{name}".',
    z.union([z.boolean(), z.string().min(1)]).default(false),
  ),
  cap: described(
    "A separate cap, in addition to the one on all pages: issues means caps.per_repo_max_issues. Any name is allowed.",
    z.string().regex(CAP, "expected a name such as merge_requests").nullable().default(null),
  ),
  target: described("Whether such a page is written to the spool of discoveries.", z.boolean().default(false)),
  pagination: described(
    "The query parameter that numbers the pages of a list. It stays in the URL, except on page 1; all others are dropped.",
    z
      .strictObject({
        param: described("Its name, such as page.", z.string().min(1)),
        max: described("Pages after this one are refused; 0 for no limit.", limit.default(0)),
      })
      .nullable()
      .default(null),
  ),
});

export const profileSchema = z.strictObject({
  name: described("The name in the banner and in WARC files.", z.string().min(1)),
  hosts: described(
    "Hosts whose pages may be archived: example.com is that host only, *.example.com all its subdomains. Empty when scope.allowed_hosts must name them.",
    z.array(hostSchema),
  ),
  hosts_fixed: described("Whether settings may not allow other hosts.", z.boolean().default(false)),
  denied_subdomains: described(
    "Hosts that are never requested, including all their subdomains.",
    z.array(z.string().min(1)).default([]),
  ),
  allow_patterns: described(
    "Only URLs that match one of these regular expressions are archived.",
    z.array(pattern).min(1),
  ),
  deny_patterns: described(
    "URLs that match one of these are never archived, whatever else allows them: logins, downloads, edits.",
    z.array(pattern).default([]),
  ),
  max_repeats: described(
    "URLs in which a path segment occurs more often are refused as endless; 0 to accept all.",
    limit.default(0),
  ),
  trailing_slash: described(
    "Whether a slash at the end of a path is dropped, or kept because the site tells the two apart.",
    z.enum(["drop", "keep"]).default("drop"),
  ),
  page_types: described(
    "The types of pages; the first whose pattern matches counts.",
    // The number of a page's type is stored in a byte.
    z.array(pageTypeSchema).max(200),
  ),
  repo_segments: described(
    "How many leading segments of a path name the repo; 0 when the host does.",
    z.int().min(0).default(2),
  ),
  caps: described("Limits on what is archived, unless the settings say otherwise.", capsSchema),
  seeds: described(
    `Where a new workspace starts; ${HOST_PLACE} stands for each allowed host.`,
    z.array(urlWithHost).default([]),
  ),
  links: described(
    "Pages that anyone who archives the site should have read, such as robots.txt and terms; the banner shows them.",
    z
      .array(
        z.strictObject({
          name: described("What the banner calls it.", z.string().min(1)),
          url: described(`Its address; ${HOST_PLACE} stands for each allowed host.`, urlWithHost),
        }),
      )
      .default([]),
  ),
});

export type ProfileInput = z.input<typeof profileSchema>;
export type Profile = z.infer<typeof profileSchema>;
export type PageTypeRule = Profile["page_types"][number];

/** A text once for each host that has no wildcard, or as it is when it does not mention the host. */
export const forHosts = (text: string, hosts: readonly string[]): string[] =>
  text.includes(HOST_PLACE)
    ? hosts.filter((host) => !host.startsWith("*")).map((host) => text.replaceAll(HOST_PLACE, host))
    : [text];
