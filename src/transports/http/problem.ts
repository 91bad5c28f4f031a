/** Errors as HTTP answers: problem JSON (RFC 9457) with our code and hint, and never a stack. */
import type { z } from "zod";
import { ERRORS, type ErrorCode, TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { described, eachProblem, listed, shortened } from "../../settings/problems.ts";

/** An invalid value, and why. */
export interface FieldProblem {
  path: string;
  message: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  hint: string;
  problems?: FieldProblem[];
  /** Understood until version 0.3: the same. */
  errors?: FieldProblem[];
  /** The crawl that stands in the way. */
  crawlId?: number;
}

/** Codes whose status does not follow from the rule in `statusOf`. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  CRAWL_NOT_FOUND: 404,
  URL_NOT_IN_CRAWL: 404,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAGE_NOT_IN_ARCHIVE: 404,
  PAGE_NOT_STORED: 404,
  SERVICE_REFUSED: 502,
  DID_NOT_ARCHIVED: 404,
  CRAWL_ENDED: 409,
  WRONG_STATE: 409,
  FLEET_EXISTS: 409,
  FLEET_VERSION: 409,
  FLEET_NOT_CONFIGURED: 409,
  FLEET_DATABASE: 502,
  ROBOTS_DISALLOWED: 422,
  START_SKIPPED: 422,
  SQL_STOPPED: 422,
  BODY_TOO_LARGE: 413,
  BODY_NOT_JSON: 415,
  HOST_NOT_ALLOWED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  TOKEN_NEEDED: 401,
  TOO_MANY_REQUESTS: 429,
  PAGE_NOT_FETCHED: 502,
  HOST_UNREACHABLE: 502,
  START_UNREACHABLE: 502,
  START_FAILED: 502,
  SERVER_BUSY: 503,
  DISK_FULL: 507,
};

/** What to do, for scripts and for users of the web app; the hints in the error table refer to the command line. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  BAD_USAGE: "Fix the values listed above and try again; /docs describes the parameters of each request.",
  BAD_CONFIG: "Fix the settings listed above; `GET /api/v1/settings` lists all settings with their defaults.",
  CRAWL_NOT_FOUND: "It may have been deleted. Each project lists its crawls.",
  PROJECT_NOT_FOUND: "It may have been deleted. The list of projects shows those that exist.",
  PROJECT_BUSY: "Wait for it to end, or stop it first.",
  WORKSPACE_BUSY: "Wait for it to end, or stop it first.",
  ARCHIVE_NOT_FOUND:
    "The list of archives shows those that exist. On the command line, `trawl archive configure` or a run adds one.",
  REPO_ARCHIVE_NOT_FOUND:
    "The list of AT Protocol archives shows those that exist. On the command line, `trawl atproto crawl`, `follow` or `index` adds one.",
  STATE_BUSY: "Wait for the crawl to end, or stop it first.",
  DID_NOT_ARCHIVED: "The repo lists its collections; the status of the archive shows how far the crawl has come.",
  PAGE_NOT_IN_ARCHIVE: "Give the URL as the archive stores it; the list of pages shows them.",
  SCHEDULE_NOT_FOUND: "The project has no schedule yet, or it was removed.",
  URL_NOT_IN_CRAWL: "Search the URLs of the crawl to see what it found.",
  START_SKIPPED:
    "Use another start URL, or change the setting that excludes it; testing the URL against the rules shows which.",
  ROBOTS_DISALLOWED: "The site asks crawlers not to fetch this page. For your own site, you can ignore robots.txt.",
  PAGE_NOT_FETCHED: "The details of this URL show what the crawl knows about it.",
};

/** Titles of errors whose message in the error table is worded for the command line. */
const TITLES: Partial<Record<ErrorCode, string>> = { BAD_USAGE: "The request was not understood." };

export const titleOf = (code: ErrorCode): string => TITLES[code] ?? ERRORS[code].message;

/** A conflict is 409; an error that the caller can fix is 404 or 422; one that only this machine can fix is 500. */
export function statusOf(code: ErrorCode): number {
  const known = STATUS[code];
  if (known !== undefined) return known;
  if (code.endsWith("_NOT_FOUND") && code !== "BROWSER_NOT_FOUND") return 404;
  if (code.endsWith("_BUSY")) return 409;
  return ERRORS[code].exit === 2 ? 422 : 500;
}

/** The request is invalid: lists the invalid values, the first few if there are many. */
export class InputError extends TrawlError {
  readonly errors: FieldProblem[];

  constructor(given: readonly FieldProblem[]) {
    const errors = given.map(({ path, message }) => ({
      path: shortened(path),
      message: shortened(message, LONGEST_MESSAGE),
    }));
    super("BAD_INPUT", errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "));
    this.errors = errors;
  }

  /** `schema`: whose names are suggested instead of unknown ones. */
  static from(error: z.ZodError, schema: z.ZodType): InputError {
    const problems = listed(eachProblem(error), (problem) => {
      const isSetting = problem.issue.path[0] === "settings";
      return described(problem, schema, isSetting ? "setting" : "parameter");
    });
    return new InputError(problems.map(({ setting, message }) => ({ path: setting, message })));
  }
}

const LONGEST_MESSAGE = 500;
/** Of a message, which may quote the input. The longest list of valid values is half as long. */
const LONGEST_DETAIL = 8_000;

export function problemOf(error: unknown): Problem {
  const told = storeError(error, "A database in the data folder");
  const known = told instanceof TrawlError ? told : new TrawlError("INTERNAL");
  const { code, message } = known;
  return {
    type: `/docs#${code}`,
    title: titleOf(code),
    status: statusOf(code),
    detail: shortened(message, LONGEST_DETAIL),
    code,
    // A hint for this specific error says more than the general one for its code.
    hint: known.hint === ERRORS[code].hint ? (HINTS[code] ?? known.hint) : known.hint,
    ...(known instanceof InputError ? { problems: known.errors, errors: known.errors } : {}),
    ...(known.crawlId === null ? {} : { crawlId: known.crawlId }),
  };
}

export function problemResponse(error: unknown, headers: Record<string, string> = {}): Response {
  const problem = problemOf(error);
  const seconds = error instanceof TrawlError ? error.retryAfterSeconds : null;
  const later: Record<string, string> = seconds === null ? {} : { "retry-after": String(seconds) };
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...later, ...headers },
  });
}

/** Lists the methods that the path accepts; HEAD comes with GET. */
export function methodNotAllowed(methods: readonly string[]): Response {
  const names = methods.map((method) => method.toUpperCase());
  const allow = [...names, ...(names.includes("GET") ? ["HEAD"] : [])].join(", ");
  return problemResponse(new TrawlError("METHOD_NOT_ALLOWED", `This path accepts ${allow}.`), { allow });
}
