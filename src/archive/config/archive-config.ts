/**
 * Every setting of an archive: its type, its default, and the reason for that default.
 *
 * Names and defaults match the crawlers that this product replaces, so their files keep their meaning. `null` in
 * `scope` and `caps` means the profile's value.
 */
import { isAbsolute, normalize, sep } from "node:path";
import { z } from "zod";
import { PROXY_SCHEME } from "../../net/connection/route.ts";
import { hostSchema } from "../profile/profile.ts";
import { REQUISITE_KINDS } from "../requisites/find-requisites.ts";

const text = (value: string) => z.string().min(1).default(value);
const flag = (value: boolean) => z.boolean().default(value);
const cap = z.int().min(0).nullable().default(null);
const list = z.array(z.string().min(1)).default([]);
const patterns = z.array(z.string().min(1)).nullable().default(null);
const milliseconds = (value: number) => z.int().min(1).default(value);
const described = <T extends z.ZodType>(description: string, schema: T): T => schema.meta({ description }) as T;

/** A path below the workspace. `reset` deletes what these settings name, so none may lead outside. */
const path = (value: string) =>
  z
    .string()
    .min(1)
    .refine(isBelow, { error: "must be a path below the workspace, such as state/frontier.jsonl" })
    .default(value);

/** One host, not a whole domain, because the owner of a domain could point any of its names into our network. */
const privateHost = hostSchema.refine((host) => !host.startsWith("*"), { error: "name each host, without a wildcard" });

/** `"0o644"` as people write it, or the number itself. */
const permissions = z
  .union([z.string().regex(/^0o[0-7]{3,4}$/, 'expected permissions such as "0o644"'), z.int().min(0).max(0o7777)])
  .transform((value) => (typeof value === "number" ? value : Number(value)))
  .default(0o644);

const withDefaults = <T extends z.ZodType>(description: string, schema: T) =>
  schema.prefault({} as never).meta({ description });

/** A section of the file. Leaving out a section means the defaults of everything in it. */
const section = <T extends z.ZodRawShape>(description: string, shape: T) =>
  withDefaults(description, z.strictObject(shape));

export const archiveConfigSchema = z.strictObject({
  profile: described(
    "What is archived: github, gitlab, forgejo, gitea, generic (any site), or a YAML file that describes another site.",
    text("github"),
  ),
  run_id: described(
    "Replaces {run_id} in file names; null for the time of the start, such as 2025-01-09T15-30Z.",
    z
      .string()
      .regex(/^[\w.-]+$/, "expected letters, digits, dots and dashes")
      .nullable()
      .default(null),
  ),
  user_agent: described(
    "Who is asking, with a page or address after a + where the host's operators can reach you.",
    z.string({ error: "say who you are, such as my-archive/1.0 (+https://example.com/contact)" }).refine(hasContact, {
      error: "must say how to reach you, such as my-archive/1.0 (+https://example.com/contact)",
    }),
  ),
  accept_language: described("The Accept-Language header.", text("en")),
  robots: section("robots.txt is always obeyed; nothing is fetched from a host whose robots.txt cannot be read.", {
    user_agent: described(
      "The name to look up rules by; null for the first word of user_agent.",
      z.string().min(1).nullable().default(null),
    ),
    cache_ttl_sec: described(
      "Seconds for which a robots.txt is used; RFC 9309 allows a day at most.",
      milliseconds(86_400),
    ),
  }),
  scope: section("Which URLs are archived. null means the profile's value.", {
    allowed_hosts: described(
      "Hosts: example.com is that host only, *.example.com all its subdomains.",
      z.array(hostSchema).min(1).nullable().default(null),
    ),
    private_hosts: described(
      "Hosts in your own network that may have private addresses, such as gitlab.internal or 10.0.0.5:8080; all others must be on the public internet.",
      z.array(privateHost).default([]),
    ),
    denied_subdomains: described("Hosts that are never requested, including all their subdomains.", patterns),
    allow_patterns: described("Only URLs that match one of these regular expressions are archived.", patterns),
    deny_patterns: described("URLs that match one of these are never archived, whatever else allows them.", patterns),
    content_types: described("What counts as a page.", z.array(z.string().min(1)).min(1).default(["text/html"])),
    allowed_query_params: described(
      "Query parameters that distinguish pages, such as page; all others are dropped.",
      z.array(z.string().min(1)).default([]),
    ),
  }),
  limits: section("How fast and how patiently the host is requested.", {
    global_concurrency: described("Requests in flight at once.", z.int().min(1).default(2)),
    per_host_concurrency: described("Requests to one host in flight at once.", z.int().min(1).default(2)),
    req_per_sec: described(
      "Requests per second to one host, at most; a longer crawl-delay in robots.txt wins.",
      z.number().positive().default(1),
    ),
    connect_timeout_ms: milliseconds(4_000),
    read_timeout_ms: described("The longest wait for headers, or between two parts of a body.", milliseconds(15_000)),
    total_timeout_ms: described("The longest time for one request in total.", milliseconds(25_000)),
    max_page_mb: described(
      "The largest page, in megabytes. A larger one is not stored, and counts as failed.",
      z.number().positive().max(1_000).default(50),
    ),
    max_retries: described("Retries after a failure that may be temporary.", z.int().min(0).max(20).default(3)),
    backoff_base_ms: described(
      "The wait before the first retry, and after a 429 without Retry-After; it doubles each time, times 0.75 to 1.25.",
      milliseconds(500),
    ),
    backoff_cap_ms: described("The longest such wait; a longer Retry-After wins.", milliseconds(8_000)),
    max_rest_sec: described(
      "A host that asks to slow down, or stops answering, rests; after this many seconds without a page the run ends, paused.",
      z.int().min(1).default(3_600),
    ),
    http2: described("Use HTTP/2 where the host offers it.", flag(true)),
  }),
  caps: withDefaults(
    "Limits on what is archived; 0 means no limit, null the profile's value. A profile may have others, such as per_repo_max_merge_requests.",
    z
      .object({
        per_repo_max_pages: described("Pages of one repo, of any type.", cap),
        per_repo_max_issues: described("Issues of one repo.", cap),
        per_repo_max_prs: described("Pull requests of one repo.", cap),
        max_depth: described("How many links away from the seeds to go.", cap),
      })
      // Whether the profile has such a cap is checked with the profile.
      .catchall(cap),
  ),
  storage: section("Where things are stored, below the workspace.", {
    frontier_file: path("state/frontier.jsonl"),
    fetched_urls_file: path("state/fetched_urls.txt"),
    robots_cache_file: path("state/robots_cache.jsonl"),
    metadata_file: path("metadata/crawl_metadata.jsonl"),
    html_store_root: path("store/html"),
    html_compress: described("Compress stored pages with zstd.", flag(false)),
    html_permissions: described('Permissions of stored pages, such as "0o644".', permissions),
    pages_csv: described("Where replay writes its table.", path("logs/pages-{run_id}.csv")),
    warc: described(
      "Write WARC/1.1 files next to the store. Once a workspace has them, every run writes them, until one with --no-warc.",
      flag(false),
    ),
    warc_dir: path("warc"),
    min_free_mb: described(
      "With less free space than this, the archive pauses; it continues when there is room.",
      z.int().min(0).default(500),
    ),
  }),
  requisites: section(
    "The files that pages need in order to look as they did, fetched into the WARC files after the pages.",
    {
      enabled: described(
        "Fetch them. Once a workspace does, every run does, until one with --no-requisites. This also writes WARC files.",
        flag(false),
      ),
      kinds: described("What is fetched.", z.array(z.enum(REQUISITE_KINDS)).default([...REQUISITE_KINDS])),
      allowed_hosts: described(
        "Hosts that they may come from, such as *.example.com; null for every host on the public internet.",
        z.array(hostSchema).min(1).nullable().default(null),
      ),
      denied_hosts: described("Hosts that they never come from, including all their subdomains.", list),
      deny_patterns: described("URLs that match one of these regular expressions are not fetched.", list),
      per_page_max: described("Maximum number of files for one page; 0 means no limit.", z.int().min(0).default(200)),
      per_host_max: described(
        "Maximum number of files from one host; 0 means no limit.",
        z.int().min(0).default(10_000),
      ),
      max_rest_sec: described(
        "How long to wait for a host that asks to slow down or does not answer; a later run tries again.",
        z.int().min(1).default(60),
      ),
    },
  ),
  metrics: section("Counts over time.", {
    csv_path: path("logs/crawler_metrics.csv"),
    flush_interval_sec: described("Seconds between two lines of each count.", z.number().positive().default(10)),
  }),
  trajectory: section("Which page led to which.", {
    enabled: flag(true),
    csv_path: path("logs/edges.csv"),
  }),
  log: section("What happened during runs, for people: starts and ends, pauses, hosts that rest, failures.", {
    path: described(
      "`scrape`, which may run at the same time, has its own scraper.log next to it.",
      path("logs/crawler.log"),
    ),
    rotate_every_mb: described(
      "At this size the file is renamed to crawler.log.1, the one before it to crawler.log.2, and so on.",
      z.number().positive().default(10),
    ),
    keep: described("How many older files are kept.", z.int().min(0).max(1_000).default(5)),
    fetches: described("Log each fetch too, not only those that failed.", flag(false)),
  }),
  spool: section("Discoveries, for fetching separately from crawling (`trawl archive scrape`).", {
    enabled: described("Write pages of the target types as they are found.", flag(false)),
    discoveries_dir: path("spool/discoveries"),
    rotate_every_mb: described("A new file is started at this size.", z.number().positive().default(100)),
    budget_gb: described(
      "When the spool reaches this size, or nine tenths of max_backlog_gb, the crawl pauses until `scrape` has made room.",
      z.number().positive().default(10),
    ),
    max_backlog_gb: described(
      "When the spool exceeds this size, `scrape` pauses until the spool shrinks.",
      z.number().positive().default(10),
    ),
    bookmark_file: path("state/spool_bookmark.json"),
    bookmark_every: described(
      "How many discoveries to read between two saves of the bookmark.",
      z.int().min(1).default(100),
    ),
  }),
  proxies: section("Proxies to send requests through.", {
    enabled: flag(false),
    pool: described(
      "URLs such as http://user:password@127.0.0.1:3128.",
      z.array(z.url({ protocol: PROXY_SCHEME, error: "expected an http, https or socks5 URL" })).default([]),
    ),
    rotation_strategy: z.enum(["sequential", "random"]).default("sequential"),
    rest_sec: described(
      "How long a proxy rests after it was told to slow down, unless it was told to wait longer.",
      milliseconds(60),
    ),
  }),
});

export type ArchiveConfig = z.infer<typeof archiveConfigSchema>;
export type ArchiveOptions = z.input<typeof archiveConfigSchema>;

function isBelow(written: string): boolean {
  const path = normalize(written).replace(/[/\\]+$/, "");
  return !isAbsolute(written) && path !== "." && !path.split(sep).includes("..");
}

/** A page or mail address after a plus sign, as is customary for robots. */
function hasContact(userAgent: string): boolean {
  return /\+https?:\/\/[^\s)]+/.test(userAgent);
}
