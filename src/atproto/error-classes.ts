/**
 * Why a repo was not stored: one table of every class with its consequences, and how an answer to getRepo or a failed fetch
 * gets its class. Nothing else decides on retries, on what a later crawl tries again, or on what a host's lane learns.
 */
import type { LaneSignal } from "../kernel/lane.ts";
import type { FetchError, FetchErrorCode } from "../net/fetch-errors.ts";
import { serverDelay } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";

interface ClassEntry {
  meaning: string;
  /** The DID counts as completed: later crawls do not request it again from the same host before `againMs` have passed. */
  isFinal: boolean;
  /** When the same host may answer differently, in ms. Nothing is lost for good: time, or another host, may change it. */
  againMs: number;
  /** Retries in the same crawl. */
  retries: number;
  /** What the lane learns. A problem with one repo is not a problem with its host. */
  lane: LaneSignal["kind"];
}

const DAY_MS = 24 * 60 * 60_000;

export const ERROR_CLASSES = {
  not_found: { meaning: "The host has no such repo.", isFinal: true, againMs: 7 * DAY_MS, retries: 0, lane: "neutral" },
  deactivated: {
    meaning: "The account was deactivated by its owner.",
    isFinal: false,
    againMs: 0,
    retries: 0,
    lane: "neutral",
  },
  takendown: {
    meaning: "The account was taken down by its host.",
    isFinal: true,
    againMs: 30 * DAY_MS,
    retries: 0,
    lane: "neutral",
  },
  suspended: { meaning: "The account is suspended for now.", isFinal: false, againMs: 0, retries: 0, lane: "neutral" },
  // Being throttled is not a failure. The lane waits as long as the host asked, so this many attempts take hours.
  rate_limited: {
    meaning: "The host kept asking to slow down.",
    isFinal: false,
    againMs: 0,
    retries: 50,
    lane: "throttled",
  },
  parse_error: {
    meaning: "The host did not send a valid repo of this DID.",
    isFinal: true,
    againMs: DAY_MS,
    retries: 0,
    lane: "neutral",
  },
  bad_signature: {
    meaning: "The repo is not signed by the key of its DID document.",
    isFinal: false,
    againMs: 0,
    retries: 0,
    lane: "neutral",
  },
  unresolved: {
    meaning: "The DID's document could not be read.",
    isFinal: false,
    againMs: 0,
    retries: 1,
    lane: "neutral",
  },
  // It may have been cut off on its way.
  invalid_car: {
    meaning: "The host did not send a complete CAR.",
    isFinal: false,
    againMs: 0,
    retries: 1,
    lane: "neutral",
  },
  too_large: {
    meaning: "The repo is larger than --max-repo-size.",
    isFinal: false,
    againMs: 0,
    retries: 0,
    lane: "neutral",
  },
  http_error: {
    meaning: "The host answered with an HTTP error.",
    isFinal: false,
    againMs: 0,
    retries: 2,
    lane: "overloaded",
  },
  redirected: {
    meaning: "The host redirects elsewhere.",
    isFinal: false,
    againMs: 0,
    retries: 0,
    lane: "overloaded",
  },
  dns_error: {
    meaning: "The host's name cannot be resolved.",
    isFinal: false,
    againMs: 0,
    retries: 1,
    lane: "unreachable",
  },
  unavailable: {
    meaning: "The host is overloaded, or was given up.",
    isFinal: false,
    againMs: 0,
    retries: 3,
    lane: "overloaded",
  },
  connection_error: {
    meaning: "The connection failed or broke.",
    isFinal: false,
    againMs: 0,
    retries: 3,
    lane: "unreachable",
  },
  timeout: { meaning: "The host was too slow.", isFinal: false, againMs: 0, retries: 2, lane: "unreachable" },
  unknown: { meaning: "An unexpected error.", isFinal: false, againMs: 0, retries: 1, lane: "neutral" },
} as const satisfies Record<string, ClassEntry>;

export type ErrorClass = keyof typeof ERROR_CLASSES;

export const ERROR_CLASS_NAMES = Object.keys(ERROR_CLASSES) as ErrorClass[];

export const isErrorClass = (text: string): text is ErrorClass => Object.hasOwn(ERROR_CLASSES, text);

export interface RepoFailure {
  class: ErrorClass;
  /** What the class does not say. */
  detail: string | null;
  /** Whether a retry may help, according to this answer. */
  mayPass: boolean;
  /** How long the host asks to wait, in ms. */
  forMs: number | null;
}

export const failure = (errorClass: ErrorClass, detail: string | null = null, mayPass = true): RepoFailure => ({
  class: errorClass,
  detail,
  mayPass,
  forMs: null,
});

const OF_FETCH: Partial<Record<FetchErrorCode, ErrorClass>> = {
  dns_not_found: "dns_error",
  dns_failed: "dns_error",
  headers_timeout: "timeout",
  idle_timeout: "timeout",
  connect_timeout: "timeout",
  total_timeout: "timeout",
  too_slow: "timeout",
  bad_encoding: "invalid_car",
  bad_url: "unknown",
  bad_request: "unknown",
  failed: "unknown",
};

export const failureOfFetch = (error: FetchError): RepoFailure =>
  failure(OF_FETCH[error.code] ?? "connection_error", error.message, error.retryable || error.code === "bad_encoding");

export const laneSignalOf = ({ class: name, forMs }: RepoFailure): LaneSignal => {
  const kind = ERROR_CLASSES[name].lane;
  return kind === "throttled" || kind === "overloaded" ? { kind, forMs } : { kind };
};

/** Hosts say what is wrong with a status and `{error, message}`. */
const NAMED: Readonly<Record<string, ErrorClass>> = {
  RepoNotFound: "not_found",
  RepoTakendown: "takendown",
  RepoSuspended: "suspended",
  RepoDeactivated: "deactivated",
  AccountTakedown: "takendown",
  AccountDeactivated: "deactivated",
  RateLimitExceeded: "rate_limited",
};

/** Older hosts have no error name for it. */
const NO_REPO = /could not find (?:repo|root|user|account)|repo not found/i;
/** Errors are short; anything longer is not an error of the protocol. */
const MAX_ERROR_BYTES = 10_000;
const MAX_DETAIL = 200;

/** Null when the answer is a repo, as far as can be seen from outside. */
export function classifyAnswer(response: HttpResponse, maxRepoSize: number, now: number): RepoFailure | null {
  const { status, truncated } = response;
  if (status === 200) {
    if (truncated === "encoding") return failure("invalid_car", "the compressed body ends too early");
    return truncated === null ? null : failure("too_large", sizeText(response, maxRepoSize));
  }
  const error = readError(response);
  const named = NAMED[error.name] ?? (NO_REPO.test(error.message) ? "not_found" : undefined);
  const detail = `status ${status}${error.name === "" ? "" : `, ${error.name}`}${error.message === "" ? "" : `: ${error.message}`}`;
  if (status === 429 || named === "rate_limited")
    return { ...failure("rate_limited"), forMs: serverDelay(response.headers, now) };
  if (named !== undefined) return failure(named);
  // A 404 that does not speak the protocol is a host that is not a PDS, or no longer one: its repos may be found there again.
  if (status === 404 && error.name !== "") return failure("not_found", detail);
  if ((status >= 502 && status <= 504) || (status >= 520 && status <= 527)) {
    return { ...failure("unavailable", detail), forMs: serverDelay(response.headers, now) };
  }
  // Where a repo is, its DID document says; a redirect could lead anywhere.
  if (status >= 300 && status < 400)
    return failure("redirected", `${detail} to ${response.header("location") ?? "nowhere"}`.slice(0, MAX_DETAIL));
  return failure("http_error", detail, status >= 500 || status === 408);
}

function readError({ body }: HttpResponse): { name: string; message: string } {
  if (body.length > MAX_ERROR_BYTES) return { name: "", message: "" };
  try {
    const { error, message } = JSON.parse(body.toString("utf8")) as { error?: unknown; message?: unknown };
    return { name: text(error), message: text(message) };
  } catch {
    return { name: "", message: "" };
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, MAX_DETAIL) : "");

function sizeText(response: HttpResponse, maxRepoSize: number): string {
  const length = Number(response.header("content-length"));
  return length > maxRepoSize ? `${length} bytes` : `more than ${maxRepoSize} bytes`;
}
