/**
 * How a crawl ended: its state in one word, the cause, and sentences about what happened and what to do next. All of it is decided
 * and worded only here, from what the store holds, so every transport shows the same.
 */
import { TrawlError } from "../errors.ts";
import { FETCH_ERRORS, type FetchErrorCode } from "../net/fetch-errors.ts";
import { fetchErrorMeaning, type Reason, reasonMeaning, reasonSetting } from "./site-reasons.ts";
import type { EndFacts, StartStep } from "./store/end-facts.ts";

/**
 * `completed` and `limit_reached` have results that can be compared; a `stopped` or `paused` crawl has partial results.
 */
export const END_STATES = ["completed", "limit_reached", "stopped", "paused", "blocked", "failed"] as const;
export type EndState = (typeof END_STATES)[number];

/** Each cause with the state it means, and, where the crawl got nothing, the error code of the command line. */
export const END_CAUSES = {
  all_crawled: { state: "completed", code: null },
  url_limit: { state: "limit_reached", code: null },
  page_limit: { state: "limit_reached", code: null },
  host_url_limit: { state: "limit_reached", code: null },
  stopped: { state: "stopped", code: null },
  paused: { state: "paused", code: null },
  host_silent: { state: "paused", code: null },
  host_challenges: { state: "paused", code: null },
  machine_trouble: { state: "paused", code: null },
  robots_disallow: { state: "blocked", code: "START_SKIPPED" },
  robots_unreachable: { state: "blocked", code: "START_SKIPPED" },
  excluded: { state: "blocked", code: "START_SKIPPED" },
  challenge: { state: "blocked", code: "START_FAILED" },
  refused: { state: "blocked", code: "START_FAILED" },
  no_answer: { state: "failed", code: "START_UNREACHABLE" },
  error_status: { state: "failed", code: "START_FAILED" },
  redirect_elsewhere: { state: "failed", code: "START_FAILED" },
  redirect_loop: { state: "failed", code: "START_FAILED" },
  redirect_nowhere: { state: "failed", code: "START_FAILED" },
  no_content: { state: "failed", code: "START_FAILED" },
  too_many_redirects: { state: "failed", code: "START_FAILED" },
  broken: { state: "failed", code: null },
} as const satisfies Record<string, { state: EndState; code: string | null }>;
export type EndCause = keyof typeof END_CAUSES;

export interface Ending {
  cause: EndCause;
  /** What happened, as sentences; null when there is nothing to report. */
  message: string | null;
  /** What to do next; null when there is nothing to do. */
  hint: string | null;
  /** URLs that were found and allowed but not crawled, because of a limit or because the crawl was stopped. */
  left: number;
}

/** How the engine ended. */
export interface EngineEnd {
  /** `drained`: nothing was left to do. `paused`: its process ended, or was asked to leave it for later. */
  how: "drained" | "stopped" | "paused" | "failed";
  /** Hosts that did not answer, whose URLs stay queued. */
  parked: readonly string[];
  error: unknown;
}

export const endState = ({ cause }: Pick<Ending, "cause">): EndState => END_CAUSES[cause].state;

/** Message and hint in one text. */
export const endText = ({ message, hint }: Pick<Ending, "message" | "hint">): string | null =>
  message === null ? null : [message.replaceAll("\n", " "), hint].filter((part) => part !== null).join(" ");

const end = (cause: EndCause, message: string | null = null, hint: string | null = null, left = 0): Ending => ({
  cause,
  message,
  hint,
  left,
});

export function decideEnd(engine: EngineEnd, facts: EndFacts): Ending {
  const ending = causeOfEnd(engine, facts);
  const { cause, message } = ending;
  const said = cause === "broken" || cause === "paused" ? null : renderingText(facts.rendering);
  if (said === null) return ending;
  const hint = ending.hint ?? "List them with `--filter renderProblem!=`.";
  return { ...ending, message: message === null ? said : `${message} ${said}`, hint };
}

/** What rendering did not achieve; null when there is nothing to report. */
function renderingText({ failed, restless }: EndFacts["rendering"]): string | null {
  const pages = (count: number) => (count === 1 ? "1 page" : `${count} pages`);
  const parts = [
    ...(failed > 0
      ? [`${pages(failed)} could not be rendered, and ${failed === 1 ? "is" : "are"} stored as sent`]
      : []),
    ...(restless > 0 ? [`${pages(restless)} did not settle while being rendered`] : []),
  ];
  return parts.length === 0 ? null : `${parts.join("; ")}.`;
}

function causeOfEnd({ how, parked, error }: EngineEnd, facts: EndFacts): Ending {
  if (how === "failed" && error instanceof TrawlError && error.code === "MACHINE_TROUBLE") {
    return end("machine_trouble", error.message, error.hint, facts.open);
  }
  if (how === "failed") return end("broken", error instanceof Error ? error.message : String(error));
  if (how === "paused") return end("paused", null, null, facts.open);
  if (how === "stopped") return stopped(facts);
  const problem = startProblem(facts);
  if (problem !== null && !hasResult(facts)) return problem;
  const challenging = parked.filter((host) => facts.challenging.includes(host));
  if (challenging.length > 0) {
    const message = `${challenging.join(", ")} began to answer with bot checks instead of pages.`;
    return end("host_challenges", message, FETCH_ERRORS.challenge.hint, facts.open);
  }
  if (parked.length > 0) {
    const hosts = parked.join(", ");
    return end("host_silent", `${hosts} stopped answering.`, "Resume the crawl when it answers again.", facts.open);
  }
  if (facts.limit !== null) return limitReached(facts.limit);
  // The crawl has results, but not from its start URL, which is worth mentioning.
  return problem === null ? (onlyFile(facts) ?? end("all_crawled")) : { ...problem, cause: "all_crawled" };
}

/** A start that answers with a file has no links to follow, unless it is a sitemap. */
function onlyFile({ pages, mode, way }: EndFacts): Ending | null {
  const { url, contentType } = way.at(-1) ?? {};
  if (mode === "list" || pages > 0 || contentType == null) return null;
  return end(
    "all_crawled",
    `${url} is a file (${contentType}), and no page was found.`,
    "To follow links, start with a page.",
  );
}

/**
 * A list of dead links is a result, as long as any host answered. A site crawl needs a page that does not just lead
 * elsewhere, or a file at its start URL.
 */
function hasResult({ mode, pages, starts, answered, way }: EndFacts): boolean {
  if (mode === "list") return answered > 0 || starts === 0;
  const last = way.at(-1);
  const passages = way.filter(({ isPassage }) => isPassage).length;
  return (
    pages > passages ||
    (last?.isInternal === true && last.error === null && last.status !== null && isGood(last.status))
  );
}

const isGood = (status: number): boolean => status >= 200 && status < 300 && !EMPTY.includes(status);

/** Answers without content by definition. A page that was not modified has the status of the earlier crawl, so a 304 was not asked for. */
const EMPTY: readonly number[] = [204, 205, 304];

function stopped({ open }: EndFacts): Ending {
  if (open === 0) return end("stopped", "Stopped by request.");
  return end("stopped", `Stopped by request, with ${urls(open)} still queued.`, "Resume it to crawl the rest.", open);
}

const LIMITS = {
  maxUrls: { cause: "url_limit", flag: "--max-urls", words: (value: number) => urls(value) },
  maxPages: { cause: "page_limit", flag: "--max-pages", words: (value: number) => pages(value) },
  maxUrlsPerHost: {
    cause: "host_url_limit",
    flag: "--max-urls-per-host",
    words: (value: number) => `${urls(value)} per host`,
  },
} as const;

function limitReached({ setting, value, left }: NonNullable<EndFacts["limit"]>): Ending {
  const { cause, flag, words } = LIMITS[setting];
  const message = `The limit of ${words(value)} was reached: ${urls(left)} that the crawl found ${left === 1 ? "was" : "were"} left out.`;
  return end(cause, message, `To crawl more, raise \`${setting}\` (${flag}).`, left);
}

/** What kept the crawl from fetching anything at its start URL; null when nothing did. */
function startProblem(facts: EndFacts): Ending | null {
  const { mode, starts, fetched, answered, way } = facts;
  const first = way[0];
  if (first === undefined) return null;
  if (mode === "list") {
    if (answered > 0) return null;
    const problem = wayProblem(way);
    if (problem === null || starts === 1) return problem;
    const none = fetched > 0 ? `None of the ${urls(starts)} answered.` : `None of the ${urls(starts)} may be crawled.`;
    return { ...problem, message: `${none} The first: ${problem.message}` };
  }
  return wayProblem(way);
}

/** Statuses of servers that do not want to answer this visitor. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: "It asks for a login: give user and password with `--auth` (setting `auth`).",
  403: "The server refuses this crawler: try another `--user-agent`, or `--header` with what it expects.",
  407: "The proxy asks for a login: add user and password to its address.",
  429: "The server asks for fewer requests: try again later, with `--rate 1`.",
  451: "The page may not be shown for legal reasons: start with another one.",
};

/** The last redirect from the start URL shows what went wrong. */
function wayProblem(way: readonly StartStep[]): Ending | null {
  const first = way[0]!;
  const last = way.at(-1)!;
  const { url, verdict, status, error } = last;
  const subject = way.length === 1 ? url : `${url}, which ${first.url} redirects to,`;
  if (last.isLoop) return loop(way);
  if (way.length > 1 && !last.isInternal) {
    return end(
      "redirect_elsewhere",
      `${first.url} redirects to ${url}, which is outside this crawl.`,
      `Crawl ${shortUrl(url)} instead.`,
    );
  }
  if (verdict !== "crawl") return notAllowed(subject, last);
  if (error === "challenge") {
    const whose = last.detail === null ? "" : ` (${last.detail})`;
    return end(
      "challenge",
      `${subject} answered with a bot check${whose} instead of the page.`,
      FETCH_ERRORS[error].hint,
    );
  }
  if (error !== null) return unreachable(subject, fetchErrorMeaning(error, last.detail));
  if (status === null) {
    return end("no_answer", `${subject} did not answer.`, "Try again later, or resume the crawl.", 1);
  }
  if (status >= 300 && status < 400 && !EMPTY.includes(status)) {
    return end(
      "redirect_nowhere",
      `${subject} answered ${status}, a redirect without an address that can be crawled.`,
      "Start with another page.",
    );
  }
  if (EMPTY.includes(status)) {
    return end("no_content", `${subject} answered ${status}, without content.`, "Start with a page that has content.");
  }
  if (REFUSALS[status] !== undefined) return end("refused", `${subject} answered ${status}.`, REFUSALS[status]);
  if (status < 400) return null;
  const hint =
    status < 500 ? "Check the address, and start with a page that exists." : "The server fails: try again later.";
  return end("error_status", `${subject} answered ${status}.`, hint);
}

function notAllowed(subject: string, { reason, rule }: StartStep): Ending {
  // robots.txt is fetched first, so an unreachable host shows up there; but the host is what people care about.
  if (reason === "robots_unreachable" && quotedError(rule) !== undefined) return unreachable(subject, rule!);
  const message = `${subject} was not crawled: ${[reasonMeaning(reason), rule].filter(Boolean).join("\n")}`;
  return end(causeOf(reason as Reason | null), message, notAllowedHint(reason as Reason | null));
}

function causeOf(reason: Reason | null): EndCause {
  if (reason === "robots_disallow" || reason === "robots_unreachable" || reason === "too_many_redirects") return reason;
  return "excluded";
}

function notAllowedHint(reason: Reason | null): string {
  if (reason === "robots_disallow") {
    return "If the site is yours, ignore its robots.txt with `--robots ignore` (setting `robots`).";
  }
  if (reason === "robots_unreachable") {
    return "Try again later. If the site is yours, `--robots ignore` (setting `robots`) crawls it without its robots.txt.";
  }
  const setting = reasonSetting(reason);
  return setting === null ? "Start with another URL." : `Change the setting \`${setting}\`, or start with another URL.`;
}

function loop(way: readonly StartStep[]): Ending {
  const first = way[0]!;
  const message =
    way.length === 1
      ? `${first.url} redirects to itself.`
      : `${first.url} redirects in a circle: ${way.map(({ url }) => url).join(" → ")}, and back.`;
  return end(
    "redirect_loop",
    message,
    "The site may expect a cookie, a header or a login: check `cookies`, `headers` and `auth`, or start with another page.",
  );
}

function unreachable(who: string, why: string): Ending {
  const cause = why.replace(/^robots\.txt could not be read: /, "");
  return end("no_answer", `${who} did not answer. ${cause}`, FETCH_ERRORS[quotedError(why) ?? "failed"].hint);
}

/** The error whose message is quoted in a text. */
function quotedError(text: string | null): FetchErrorCode | undefined {
  return (Object.keys(FETCH_ERRORS) as FetchErrorCode[]).find((code) => text?.includes(FETCH_ERRORS[code].message));
}

const counted = (count: number, noun: string): string =>
  `${String(count).replace(/\B(?=(\d{3})+$)/g, ",")} ${count === 1 ? noun : `${noun}s`}`;
const urls = (count: number): string => counted(count, "URL");
const pages = (count: number): string => counted(count, "page");

/** As a person would type it: the scheme and the first page are assumed. */
function shortUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  return protocol === "https:" && pathname === "/" && search === "" ? host : url;
}
