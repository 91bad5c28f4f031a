/** What an answer to getRepo is: a repo, or one of the error classes. Hosts say it with a status and `{error, message}`. */
import { serverDelay } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { type ErrorClass, failure, type RepoFailure } from "./error-classes.ts";

const NAMED: Readonly<Record<string, ErrorClass>> = {
  RepoNotFound: "not_found",
  RepoTakendown: "takendown",
  RepoSuspended: "suspended",
  RepoDeactivated: "deactivated",
  AccountTakedown: "takendown",
  AccountDeactivated: "deactivated",
  RateLimitExceeded: "rate_limited",
};

/** Older hosts have no name for it. */
const NO_REPO = /could not find (?:repo|root|user|account)|repo not found/i;
/** Errors are short; what is longer is no error of the protocol. */
const MAX_ERROR_BYTES = 10_000;
const MAX_DETAIL = 200;

/** Null when the answer is a repo, as far as it can be told from outside. */
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
  // A 404 that does not speak the protocol is a host that is no PDS (any more): its repos may be found there again.
  if (status === 404 && error.name !== "") return failure("not_found", detail);
  if ((status >= 502 && status <= 504) || (status >= 520 && status <= 527)) {
    return { ...failure("unavailable", detail), forMs: serverDelay(response.headers, now) };
  }
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
