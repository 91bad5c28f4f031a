/** The server's codes as words. Each table is typed by the server's own list, so a code without words does not compile. */
import type { FetchErrorCode } from "../../../src/net/fetch-errors.ts";
import type { HostReason } from "../../../src/site/host-report.ts";
import type { Indexability } from "../../../src/site/indexability.ts";
import type { Kind, Via } from "../../../src/site/links/link-kinds.ts";
import type { DocumentProblem } from "../../../src/site/page/document-problems.ts";
import type { Reason } from "../../../src/site/site-reasons.ts";
import type { Finding, FindingState, LinkOfCrawl, LiveHost, Priority, Severity } from "./contract.ts";
import { statusText, type Tone } from "./status.ts";

const PROPER = new Map([
  ["url", "URL"],
  ["urls", "URLs"],
  ["dns", "DNS"],
  ["tls", "TLS"],
  ["http", "HTTP"],
  ["robots", "robots.txt"],
]);

/** Any other code, spelt out: `max_urls_per_host` → Max URLs per host. */
function spelt(code: string): string {
  const words = code.split(/[_-]/).map((word) => PROPER.get(word) ?? word);
  const [first = ""] = words;
  if (!PROPER.has(code.split(/[_-]/)[0]!)) words[0] = first.charAt(0).toUpperCase() + first.slice(1);
  return words.join(" ");
}

/** The name of a field, spelt out: `wordCount` → Word count. */
export const fieldSpelt = (name: string): string =>
  spelt(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const lookUp = (table: Record<string, string>, code: string): string =>
  Object.hasOwn(table, code) ? table[code]! : spelt(code);

const REASONS: Record<Reason, string> = {
  external: "On another host",
  external_resource: "Resource on another host",
  resources_off: "Resources are not checked",
  invalid_url: "Not a valid URL",
  resource_type_off: "Resources of this type are not checked",
  spider_off: "Links are not followed",
  network_off: "Script requests are off",
  single_page: "Single page only",
  form: "Form target",
  service: "Service for programs",
  nofollow: "Only nofollow links",
  noindex: "Only on noindex pages",
  too_deep: "Too deep",
  too_many_redirects: "Too many redirects",
  outside_folder: "Outside the start folder",
  excluded: "Excluded by a pattern",
  not_included: "Matches no include pattern",
  hook: "Decided by onUrl",
  tracker: "Tracker",
  framework_data: "Framework data",
  url_too_long: "URL too long",
  path_loop: "Path repeats itself",
  trap_no_yield: "Endless, brings nothing new",
  robots_disallow: "Disallowed by robots.txt",
  robots_unreachable: "robots.txt unreachable",
  no_sitemap: "No sitemap there",
  no_llms: "No llms.txt there",
  robots_ignored: "robots.txt ignored",
  not_pulled: "Not pulled from the fleet",
  max_urls: "URL limit reached",
  max_pages: "Page limit reached",
  max_urls_per_host: "URL limit per host reached",
  max_urls_per_pattern: "Limit per URL pattern reached",
  max_query_variants: "Query variant limit reached",
};

/** Why a URL was not crawled. */
export const reasonLabel = (reason: string): string => lookUp(REASONS, reason);

/** A rule that names a setting, such as `maxUrlsPerPattern 30: …`, with the setting's label. */
export function ruleText(rule: string, settings: readonly { name: string; label: string }[]): string {
  const name = /^[a-z][A-Za-z0-9]*(?=[ :=]|$)/.exec(rule)?.[0];
  const label = settings.find((setting) => setting.name === name)?.label;
  return label === undefined ? rule : `${label}${rule.slice(name!.length)}`;
}

const INDEXABILITY: Record<Indexability, { label: string; sentence: string }> = {
  no_response: { label: "No response", sentence: "There was no answer, so there is nothing to index." },
  undecodable: {
    label: "Body cannot be decoded",
    sentence: "Its body does not have the encoding that its headers declare, so nobody can read it.",
  },
  challenge: {
    label: "Bot check",
    sentence: "A bot check was sent instead of the page, so there is nothing to index.",
  },
  redirect: { label: "Redirect", sentence: "It redirects; search engines index the page it leads to." },
  client_error: { label: "Client error (4xx)", sentence: "It answered with a client error (4xx)." },
  server_error: { label: "Server error (5xx)", sentence: "It answered with a server error (5xx)." },
  robots_disallow: { label: "Disallowed by robots.txt", sentence: "robots.txt disallows it." },
  noindex_header: { label: "noindex in the header", sentence: "Its X-Robots-Tag header says noindex." },
  soft_404: {
    label: "Soft 404",
    sentence: "It answers 200 but shows the same page as addresses that do not exist.",
  },
  noindex_meta: { label: "noindex in a meta tag", sentence: "Its robots meta tag says noindex." },
  canonicalised: { label: "Canonical is another page", sentence: "It names another page as its canonical." },
};

const indexabilityOf = (reason: string) =>
  Object.hasOwn(INDEXABILITY, reason)
    ? INDEXABILITY[reason as Indexability]
    : { label: spelt(reason), sentence: spelt(reason) };

/** Why a page is not indexable, in a few words and in a sentence. */
export const indexabilityLabel = (reason: string): string => indexabilityOf(reason).label;
export const indexabilitySentence = (reason: string): string => indexabilityOf(reason).sentence;

const ERRORS: Record<FetchErrorCode, string> = {
  bad_url: "Invalid URL",
  bad_request: "Invalid request header",
  dns_not_found: "Host not found (DNS)",
  dns_failed: "DNS lookup failed",
  private_address: "Private address",
  address_changed: "No longer on the same network",
  connect_refused: "Connection refused",
  connect_failed: "Unreachable",
  connect_timeout: "Connection timed out",
  tls_failed: "TLS failed",
  proxy_failed: "Proxy failed",
  reset: "Connection reset",
  headers_timeout: "No answer in time",
  idle_timeout: "Answer stalled",
  total_timeout: "Fetch timed out",
  too_slow: "Answer too slow",
  too_many_headers: "Too many headers",
  too_much_overhead: "Too little content",
  bad_response: "Not valid HTTP",
  bad_encoding: "Cannot be decompressed",
  challenge: "Bot check",
  aborted: "Stopped",
  closed: "Stopped",
  failed: "Failed",
};

/** Why a fetch got no answer; `status 404` is an answer that the live screen lists among the errors. */
export function errorLabel(error: string): string {
  const status = /^status (\d+)$/.exec(error);
  return status === null ? lookUp(ERRORS, error) : statusText(Number(status[1]));
}

export interface VerdictWords {
  label: string;
  tone: Tone;
  text: string;
}

const VERDICTS: Record<string, VerdictWords> = {
  crawl: { label: "Crawl", tone: "ok", text: "It is part of the crawl." },
  record: { label: "Recorded", tone: "quiet", text: "It is stored as the target of links, but not fetched." },
  skip: { label: "Skipped", tone: "warn", text: "It is not fetched." },
};

export const verdictWords = (verdict: string): VerdictWords =>
  VERDICTS[verdict] ?? { label: spelt(verdict), tone: "quiet", text: "" };

const URL_STATES: Record<string, string> = { open: "Waiting", done: "Done", failed: "Failed" };

const VIAS: Record<Via, string> = {
  initial: "Start",
  list: "List",
  spider: "Link",
  sitemap: "Sitemap",
  resource: "Resource",
  network: "Script request",
  redirect: "Redirect",
  llms: "llms.txt",
};

/** How a URL was found. */
export const viaLabel = (via: string): string => lookUp(VIAS, via);

const KINDS: Partial<Record<Kind, string>> = {
  anchor: "Link",
  area: "Image map",
  prev: "Previous page",
  next: "Next page",
  refresh: "Meta refresh",
  "sitemap-entry": "Sitemap entry",
  "llms-entry": "llms.txt entry",
  request: "Script request",
  route: "Address set by script",
};

/** What a link or a find is: an image, a style sheet, a form. */
export const kindLabel = (kind: string): string => KINDS[kind as Kind] ?? spelt(kind);

/** What stands before the rest of a line; nothing where the rest is a sentence. */
const DOCUMENT_PROBLEMS: Record<DocumentProblem, string> = {
  head: "",
  body: "",
  body_before_html: "",
  head_not_first: "",
  invalid_in_head: "Not allowed in the head: ",
  duplicate_id: "Duplicate id: ",
  skipped_heading: "Skipped heading level: ",
  first_heading: "",
  outside_head: "Outside the head: ",
};

const documentProblem = (line: string): string => {
  const [code = "", ...rest] = line.split(" ");
  return Object.hasOwn(DOCUMENT_PROBLEMS, code) ? DOCUMENT_PROBLEMS[code as DocumentProblem] + rest.join(" ") : line;
};

/** The fields of a URL whose values are codes. */
const CODED_FIELDS: Record<string, (code: string) => string> = {
  documentProblems: (lines) => lines.split("\n").map(documentProblem).join("\n"),
  differs: (names) => names.split(", ").map(fieldSpelt).join(", "),
  renderProblem: spelt,
  reason: reasonLabel,
  indexability: indexabilityLabel,
  error: errorLabel,
  verdict: (code) => verdictWords(code).label,
  state: (code) => URL_STATES[code] ?? spelt(code),
  via: viaLabel,
  kind: kindLabel,
};

/** Whether the values of a field are codes. */
export const isCoded = (field: string): boolean => Object.hasOwn(CODED_FIELDS, field);

/** A value of a field as it is shown: codes become words, everything else stays. */
export const fieldWords = (field: string, value: string): string =>
  value !== "" && isCoded(field) ? CODED_FIELDS[field]!(value) : value;

export const truthWords = (value: boolean): string => (value ? "Yes" : "No");

export interface SeverityWords {
  label: string;
  plural: string;
  tone: Tone;
  /** A shape, so that it can be recognised without its colour. */
  glyph: string;
  text: string;
}

const SEVERITIES: Record<Severity, SeverityWords> = {
  error: { label: "Error", plural: "Errors", tone: "bad", glyph: "■", text: "Should be fixed." },
  warning: { label: "Warning", plural: "Warnings", tone: "warn", glyph: "▲", text: "Worth looking into." },
  notice: { label: "Notice", plural: "Notices", tone: "redirect", glyph: "●", text: "An opportunity to improve." },
};

/** How bad an issue is. */
export const severityWords = (severity: Severity): SeverityWords => SEVERITIES[severity];

const PRIORITIES: Record<Priority, string> = { high: "High", medium: "Medium", low: "Low" };

/** How much an issue matters. */
export const priorityLabel = (priority: Priority): string => PRIORITIES[priority];

const CHANGES: Record<NonNullable<Finding["change"]>, { label: string; tone: Tone }> = {
  new: { label: "New", tone: "bad" },
  back: { label: "Back again", tone: "bad" },
  still: { label: "Still there", tone: "quiet" },
  fixed: { label: "Fixed", tone: "ok" },
};

/** How a finding relates to the crawl before. */
export const changeWords = (change: NonNullable<Finding["change"]>): { label: string; tone: Tone } => CHANGES[change];

const FINDING_STATES: Record<FindingState, string> = {
  all: "All",
  open: "Open",
  new: "New",
  still: "Still there",
  back: "Back again",
  fixed: "Fixed",
  accepted: "Accepted",
  ignored: "Ignored",
};

export const findingStateLabel = (state: FindingState): string => FINDING_STATES[state];

const LINK_STATES: Record<LinkOfCrawl["state"], { label: string; text: string }> = {
  alive: { label: "Alive", text: "It answers." },
  dead: { label: "Dead", text: "It answers with an error, or not at all." },
  unverified: { label: "Unverified", text: "The host turns crawlers away, or was busy." },
  unchecked: { label: "Not checked", text: "It was not fetched." },
};

/** What is known of a link's target. */
export const linkStateWords = (state: LinkOfCrawl["state"]): { label: string; text: string } => LINK_STATES[state];

const HOST_STATES: Record<LiveHost["state"], { label: string; tone: Tone }> = {
  fetching: { label: "Fetching", tone: "ok" },
  ready: { label: "Ready", tone: "quiet" },
  waiting: { label: "Waiting", tone: "redirect" },
  throttled: { label: "Throttled", tone: "warn" },
  blocked: { label: "Not answering", tone: "bad" },
  given_up: { label: "Given up", tone: "error" },
};

export const hostStateWords = (state: LiveHost["state"]): { label: string; tone: Tone } => HOST_STATES[state];

const HOST_REASONS: Record<HostReason, string> = {
  rate: "follows the configured rate",
  crawl_delay: "follows the crawl-delay in its robots.txt",
  backoff: "the host asked to slow down",
  retry: "will retry failed URLs",
  overloaded: "the host is overloaded, so it gets fewer requests",
  unreachable: "failed too often in a row",
  probing: "one request is checking whether it is back",
};

/** Why a host waits; an unknown reason is shown as is. */
export const hostReasonLabel = (reason: string | null): string =>
  reason === null ? "" : (HOST_REASONS[reason as HostReason] ?? reason);

const SETTING_OPTIONS: Record<string, string> = {
  respect: "Respect",
  ignore: "Ignore",
  "ignore-report": "Ignore, but report",
  spider: "Links",
  sitemap: "Sitemaps",
  llms: "llms.txt",
  image: "Images",
  script: "Scripts",
  style: "Styles",
  font: "Fonts",
  media: "Media",
  other: "Other",
  network: "Script requests",
  whitespace: "White space",
  sha1: "SHA-1",
  sha256: "SHA-256",
  md5: "MD5",
};

/** One of the choices of a setting. */
export const optionLabel = (option: string): string => lookUp(SETTING_OPTIONS, option);
